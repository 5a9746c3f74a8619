//! Joining of several point clouds.

use super::{Attribute, PointCloud};

impl PointCloud {
    /// Appends the points of another cloud. Normals, colors and attributes are kept if both clouds
    /// have them. Returns the names of the data that are dropped because one of the clouds lacks
    /// them.
    pub fn append(&mut self, mut other: PointCloud) -> Vec<String> {
        let mut dropped = Vec::new();
        self.points.append(&mut other.points);
        join(&mut self.normals, other.normals, "normals", &mut dropped);
        join(&mut self.colors, other.colors, "colors", &mut dropped);
        for mut own in std::mem::take(&mut self.attributes) {
            let exact = other.attributes.iter().position(|a| a.name == own.name);
            let found = exact.or_else(|| other.attributes.iter().position(|a| a.is(&own.name)));
            match found {
                Some(k) => {
                    own.numbers.append(other.attributes.remove(k).numbers);
                    self.attributes.push(own);
                }
                None => dropped.push(own.name),
            }
        }
        dropped.extend(other.attributes.into_iter().map(|Attribute { name, .. }| name));
        dropped
    }
}

fn join<T>(own: &mut Option<Vec<T>>, other: Option<Vec<T>>, name: &str, dropped: &mut Vec<String>) {
    match (own.as_mut(), other) {
        (Some(own), Some(mut other)) => own.append(&mut other),
        (None, None) => {}
        _ => {
            *own = None;
            dropped.push(name.to_string());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Numbers;
    use super::*;

    #[test]
    fn clouds_keep_what_both_have() {
        let attribute =
            |name: &str, x: u8| Attribute { name: name.into(), numbers: Numbers::U8(vec![x]) };
        let mut a = PointCloud::new(vec![[1.0; 3]]);
        a.colors = Some(vec![[1, 2, 3]]);
        a.attributes = vec![attribute("intensity", 1), attribute("a", 2)];
        let mut b = PointCloud::new(vec![[2.0; 3]]);
        b.colors = Some(vec![[4, 5, 6]]);
        b.normals = Some(vec![[0.0, 0.0, 1.0]]);
        b.attributes = vec![attribute("b", 3), attribute("scalar_Intensity", 4)];
        let dropped = a.append(b);
        assert_eq!(dropped, ["normals", "a", "b"]);
        assert_eq!((a.len(), a.normals.is_none()), (2, true));
        assert_eq!(a.colors, Some(vec![[1, 2, 3], [4, 5, 6]]));
        assert_eq!(a.attributes[0].numbers, Numbers::U8(vec![1, 4]));
        assert!(a.attributes.len() == 1 && a.check().is_ok());
    }
}
