//! Tests of the content of a file, used to recognize unsupported formats.

use std::cell::OnceCell;

/// The number of leading bytes that are searched for words and lines.
const HEAD: usize = 64 << 10;
/// The number of bytes at each end of a binary file that are searched for names.
const ENDS: usize = 1 << 20;

/// The content of a file, or at least its first bytes.
pub(super) struct Content<'a> {
    pub(super) extension: &'a str,
    pub(super) bytes: &'a [u8],
    head: &'a [u8],
    /// The lines of `head`. They are split once, because a dozen formats look for words in them.
    lines: OnceCell<Vec<&'a [u8]>>,
}

impl<'a> Content<'a> {
    /// Creates the content of a file with this extension. A byte-order mark is skipped.
    pub(super) fn new(extension: &'a str, bytes: &'a [u8]) -> Self {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let head = bytes.get(..HEAD).unwrap_or(bytes);
        Content { extension, bytes, head, lines: OnceCell::new() }
    }

    /// Returns true if the bytes at offset `place` are `word`.
    pub(super) fn at(&self, place: usize, word: &[u8]) -> bool {
        self.bytes.get(place..).is_some_and(|bytes| bytes.starts_with(word))
    }

    /// Returns true if the file starts with exactly these bytes.
    pub(super) fn starts(&self, word: &[u8]) -> bool {
        self.bytes.starts_with(word)
    }

    /// Returns true if the text begins with `word` in upper or lower case, after blanks and empty
    /// lines.
    pub(super) fn begins(&self, word: &[u8]) -> bool {
        starts_with_any_case(self.head.trim_ascii_start(), word)
    }

    /// Returns true if a line begins with `word` in upper or lower case.
    pub(super) fn has_line(&self, word: &[u8]) -> bool {
        self.lines().iter().any(|line| starts_with_any_case(line, word))
    }

    /// Returns true if the first bytes contain `word` in upper or lower case.
    pub(super) fn mentions(&self, word: &[u8]) -> bool {
        self.head.windows(word.len()).any(|found| found.eq_ignore_ascii_case(word))
    }

    /// Returns true if the bytes near the beginning or the end contain exactly `word`.
    pub(super) fn has(&self, word: &[u8]) -> bool {
        let n = self.bytes.len();
        let (first, last) = (n.min(ENDS), n.saturating_sub(ENDS));
        let within = |part: &[u8]| part.windows(word.len()).any(|found| found == word);
        within(&self.bytes[..first]) || within(&self.bytes[last..])
    }

    /// Returns the lines that are not blank, without leading blanks.
    fn lines(&self) -> &[&'a [u8]] {
        let ends = |b: &u8| *b == b'\n' || *b == b'\r';
        self.lines.get_or_init(|| {
            let lines = self.head.split(ends).map(<[u8]>::trim_ascii_start);
            lines.filter(|line| !line.is_empty()).collect()
        })
    }

    fn words(&self) -> impl Iterator<Item = &'a [u8]> {
        self.head.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty())
    }

    /// Returns the big-endian 32-bit integers at byte offset `place`, or `None` if the file is too
    /// short.
    fn numbers<const N: usize>(&self, place: usize) -> Option<[i32; N]> {
        let raw = self.bytes.get(place..place.checked_add(4 * N)?)?.as_chunks::<4>().0;
        Some(std::array::from_fn(|k| i32::from_be_bytes(raw[k])))
    }

    /// Returns the little-endian 32-bit length at byte offset `place`, or `None` if the file is too
    /// short.
    pub(super) fn length_at(&self, place: usize) -> Option<usize> {
        let [length] = self.numbers::<1>(place)?;
        usize::try_from(length.swap_bytes()).ok()
    }

    pub(super) fn is_zip(&self) -> bool {
        self.starts(b"PK\x03\x04")
    }

    pub(super) fn is_hdf5(&self) -> bool {
        self.starts(b"\x89HDF\r\n")
    }

    /// Returns true if the file is a VTKHDF file, judging by its beginning, its end and its name.
    pub(super) fn is_vtk_hdf(&self) -> bool {
        self.is_hdf5() && (self.extension == "vtkhdf" || self.has(b"VTKHDF"))
    }

    pub(super) fn is_netcdf(&self) -> bool {
        [b"CDF\x01", b"CDF\x02", b"CDF\x05"].iter().any(|magic| self.starts(*magic))
    }

    /// Returns true if the file is a CGNS file in the older format ADF.
    pub(super) fn is_adf(&self) -> bool {
        self.at(4, b"ADF Database Version")
    }

    /// Returns true if the file is XML that mentions `element`, which includes the opening angle
    /// bracket.
    pub(super) fn is_xml(&self, element: &[u8]) -> bool {
        self.begins(b"<") && self.mentions(element)
    }

    /// Returns true if the file is a VTK XML file with a data set of exactly this type.
    pub(super) fn is_vtk(&self, dataset: &[u8]) -> bool {
        if !self.begins(b"<") {
            return false;
        }
        let Some(at) = self.head.windows(8).position(|word| word == b"<VTKFile") else {
            return false;
        };
        let tag = self.head[at..].split(|&b| b == b'>').next().unwrap_or_default();
        let Some(at) = tag.windows(5).position(|word| word == b"type=") else { return false };
        let value = tag.get(at + 6..).unwrap_or_default();
        value.strip_prefix(dataset).and_then(<[u8]>::first).is_some_and(|b| b"'\"".contains(b))
    }

    /// Returns true if the file is NIfTI-2 with a CIFTI intent.
    pub(super) fn is_cifti(&self) -> bool {
        let Some([intent]) = self.numbers::<1>(504) else { return false };
        let cifti = 3000..3100;
        self.at(4, b"n+2\0") && (cifti.contains(&intent) || cifti.contains(&intent.swap_bytes()))
    }

    /// Returns true if the file is DICOM, with or without the preamble.
    pub(super) fn is_dicom(&self) -> bool {
        // Without a preamble, the file starts with a data element: its group (2 or 8), its number,
        // and its type in two capital letters.
        let bare = matches!(self.bytes.get(..6), Some([2 | 8, 0, _, 0, a, b])
            if a.is_ascii_uppercase() && b.is_ascii_uppercase());
        self.at(128, b"DICM") || bare
    }

    /// Returns true if the file is a FreeSurfer annotation: a count, then pairs of a vertex and a
    /// color.
    pub(super) fn is_annotation(&self) -> bool {
        let Some([n, first, _, second, _, third]) = self.numbers::<6>(0) else { return false };
        let fits = usize::try_from(n).is_ok_and(|n| n > 2 && self.bytes.len() / 8 >= n);
        fits && [first, second, third] == [0, 1, 2]
    }

    /// Returns true if the file is binary MEDIT: the number 1 in either byte order, a version from
    /// 1 to 4, then the keyword number of the dimension.
    pub(super) fn is_binary_medit(&self) -> bool {
        let Some(head) = self.numbers::<3>(0) else { return false };
        [head, head.map(i32::swap_bytes)]
            .into_iter()
            .any(|[one, version, keyword]| one == 1 && (1..=4).contains(&version) && keyword == 3)
    }

    /// Returns true if the file is an MNI object of lines: "L", a width, and a number of points.
    pub(super) fn is_mni_lines(&self) -> bool {
        let mut words = self.words();
        let (first, width, n) = (words.next(), words.next(), words.next());
        first == Some(b"L") && number::<f64>(width).is_some() && number::<u32>(n).is_some()
    }

    /// Returns true if the text is a list of sections in parentheses, each beginning with a number,
    /// as written by Fluent.
    pub(super) fn is_fluent(&self) -> bool {
        let Some(first) = self.lines().first().and_then(|line| line.strip_prefix(b"(")) else {
            return false;
        };
        let index = first.split(|b| !b.is_ascii_digit()).next();
        let known = [0, 1, 2, 10, 12, 13, 18, 37, 38, 39, 45, 58, 59, 61];
        number::<u32>(index).is_some_and(|index| known.contains(&index))
            && first.iter().any(|b| b" \")".contains(b))
    }

    /// Returns true if the text is a universal file: "-1", then the number of a data set.
    pub(super) fn is_universal(&self) -> bool {
        let mut words = self.words();
        let first = words.next();
        let known = [151, 164, 2411, 2412, 2420, 2467, 2477, 781];
        first == Some(b"-1") && number(words.next()).is_some_and(|n: u32| known.contains(&n))
    }

    pub(super) fn is_bmp(&self) -> bool {
        self.starts(b"BM") && self.length_at(2) == Some(self.bytes.len())
    }

    pub(super) fn is_webp(&self) -> bool {
        self.starts(b"RIFF") && self.at(8, b"WEBP")
    }

    pub(super) fn is_heif(&self) -> bool {
        [b"ftypheic", b"ftypheix", b"ftypmif1", b"ftypavif"].iter().any(|kind| self.at(4, *kind))
    }
}

fn starts_with_any_case(bytes: &[u8], word: &[u8]) -> bool {
    bytes.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word))
}

fn number<T: std::str::FromStr>(word: Option<&[u8]>) -> Option<T> {
    std::str::from_utf8(word?).ok()?.parse().ok()
}
