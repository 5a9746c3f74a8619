//! Descriptions of OME-TIFF: an XML document in the first page.
//!
//! Source: OME schema 2016-06 and "OME-TIFF specification" (Open Microscopy Environment).

use std::collections::BTreeSet;
use std::path::Path;

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use super::stack::{Order, Stack};
use super::units::{common, length};
use super::{AGAIN, refuse, unsupported};
use zeroset_core::error::{Flaw, Result};

/// Returns true for a description in XML with the root element `OME`.
pub(super) fn is_description(text: &str) -> bool {
    let text = text.trim_start_matches('\u{feff}').trim_start();
    let head: String = text.chars().take(4096).collect();
    text.starts_with('<') && (head.contains("<OME") || head.contains(":OME"))
}

/// The attributes of an element, by their local names.
type Attributes = Vec<(String, String)>;

/// A `TiffData` element: the page of the first picture in a sequence of pictures.
#[derive(Clone, Debug, Default)]
struct Block {
    page: Option<usize>,
    count: Option<usize>,
    /// The first slice, channel and volume.
    first: [usize; 3],
}

/// The content of a document.
#[derive(Default)]
struct Document {
    uuid: Option<String>,
    images: usize,
    pixels: Attributes,
    channels: Vec<Attributes>,
    blocks: Vec<Block>,
    /// The identifiers and names of the files of the pictures.
    uuids: BTreeSet<String>,
    files: BTreeSet<String>,
    /// The file with the metadata, if they are not in this file.
    elsewhere: Option<String>,
}

fn get<'a>(attributes: &'a Attributes, name: &str) -> Option<&'a str> {
    attributes.iter().find(|(key, _)| key == name).map(|(_, value)| value.trim())
}

fn attributes(tag: &BytesStart) -> Attributes {
    let all = tag.attributes().filter_map(|found| found.ok());
    all.map(|one| {
        let (name, text) = (one.key.local_name().as_ref().to_string(), one.value.to_string());
        let plain = quick_xml::escape::unescape(&text).map(|plain| plain.into_owned());
        (name, plain.unwrap_or(text))
    })
    .collect()
}

impl Document {
    fn parse(text: &str) -> Result<Self, Flaw> {
        let text = text.trim_start_matches('\u{feff}').trim_end();
        let mut reader = Reader::from_str(text);
        let mut found = Document::default();
        let mut in_uuid = false;
        loop {
            let event = reader.read_event().map_err(|e| {
                let what = format!("the OME description is not valid XML: {e}");
                Flaw::at("header", what, AGAIN)
            })?;
            match event {
                Event::Eof => return Ok(found),
                Event::Start(tag) => {
                    in_uuid = tag.local_name().as_ref() == "UUID";
                    found.take(&tag);
                }
                Event::Empty(tag) => found.take(&tag),
                Event::Text(text) if in_uuid => {
                    let text = text.trim().to_lowercase();
                    found.uuids.extend((!text.is_empty()).then_some(text));
                }
                Event::End(_) => in_uuid = false,
                _ => {}
            }
        }
    }

    fn take(&mut self, tag: &BytesStart) {
        let all = attributes(tag);
        let whole = |name: &str| get(&all, name).and_then(|text| text.parse::<usize>().ok());
        let is_first = self.images <= 1;
        match tag.local_name().as_ref() {
            "OME" => self.uuid = get(&all, "UUID").map(str::to_lowercase),
            "BinaryOnly" => {
                self.elsewhere = Some(get(&all, "MetadataFile").unwrap_or("unknown").to_string());
            }
            "Image" => self.images += 1,
            "Pixels" if is_first => self.pixels = all,
            "Channel" if is_first => self.channels.push(all),
            "TiffData" if is_first => self.blocks.push(Block {
                page: whole("IFD"),
                count: whole("PlaneCount"),
                first: ["FirstZ", "FirstC", "FirstT"].map(|name| whole(name).unwrap_or(0)),
            }),
            "UUID" => self.files.extend(get(&all, "FileName").map(String::from)),
            _ => {}
        }
    }

    /// Returns an error if some pictures or the metadata are in other files.
    fn check_single(&self, path: &Path) -> Result<(), Flaw> {
        const REMEDY: &str = "open the set in Fiji (Bio-Formats) and save it as a single OME-TIFF";
        if let Some(name) = &self.elsewhere {
            let what = format!("the metadata of this OME-TIFF are in another file, {name}");
            return unsupported(what, REMEDY);
        }
        let own = path.file_name().unwrap_or_default().to_string_lossy();
        let is_other = match (&self.uuid, self.uuids.len()) {
            (Some(uuid), 1) => !self.uuids.contains(uuid),
            (_, 0 | 1) => self.files.len() > 1,
            _ => true,
        };
        if is_other || self.files.len() > 1 {
            let names: Vec<&str> =
                self.files.iter().map(String::as_str).filter(|name| *name != own).take(3).collect();
            let what = format!(
                "an OME-TIFF of several files: some slices are in other files ({}{})",
                names.join(", "),
                if self.files.len() > names.len() + 1 { ", ..." } else { "" }
            );
            return unsupported(what, REMEDY);
        }
        Ok(())
    }
}

/// Returns the stack that a description declares for a file of `pages` pages.
///
/// # Errors
/// Returns a [`Flaw`] if the document is damaged, if it describes several files or several images,
/// or if it contradicts the pages.
pub(super) fn stack(path: &Path, text: &str, pages: usize) -> Result<Stack, Flaw> {
    let found = Document::parse(text)?;
    found.check_single(path)?;
    if found.images != 1 {
        let what = format!("an OME-TIFF of {} images, expected one", found.images);
        return unsupported(what, "save each image in a separate file, such as with Fiji");
    }
    let size = |name: &str| -> Result<usize, Flaw> {
        match get(&found.pixels, name).and_then(|text| text.parse::<usize>().ok()) {
            Some(n) if n > 0 => Ok(n),
            _ => refuse(format!("the OME description does not state {name}"), AGAIN),
        }
    };
    let [slices, numbers, volumes] = [size("SizeZ")?, size("SizeC")?, size("SizeT")?];
    // The numbers of a pixel that are stored in one page count as channels.
    let per_page: Vec<usize> = found
        .channels
        .iter()
        .map(|one| get(one, "SamplesPerPixel").and_then(|n| n.parse().ok()).unwrap_or(1))
        .collect();
    let in_pages = per_page.len() * per_page.first().copied().unwrap_or(1) == numbers;
    let channels = match per_page.first() {
        Some(first) if in_pages && per_page.iter().all(|n| n == first) => per_page.len(),
        _ => numbers,
    };
    let name = get(&found.pixels, "DimensionOrder").unwrap_or("XYZCT");
    let sizes = |c: char| match c {
        'Z' => slices,
        'C' => channels,
        _ => volumes,
    };
    let axes: Vec<char> = name.chars().skip(2).collect();
    let [a, b, c] = axes[..] else {
        return refuse(format!("the OME description has the order {name}"), AGAIN);
    };
    let sorted = BTreeSet::from([a, b, c]);
    if !name.starts_with("XY") || sorted != BTreeSet::from(['C', 'T', 'Z']) {
        return refuse(format!("the OME description has the order {name}"), AGAIN);
    }
    let order = Order::new([(a, sizes(a)), (b, sizes(b)), (c, sizes(c))]);
    let n = order.count();
    if n > pages {
        let what =
            format!("the OME description declares {n} pictures, but the file has {pages} pages");
        return refuse(what, AGAIN);
    }
    let mut stack = Stack::new(order, n, "OME")?;
    let pages_of = pages_of(&found.blocks, &order, pages)?;
    for picture in &mut stack.pictures {
        *picture = pages_of[*picture];
    }
    stack.channel_names = channel_names(&found.channels);
    let axis = |name: &str| {
        let value = get(&found.pixels, &format!("PhysicalSize{name}"));
        let value = value.and_then(|text| text.parse::<f64>().ok());
        let value = value.filter(|value| value.is_finite() && *value > 0.0);
        let unit = get(&found.pixels, &format!("PhysicalSize{name}Unit")).unwrap_or("\u{b5}m");
        length(value, unit)
    };
    stack.spacing = common([axis("X"), axis("Y"), axis("Z")], slices);
    Ok(stack)
}

/// Returns the page of each picture, in the order of the file.
fn pages_of(blocks: &[Block], order: &Order, pages: usize) -> Result<Vec<usize>, Flaw> {
    let n = order.count();
    let mut found: Vec<Option<usize>> = vec![None; n];
    let mut left = n;
    for block in blocks {
        let [z, c, t] = block.first;
        let [slice, channel, volume] = order.steps;
        let first = z
            .saturating_mul(slice)
            .saturating_add(c.saturating_mul(channel))
            .saturating_add(t.saturating_mul(volume));
        let page = block.page.unwrap_or(0);
        let count = block.count.unwrap_or(if block.page.is_some() { 1 } else { n });
        if first >= n {
            return refuse("the OME description places a page beyond its sizes", AGAIN);
        }
        let count = count.min(n - first);
        let Some(rest) = left.checked_sub(count) else {
            return refuse("the OME description places some pictures twice", AGAIN);
        };
        left = rest;
        for k in 0..count {
            found[first + k] = Some(page.saturating_add(k));
        }
    }
    if blocks.is_empty() {
        return Ok((0..n).collect());
    }
    let missing = found.iter().filter(|page| page.is_none_or(|page| page >= pages)).count();
    if missing > 0 {
        let what = format!(
            "the OME description declares {n} pictures, but {missing} of them have no page"
        );
        return refuse(what, AGAIN);
    }
    Ok(found.into_iter().flatten().collect())
}

/// Returns the names of the channels if each has a name.
fn channel_names(channels: &[Attributes]) -> Vec<String> {
    let names = channels.iter().map(|channel| get(channel, "Name").map(String::from));
    names.collect::<Option<Vec<_>>>().unwrap_or_default()
}
