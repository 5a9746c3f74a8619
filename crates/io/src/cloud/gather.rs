//! Collection of points while a file is read: finite points are kept, and the others are only
//! counted.

use super::wanted::CLASS;
use super::{CloudReport, NormalsFrom};
use zeroset_core::cloud::{Attribute, Numbers, PointCloud, key};
use zeroset_core::error::{Flaw, Result};

/// The way a file stores a color component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Depth {
    /// A number from 0 to 255.
    Byte,
    /// A number from 0 to 65,535.
    Word,
    /// A real number. The largest value in the file determines the scale.
    Real,
}

/// The meaning of three columns that could be normals or colors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Decided {
    /// The columns are colors.
    Colors,
    /// The columns are normals.
    Normals,
    /// All numbers are zero.
    Neither,
}

#[derive(Debug)]
enum Colors {
    Byte(Vec<[u8; 3]>),
    Word(Vec<[u16; 3]>),
    Real(Vec<[f32; 3]>),
}

/// The points collected so far.
#[derive(Debug)]
pub(super) struct Gather {
    points: Vec<[f64; 3]>,
    /// Normals of unit length. A normal is zero if the file has no usable one.
    normals: Option<Vec<[f32; 3]>>,
    colors: Option<Colors>,
    /// The attributes that are read.
    attributes: Vec<Attribute>,
    /// The names of all attributes of the file.
    available: Vec<String>,
    /// The number of records read, including those whose points are left out.
    pub(super) stored: u64,
    not_finite: u64,
    without_normal: u64,
    withheld: u64,
    /// The number of points in each class, `[256]`. Empty if records have no class.
    classes: Vec<u64>,
}

impl Gather {
    /// Creates an empty collection with room for `n` points.
    pub(super) fn new(normals: bool, colors: Option<Depth>, n: usize) -> Self {
        let colors = colors.map(|depth| match depth {
            Depth::Byte => Colors::Byte(Vec::with_capacity(n)),
            Depth::Word => Colors::Word(Vec::with_capacity(n)),
            Depth::Real => Colors::Real(Vec::with_capacity(n)),
        });
        Gather {
            points: Vec::with_capacity(n),
            normals: normals.then(|| Vec::with_capacity(n)),
            colors,
            attributes: Vec::new(),
            available: Vec::new(),
            stored: 0,
            not_finite: 0,
            without_normal: 0,
            withheld: 0,
            classes: Vec::new(),
        }
    }

    /// Adds attributes to a collection without points. `available` are the names of all attributes
    /// of the file.
    pub(super) fn take_attributes(
        &mut self,
        mut attributes: Vec<Attribute>,
        available: Vec<String>,
    ) {
        let room = self.points.capacity();
        for attribute in &mut attributes {
            attribute.numbers = Numbers::with_capacity(attribute.numbers.kind(), room);
        }
        (self.attributes, self.available) = (attributes, available);
    }

    /// Creates an empty collection with room for `n` points. It has normals if this one has, colors
    /// of the same depth, and the same attributes.
    pub(super) fn alike(&self, n: usize) -> Self {
        let depth = self.colors.as_ref().map(|colors| match colors {
            Colors::Byte(_) => Depth::Byte,
            Colors::Word(_) => Depth::Word,
            Colors::Real(_) => Depth::Real,
        });
        let mut gather = Gather::new(self.normals.is_some(), depth, n);
        let empty = |a: &Attribute| Attribute::new(a.name.clone(), a.numbers.kind());
        gather.take_attributes(self.attributes.iter().map(empty).collect(), Vec::new());
        gather
    }

    /// Counts the class of a record. Returns false if the point is withheld and the record must not
    /// be added.
    #[inline]
    pub(super) fn classify(&mut self, class: u8, is_withheld: bool) -> bool {
        if is_withheld {
            self.stored += 1;
            self.withheld += 1;
            return false;
        }
        self.classes.resize(256, 0);
        self.classes[usize::from(class)] += 1;
        true
    }

    /// Adds a record. `normal` and `color` are called only if this collection has normals or
    /// colors, respectively. `attribute` returns the number of an attribute by its index.
    #[inline]
    pub(super) fn push(
        &mut self,
        point: [f64; 3],
        normal: impl FnOnce() -> [f64; 3],
        color: impl FnOnce() -> [f64; 3],
        attribute: impl Fn(usize) -> f64,
    ) {
        self.stored += 1;
        if !point.iter().all(|x| x.is_finite()) {
            self.not_finite += 1;
            return;
        }
        self.points.push(point);
        if let Some(normals) = &mut self.normals {
            let unit = unit(normal());
            self.without_normal += u64::from(unit == [0.0; 3]);
            normals.push(unit);
        }
        match &mut self.colors {
            Some(Colors::Byte(colors)) => colors.push(color().map(|c| c as u8)),
            Some(Colors::Word(colors)) => colors.push(color().map(|c| c as u16)),
            Some(Colors::Real(colors)) => colors.push(color().map(|c| c as f32)),
            None => {}
        }
        for (k, column) in self.attributes.iter_mut().enumerate() {
            column.numbers.push(attribute(k));
        }
    }

    /// Appends the points of another collection, which must have normals if this one has, colors of
    /// the same depth, and the same attributes.
    pub(super) fn append(&mut self, mut other: Gather) {
        self.points.append(&mut other.points);
        if let (Some(these), Some(those)) = (&mut self.normals, &mut other.normals) {
            these.append(those);
        }
        match (&mut self.colors, &mut other.colors) {
            (Some(Colors::Byte(a)), Some(Colors::Byte(b))) => a.append(b),
            (Some(Colors::Word(a)), Some(Colors::Word(b))) => a.append(b),
            (Some(Colors::Real(a)), Some(Colors::Real(b))) => a.append(b),
            _ => {}
        }
        for (column, more) in self.attributes.iter_mut().zip(other.attributes) {
            column.numbers.append(more.numbers);
        }
        self.stored += other.stored;
        self.not_finite += other.not_finite;
        self.without_normal += other.without_normal;
        self.withheld += other.withheld;
        self.classes.resize(self.classes.len().max(other.classes.len()), 0);
        self.classes.iter_mut().zip(other.classes).for_each(|(n, more)| *n += more);
    }

    /// Decides whether the numbers collected as colors so far really are colors. Negative numbers,
    /// or rows that are all zero or have length 1, are normals. If all numbers are zero, they are
    /// dropped.
    pub(super) fn decide_colors(&mut self) -> Decided {
        let Some(Colors::Real(rows)) = self.colors.take() else { return Decided::Neither };
        let mut is_zero = true;
        let (mut is_signed, mut are_units) = (false, true);
        for row in &rows {
            is_zero &= *row == [0.0; 3];
            is_signed |= row.iter().any(|c| *c < 0.0);
            let square: f32 = row.iter().map(|c| c * c).sum();
            are_units &= square == 0.0 || (square - 1.0).abs() < 0.02;
        }
        if is_zero {
            return Decided::Neither;
        }
        if !is_signed && !are_units {
            self.colors = Some(Colors::Real(rows));
            return Decided::Colors;
        }
        let normals: Vec<[f32; 3]> = rows.into_iter().map(|row| unit(row.map(f64::from))).collect();
        self.without_normal = normals.iter().filter(|n| **n == [0.0; 3]).count() as u64;
        self.normals = Some(normals);
        Decided::Normals
    }

    /// Returns true if records have colors.
    pub(super) fn has_colors(&self) -> bool {
        self.colors.is_some()
    }

    /// Returns the coordinates collected so far.
    pub(super) fn points(&self) -> &[[f64; 3]] {
        &self.points
    }

    /// Returns the cloud and its report.
    ///
    /// # Errors
    /// Returns a [`Flaw`] if no point is left, or if there are more points than a 32-bit number can
    /// count.
    pub(super) fn finish(
        mut self,
        format: &'static str,
        version: impl Into<String>,
    ) -> Result<(PointCloud, CloudReport), Flaw> {
        let mut report = CloudReport {
            format,
            version: version.into(),
            stored: self.stored,
            not_finite: self.not_finite,
            withheld: self.withheld,
            classes: (0..=u8::MAX)
                .zip(&self.classes)
                .filter(|(_, n)| **n > 0)
                .map(|(c, n)| (c, *n))
                .collect(),
            attributes: std::mem::take(&mut self.available),
            ..CloudReport::default()
        };
        self.judge_normals(&mut report);
        let colors = self.colors.take().map(|colors| {
            let (colors, how) = colors.into_bytes();
            report.colors = Some(how);
            colors
        });
        if self.points.is_empty() {
            let what = match self.stored {
                0 => "the file holds no points".to_string(),
                n if n == self.withheld => {
                    format!("the file holds {n} points, but all of them are marked as withheld")
                }
                n => format!("the file holds {n} points, but none with finite coordinates"),
            };
            return Err(Flaw::whole(what, "export the points again"));
        }
        crate::faces::index_limit(self.points.len() as u64, "points")?;
        let (points, normals, attributes) = (self.points, self.normals, self.attributes);
        if report.classes.is_empty() {
            let class = attributes.iter().find(|attribute| key(&attribute.name) == CLASS);
            report.classes = class.and_then(|class| classes(&class.numbers)).unwrap_or_default();
        }
        let cloud = PointCloud { points, normals, colors, attributes };
        (report.min, report.max) = cloud.bounds();
        Ok((cloud, report))
    }

    /// Drops the points without a normal if at least half of the points have one. Otherwise, drops
    /// all normals.
    fn judge_normals(&mut self, report: &mut CloudReport) {
        let Some(normals) = self.normals.take() else { return };
        let (n, without) = (normals.len() as u64, self.without_normal);
        if 2 * without > n {
            report.warnings.push(format!(
                "normals are ignored: those of {without} of {n} points are zero or not finite"
            ));
            return;
        }
        report.normals = Some(NormalsFrom::File);
        report.without_normal = without;
        if without == 0 {
            self.normals = Some(normals);
            return;
        }
        let kept: Vec<bool> = normals.iter().map(|normal| *normal != [0.0; 3]).collect();
        retain(&mut self.points, &kept);
        self.attributes.iter_mut().for_each(|attribute| attribute.numbers.retain(&kept));
        match &mut self.colors {
            Some(Colors::Byte(colors)) => retain(colors, &kept),
            Some(Colors::Word(colors)) => retain(colors, &kept),
            Some(Colors::Real(colors)) => retain(colors, &kept),
            None => {}
        }
        self.normals = Some(normals.into_iter().filter(|normal| *normal != [0.0; 3]).collect());
    }
}

fn retain<T>(rows: &mut Vec<T>, kept: &[bool]) {
    let mut kept = kept.iter();
    rows.retain(|_| kept.next().is_some_and(|kept| *kept));
}

/// Returns the number of points in each class, or `None` if a number is not an integer from 0 to
/// 255.
fn classes(numbers: &Numbers) -> Option<Vec<(u8, u64)>> {
    let mut counts = [0_u64; 256];
    for i in 0..numbers.len() {
        let class = numbers.get(i);
        if class.fract() != 0.0 || !(0.0..256.0).contains(&class) {
            return None;
        }
        counts[class as usize] += 1;
    }
    Some((0..=u8::MAX).zip(counts).filter(|(_, n)| *n > 0).collect())
}

/// Returns `x` scaled to length 1, or zeros if the length of `x` is at most 1e-12 or not finite.
fn unit(x: [f64; 3]) -> [f32; 3] {
    let length = x.iter().map(|x| x * x).sum::<f64>().sqrt();
    if length.is_finite() && length > 1e-12 { x.map(|x| (x / length) as f32) } else { [0.0; 3] }
}

impl Colors {
    /// Returns red, green and blue from 0 to 255, and a description of how they were stored.
    fn into_bytes(self) -> (Vec<[u8; 3]>, &'static str) {
        match self {
            Colors::Byte(colors) => (colors, "8 bits"),
            Colors::Word(colors) => {
                // Some programs store 8-bit numbers in 16 bits.
                if colors.as_flattened().iter().all(|c| *c <= 255) {
                    let bytes = colors.into_iter().map(|c| c.map(|c| c as u8)).collect();
                    return (bytes, "16 bits, of which 8 are used");
                }
                let byte = |c: u16| ((u32::from(c) + 128) / 257) as u8;
                (colors.into_iter().map(|c| c.map(byte)).collect(), "16 bits")
            }
            Colors::Real(colors) => {
                let most = colors.as_flattened().iter().copied().fold(0.0, f32::max);
                let (factor, how) = match most {
                    m if m <= 1.0 => (255.0, "0 to 1"),
                    m if m <= 255.0 => (1.0, "0 to 255"),
                    _ => (1.0 / 257.0, "0 to 65535"),
                };
                let byte = |c: f32| (c * factor).round() as u8;
                (colors.into_iter().map(|c| c.map(byte)).collect(), how)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_serve_is_counted_and_left_out() {
        let mut all = Gather::new(true, Some(Depth::Word), 0);
        let nan = f64::NAN;
        for (x, normal) in [(0.0, 2.0), (nan, 1.0), (1.0, 0.0), (2.0, -3.0), (3.0, nan), (4.0, 1.0)]
        {
            all.push(
                [x, 0.0, 0.0],
                || [normal, 0.0, 0.0],
                || [x * 257.0 * 40.0, 0.0, 65535.0],
                |_| 0.0,
            );
        }
        let (cloud, report) = all.finish("xyz", "").unwrap();
        assert_eq!(cloud.points.iter().map(|x| x[0]).collect::<Vec<_>>(), [0.0, 2.0, 4.0]);
        assert_eq!(cloud.normals.unwrap()[1], [-1.0, 0.0, 0.0]);
        assert_eq!(cloud.colors.unwrap()[2], [160, 0, 255]);
        assert_eq!((report.stored, report.not_finite, report.without_normal), (6, 1, 2));
        let mut none = Gather::new(true, None, 0);
        (0..3).for_each(|_| none.push([1.0; 3], || [0.0; 3], || [0.0; 3], |_| 0.0));
        let (cloud, report) = none.finish("xyz", "").unwrap();
        assert!(cloud.normals.is_none() && cloud.len() == 3 && report.warnings.len() == 1);
        let error = Gather::new(false, None, 0).finish("xyz", "").unwrap_err();
        assert!(error.to_string().contains("holds no points"));
    }
}
