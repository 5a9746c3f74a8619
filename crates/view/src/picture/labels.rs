//! Labels: whole numbers and names of regions, drawn in distinct colors with a legend.

use std::collections::{BTreeMap, BTreeSet};

use super::palette::palette;
use zeroset_core::mesh::{Group, Members, Mesh, Places, Values};

/// The index that marks a vertex or cell without a label.
pub const NO_LABEL: u32 = u32::MAX;

/// The largest number of different whole numbers that count as labels even if they have no names.
const FEW: usize = 64;

/// The largest number of different numbers in an array that holds labels.
const MOST: usize = 4096;

/// The label name in GIFTI files that stands for no label.
const NO_NAME: &str = "???";

/// Parts of array names that indicate labels.
const HINTS: [&str; 13] = [
    "label", "region", "parcel", "aparc", "annot", "atlas", "material", "tag", "segment", "zone",
    "entity", "physical", "group",
];

/// A label: one region of a mesh.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The name, or the number as text.
    pub name: String,
    /// The color in sRGB.
    pub color: [u8; 3],
}

/// The labels of the vertices or cells of a mesh.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Labels {
    /// The places that have labels.
    pub places: Places,
    /// The index of the label of each place, or [`NO_LABEL`], `[n_vertices]` or `[n_cells]`.
    pub of: Vec<u32>,
    /// The labels in ascending order of their numbers.
    pub labels: Vec<Label>,
}

impl Labels {
    /// Creates labels from the label number of each place, `[n_vertices]` or `[n_cells]`, which is
    /// `None` at places without a label. `name` returns the name of a number, or `None` if the
    /// number means that there is no label.
    pub fn new(
        places: Places,
        numbers: &[Option<i64>],
        name: impl Fn(i64) -> Option<String>,
    ) -> Self {
        let used: BTreeSet<i64> = numbers.iter().copied().flatten().collect();
        let named: Vec<(i64, String)> =
            used.into_iter().filter_map(|number| Some((number, name(number)?))).collect();
        let index = |number: i64| named.binary_search_by_key(&number, |label| label.0).ok();
        let of = numbers.iter().map(|number| number.and_then(index).map_or(NO_LABEL, |k| k as u32));
        let of = of.collect();
        let colors = palette(named.len());
        let labels = named.into_iter().zip(colors);
        let labels = labels.map(|((_, name), color)| Label { name, color }).collect();
        Labels { places, of, labels }
    }

    /// Returns the labels that an array or group of a mesh holds, or `None` if there is no such
    /// array or group, or if its numbers are not labels.
    ///
    /// The following hold labels: groups; arrays in which the places with some number are exactly
    /// the members of a group, as with a GIFTI label table; arrays of integers with few different
    /// values; and arrays of whole numbers whose name suggests labels, such as `region`.
    pub fn of_array(mesh: &Mesh, name: &str) -> Option<Self> {
        let arrays = [(Places::Vertices, &mesh.vertex_data), (Places::Cells, &mesh.cell_data)];
        let found = arrays.into_iter().find_map(|(places, arrays)| {
            let array = arrays.iter().find(|array| array.name == name)?;
            (array.components == 1).then_some((places, &array.values))
        });
        let group = mesh.group(name);
        let Some((places, values)) = found else {
            return group.map(|group| Labels::of_group(mesh, group));
        };
        let numbers = whole(values)?;
        let used = used(&numbers)?;
        // The numbers of a FreeSurfer label without statistics are all the same.
        if let (Some(group), 1) = (group, used.len()) {
            return Some(Labels::of_group(mesh, group));
        }
        let names = names(mesh, places, &numbers);
        let is_integer = matches!(values, Values::Int(_));
        let is_announced = HINTS.iter().any(|hint| name.to_ascii_lowercase().contains(hint));
        if names.is_empty() && !is_announced && !(is_integer && used.len() <= FEW) {
            return None;
        }
        // In the labels of distances, -1 marks vertices that no front reaches.
        let is_none = |number: i64| number == -1 && name == "label";
        Some(Labels::new(places, &numbers, |number| match names.get(&number) {
            Some(name) => Some(name.clone()).filter(|name| name != NO_NAME),
            None => (!is_none(number)).then(|| number.to_string()),
        }))
    }

    /// Returns labels in which all members of a group have the name of the group as their label.
    fn of_group(mesh: &Mesh, group: &Group) -> Self {
        let (places, n, members) = match &group.members {
            Members::Cells(cells) => (Places::Cells, mesh.n_cells(), cells),
            Members::Simplices { vertices, .. } => (Places::Vertices, mesh.n_vertices(), vertices),
        };
        let mut numbers = vec![None; n];
        members.iter().for_each(|&k| numbers[k as usize] = Some(0));
        Labels::new(places, &numbers, |_| Some(group.name.clone()))
    }

    /// Returns true if some vertex or cell has no label.
    pub(super) fn has_gaps(&self) -> bool {
        self.of.contains(&NO_LABEL)
    }

    /// Returns the labels of the corners of a cell of the mesh or of one of its faces.
    pub(super) fn at(&self, corners: [u32; 3], cell: usize) -> [u32; 3] {
        match self.places {
            Places::Vertices => corners.map(|v| self.of[v as usize]),
            Places::Cells => [self.of[cell]; 3],
        }
    }
}

/// Converts values to whole numbers, and NaN to `None`. Returns `None` if any other value is not a
/// whole number, or is a float of 1e15 or more in absolute value.
fn whole(values: &Values) -> Option<Vec<Option<i64>>> {
    let of_float = |&x: &f64| match x.is_nan() {
        true => Some(None),
        false => (x.fract() == 0.0 && x.abs() < 1e15).then_some(Some(x as i64)),
    };
    match values {
        Values::Int(values) => Some(values.iter().map(|&x| Some(x)).collect()),
        Values::Float(values) => values.iter().map(of_float).collect(),
    }
}

/// Returns the different numbers, or `None` if there are none or too many.
fn used(numbers: &[Option<i64>]) -> Option<BTreeSet<i64>> {
    let mut used = BTreeSet::new();
    for &number in numbers.iter().flatten() {
        used.insert(number);
        if used.len() > MOST {
            return None;
        }
    }
    (!used.is_empty()).then_some(used)
}

/// Returns the names of numbers: a group names a number if its members are the places with that
/// number.
fn names(mesh: &Mesh, places: Places, numbers: &[Option<i64>]) -> BTreeMap<i64, String> {
    let mut counts: BTreeMap<i64, usize> = BTreeMap::new();
    numbers.iter().flatten().for_each(|&number| *counts.entry(number).or_default() += 1);
    let mut names = BTreeMap::new();
    for group in &mesh.groups {
        let members = match (&group.members, places) {
            (Members::Cells(cells), Places::Cells) => cells,
            (Members::Simplices { dimension: 0, vertices }, Places::Vertices) => vertices,
            _ => continue,
        };
        let number = |&k: &u32| numbers.get(k as usize).copied().flatten();
        let Some(first) = members.first().and_then(number) else { continue };
        let is_whole = counts.get(&first) == Some(&members.len());
        if is_whole && members.iter().all(|k| number(k) == Some(first)) {
            names.entry(first).or_insert_with(|| group.name.clone());
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use zeroset_core::mesh::{DataArray, Kind};

    fn mesh(name: &str, values: Values) -> Mesh {
        let vertices = vec![[0.0; 3], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
        let mut mesh = Mesh::new(Kind::Planar, vertices, vec![0, 1, 2, 0, 2, 3]);
        let array = DataArray { name: name.into(), components: 1, values };
        match array.rows() {
            4 => mesh.vertex_data.push(array),
            _ => mesh.cell_data.push(array),
        }
        mesh
    }

    fn group(name: &str, members: Members) -> Group {
        Group { name: name.into(), members }
    }

    fn names(labels: &Labels) -> Vec<&str> {
        labels.labels.iter().map(|label| label.name.as_str()).collect()
    }

    #[test]
    fn integers_are_labels_and_measurements_are_not() {
        let labels = Labels::of_array(&mesh("n", Values::Int(vec![7, 3, 7, -2])), "n").unwrap();
        assert_eq!((names(&labels), labels.of.clone()), (vec!["-2", "3", "7"], vec![2, 1, 2, 0]));
        let labels = Labels::of_array(&mesh("material", Values::Int(vec![5, 9])), "material");
        assert_eq!(labels.unwrap().places, Places::Cells);
        let whole = || Values::Float(vec![1.0, f64::NAN, 2.0, 1.0]);
        assert!(Labels::of_array(&mesh("height", whole()), "height").is_none());
        let labels = Labels::of_array(&mesh("RegionId", whole()), "RegionId").unwrap();
        assert_eq!(labels.of, [0, NO_LABEL, 1, 0]);
        let broken = Values::Float(vec![1.0, 1.5, 2.0, 1.0]);
        assert!(Labels::of_array(&mesh("RegionId", broken), "RegionId").is_none());
        assert!(Labels::of_array(&mesh("n", Values::Int(vec![1; 4])), "m").is_none());
    }

    #[test]
    fn groups_name_the_numbers() {
        let mut of_table = mesh("parc", Values::Int(vec![0, 4, 4, 9]));
        let points = |vertices| Members::Simplices { dimension: 0, vertices };
        of_table.groups = vec![
            group("???", points(vec![0])),
            group("insula", points(vec![1, 2])),
            group("part of it", points(vec![2])),
        ];
        let labels = Labels::of_array(&of_table, "parc").unwrap();
        assert_eq!(names(&labels), ["insula", "9"]);
        assert_eq!(labels.of, [NO_LABEL, 0, 0, 1]);
        assert!(labels.has_gaps());
        let labels = Labels::of_array(&of_table, "part of it").unwrap();
        assert_eq!(labels.of, [NO_LABEL, NO_LABEL, 0, NO_LABEL]);
        assert_eq!(names(&labels), ["part of it"]);
    }

    #[test]
    fn many_integers_without_names_are_numbers() {
        let n = 100;
        let vertices = (0..n).map(|k| [f64::from(k), f64::from(k * k), 0.0]).collect();
        let mut mesh = Mesh::new(Kind::Planar, vertices, vec![0, 1, 2]);
        let values = Values::Int((0..i64::from(n)).collect());
        for name in ["count", "parcel"] {
            let values = values.clone();
            mesh.vertex_data.push(DataArray { name: name.into(), components: 1, values });
        }
        assert!(Labels::of_array(&mesh, "count").is_none());
        assert_eq!(Labels::of_array(&mesh, "parcel").unwrap().labels.len(), 100);
    }

    #[test]
    fn numbers_of_no_source_are_no_label_of_a_distance() {
        let labels = Labels::of_array(&mesh("label", Values::Int(vec![-1, 0, 1, 1])), "label");
        assert_eq!(labels.unwrap().of, [NO_LABEL, 0, 1, 1]);
    }
}
