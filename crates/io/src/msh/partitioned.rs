//! Reader of `$PartitionedEntities` of MSH 4.0 and 4.1: the entities of a mesh that is split into
//! partitions. Elements refer to these entities instead of the geometrical ones.

use super::source::Source;
use super::v4::{Entities, MOST_GROUPS, Minor, too_many_groups};
use zeroset_core::error::{Flaw, Result};

/// Adds the physical groups of the partition entities to `entities`. A partition entity without
/// groups inherits those of its parent, the geometrical entity of the same dimension of which it is
/// a part.
pub(super) fn entities(
    source: &mut Source,
    minor: Minor,
    entities: &mut Entities,
) -> Result<(), Flaw> {
    source.size("number of partitions")?;
    let n = source.size("number of ghost entities")?;
    for _ in 0..source.promised(n, 2, 8, "ghost entities")? {
        source.int("tag of a ghost entity")?;
        source.int("partition of a ghost entity")?;
    }
    let mut counts = [0; 4];
    for count in &mut counts {
        *count = source.size("number of entities")?;
    }
    for (dimension, count) in (0..).zip(counts) {
        for _ in 0..source.promised(count, 7, 40, "entities")? {
            let (tag, groups) = entity(source, minor, dimension, entities)?;
            entities.insert((dimension, tag), groups);
        }
    }
    source.end_section("PartitionedEntities")
}

/// Reads an entity and returns its tag and its groups.
fn entity(
    source: &mut Source,
    minor: Minor,
    dimension: i64,
    entities: &Entities,
) -> Result<(i64, Vec<i64>), Flaw> {
    let tag = source.int("entity tag")?;
    let parent = (source.int("dimension of a parent")?, source.int("tag of a parent")?);
    list(source, "partitions")?;
    // Points have a position in 4.1, and bounds in 4.0.
    let is_position = dimension == 0 && minor == Minor::V41;
    source.skip_reals(if is_position { 3 } else { 6 }, "bounds of an entity")?;
    let mut groups = list(source, "physical groups")?;
    if groups.len() > MOST_GROUPS {
        return Err(too_many_groups(source, tag, groups.len()));
    }
    if dimension > 0 {
        list(source, "bounding entities")?;
    }
    if groups.is_empty() && parent.0 == dimension {
        groups = entities.get(&parent).cloned().unwrap_or_default();
    }
    Ok((tag, groups))
}

/// Reads a count and that many numbers.
fn list(source: &mut Source, what: &str) -> Result<Vec<i64>, Flaw> {
    let n = source.size(format_args!("number of {what}"))?;
    let n = source.promised(n, 1, 4, what)?;
    (0..n).map(|_| source.int(what)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::read;
    use zeroset_core::mesh::Members;

    /// Returns a file with a square in two partitions. One side of the square belongs to the group
    /// `rim`. The second half of this side has no group of its own.
    fn square(version: &str, point: &str) -> String {
        let box_ = "0 0 0 1 1 0";
        let (node_counts, element_counts) = match version {
            "4.1" => ("1 5 1 5", "4 4 1 4"),
            _ => ("1 5", "4 4"),
        };
        let block = |tag: u32, dimension: u32, last: &str| match version {
            "4.1" => format!("{dimension} {tag} {last}"),
            _ => format!("{tag} {dimension} {last}"),
        };
        let points = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0], [0.5, 0.0]];
        let nodes: String = match version {
            "4.1" => {
                let tags: String = (1..=5).map(|k| format!("{k}\n")).collect();
                tags + &points.map(|[x, y]| format!("{x} {y} 0\n")).concat()
            }
            _ => (1..).zip(points).map(|(k, [x, y])| format!("{k} {x} {y} 0\n")).collect(),
        };
        format!(
            "$MeshFormat\n{version} 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n1 7 \"rim\"\n\
             $EndPhysicalNames\n$Entities\n0 1 1 0\n1 {box_} 1 7 0\n1 {box_} 0 0\n$EndEntities\n\
             $PartitionedEntities\n2\n1\n9 1\n1 2 2 0\n\
             5 0 1 2 1 2 {point} 0\n\
             2 1 1 1 1 {box_} 1 7 0\n3 1 1 1 2 {box_} 0 1 5\n\
             2 2 1 1 1 {box_} 0 0\n3 2 1 1 2 {box_} 0 0\n$EndPartitionedEntities\n\
             $Nodes\n{node_counts}\n{}\n{nodes}$EndNodes\n$Elements\n{element_counts}\n\
             {}\n1 1 5\n{}\n2 5 2\n{}\n3 1 5 4\n{}\n4 5 2 3\n$EndElements\n",
            block(2, 2, "0 5"),
            block(2, 1, "1 1"),
            block(3, 1, "1 1"),
            block(2, 2, "2 1"),
            block(3, 2, "2 1"),
        )
    }

    #[test]
    fn groups_of_partitions_and_of_their_parents_are_found() {
        for text in [square("4.1", "0.5 0 0"), square("4.0", "0.5 0 0 0.5 0 0")] {
            let file = read(text.as_bytes()).unwrap_or_else(|flaw| panic!("{flaw}: {text}"));
            let expected = Members::Simplices { dimension: 1, vertices: vec![0, 4, 4, 1] };
            assert_eq!(file.mesh.group("rim").map(|group| &group.members), Some(&expected));
            assert!(file.warnings.is_empty(), "{:?}", file.warnings);
        }
    }

    #[test]
    fn damaged_sections_are_refused_at_their_line() {
        let text = square("4.1", "0.5 0 0");
        for (from, to, found) in [
            ("1 2 2 0\n5 0", "1 2 99999999 0\n5 0", "99999999 entities"),
            ("\n1\n9 1\n", "\n888888\n9 1\n", "888888 ghost entities"),
            ("5 0 1 2 1 2", "5 0 1 77777 1 2", "77777 partitions"),
        ] {
            let message = read(text.replace(from, to).as_bytes()).unwrap_err().to_string();
            assert!(message.starts_with("line ") && message.contains(found), "{message}");
        }
    }
}
