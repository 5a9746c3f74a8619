//! Writer of MSH 4.1.
//!
//! Elements belong to entities, and entities to physical groups. There is therefore one entity for
//! each set of groups that cells have in common. A block ends where the entity changes from one
//! cell to the next, which keeps the cells in order.

use std::collections::{BTreeMap, HashMap};
use std::io::Write;
use std::path::Path;

use zeroset_core::atomic;
use zeroset_core::error::{Error, Result};
use zeroset_core::mesh::{DataArray, Group, Members, Mesh, Values};

/// The numbers of components per row that Gmsh can read.
const COMPONENTS: [usize; 3] = [1, 3, 9];
/// The Gmsh element types of simplices by dimension.
const TYPES: [i32; 4] = [15, 1, 2, 4];

/// Writes vertices, cells, physical groups and data. Adds notes to `lost` about content that the
/// format cannot hold.
///
/// # Errors
/// Returns [`Error::Output`] if the file cannot be written, or if there are too many vertices or
/// simplices for signed 32-bit tags.
pub(crate) fn write(path: &Path, mesh: &Mesh, ascii: bool, lost: &mut Vec<String>) -> Result<()> {
    let plan = Plan::new(mesh, lost);
    let n = plan.parts.iter().map(Part::len).sum::<usize>().max(mesh.n_vertices());
    if n > i32::MAX as usize {
        let what =
            format!("{n} vertices or elements, but the format has at most {} tags", i32::MAX);
        return Err(Error::output(path, what, "write .vtu instead"));
    }
    let mut fitting = |array: &&DataArray| {
        let fits = COMPONENTS.contains(&array.components);
        if !fits {
            let (name, n) = (&array.name, array.components);
            lost.push(format!(
                "{name} is not written: it has {n} components, and .msh holds 1, 3 or 9"
            ));
        }
        fits
    };
    let vertex_data: Vec<&DataArray> = mesh.vertex_data.iter().filter(&mut fitting).collect();
    let cell_data: Vec<&DataArray> = mesh.cell_data.iter().filter(&mut fitting).collect();
    atomic::write(path, |out| {
        let mut out = Numbers { out, ascii };
        out.text(if ascii { "$MeshFormat\n4.1 0 8\n" } else { "$MeshFormat\n4.1 1 8\n" })?;
        if !ascii {
            out.int(1)?;
            out.end()?;
        }
        out.text("$EndMeshFormat\n")?;
        plan.names(&mut out)?;
        plan.entities(mesh, &mut out)?;
        nodes(mesh, &mut out)?;
        plan.elements(&mut out)?;
        vertex_data.iter().try_for_each(|array| data(array, "NodeData", &mut out))?;
        cell_data.iter().try_for_each(|array| data(array, "ElementData", &mut out))
    })
}

/// A writer of numbers, as text separated by blanks or in binary.
struct Numbers<'a> {
    out: &'a mut dyn Write,
    ascii: bool,
}

impl Numbers<'_> {
    fn text(&mut self, text: &str) -> std::io::Result<()> {
        self.out.write_all(text.as_bytes())
    }

    fn int(&mut self, x: i32) -> std::io::Result<()> {
        if self.ascii { write!(self.out, "{x} ") } else { self.out.write_all(&x.to_le_bytes()) }
    }

    fn size(&mut self, x: usize) -> std::io::Result<()> {
        let x = x as u64;
        if self.ascii { write!(self.out, "{x} ") } else { self.out.write_all(&x.to_le_bytes()) }
    }

    fn real(&mut self, x: f64) -> std::io::Result<()> {
        if self.ascii { write!(self.out, "{x} ") } else { self.out.write_all(&x.to_le_bytes()) }
    }

    /// Ends a line of text. Binary numbers have no lines.
    fn line(&mut self) -> std::io::Result<()> {
        if self.ascii { self.text("\n") } else { Ok(()) }
    }

    /// Ends the binary numbers of a section.
    fn end(&mut self) -> std::io::Result<()> {
        if self.ascii { Ok(()) } else { self.text("\n") }
    }
}

/// An entity: the set of groups that its simplices have in common.
struct Entity {
    /// Numbers of the physical groups to which the entity belongs.
    physical: Vec<i32>,
    /// Coordinates of the entity if it is a point.
    at: Option<[f64; 3]>,
}

/// The simplices of one dimension.
#[derive(Default)]
struct Part {
    dimension: usize,
    corners: Vec<u32>,
    /// The index of the entity of each simplex.
    entity_of: Vec<u32>,
    entities: Vec<Entity>,
}

impl Part {
    fn len(&self) -> usize {
        self.corners.len() / (self.dimension + 1)
    }

    /// Returns the runs of consecutive simplices that belong to the same entity.
    fn runs(&self) -> impl Iterator<Item = &[u32]> {
        self.entity_of.chunk_by(|a, b| a == b)
    }
}

/// The content of a file: first the domain, then the simplices of lower dimension.
struct Plan {
    parts: Vec<Part>,
    /// Dimension, number and name of each group that has members.
    names: Vec<(usize, i32, String)>,
}

impl Plan {
    fn new(mesh: &Mesh, lost: &mut Vec<String>) -> Self {
        let top = mesh.kind.dimension();
        let dimension_of = |group: &Group| match &group.members {
            Members::Cells(_) => top,
            Members::Simplices { dimension, .. } => *dimension,
        };
        let mut names = Vec::new();
        let mut parts = Vec::new();
        for dimension in (0..=top).rev() {
            let groups = mesh.groups.iter().filter(|group| dimension_of(group) == dimension);
            let groups: Vec<(&Group, i32)> = numbered(groups.collect());
            for &(group, number) in &groups {
                let empty = match &group.members {
                    Members::Cells(cells) => cells.is_empty(),
                    Members::Simplices { vertices, .. } => vertices.is_empty(),
                };
                if empty {
                    lost.push(format!("group {} is not written: it has no members", group.name));
                    continue;
                }
                // A quotation mark or a line ending would end the name.
                let plain = |c: char| if c == '"' || c.is_control() { '\'' } else { c };
                let name: String = group.name.chars().map(plain).collect();
                if name != group.name {
                    lost.push(format!("group {:?} is renamed to {name}", group.name));
                }
                names.push((dimension, number, name));
            }
            if dimension == top {
                parts.push(domain(mesh, &groups));
            } else if !groups.is_empty() {
                parts.push(lower(mesh, dimension, &groups));
            }
        }
        Plan { parts, names }
    }

    fn names(&self, out: &mut Numbers) -> std::io::Result<()> {
        if self.names.is_empty() {
            return Ok(());
        }
        out.text(&format!("$PhysicalNames\n{}\n", self.names.len()))?;
        for (dimension, number, name) in &self.names {
            out.text(&format!("{dimension} {number} \"{name}\"\n"))?;
        }
        out.text("$EndPhysicalNames\n")
    }

    fn entities(&self, mesh: &Mesh, out: &mut Numbers) -> std::io::Result<()> {
        let (low, high) = mesh.bounds();
        let of = |d: usize| self.parts.iter().filter(move |part| part.dimension == d);
        out.text("$Entities\n")?;
        for dimension in 0..4 {
            out.size(of(dimension).map(|part| part.entities.len()).sum())?;
        }
        out.line()?;
        for part in (0..4).flat_map(of) {
            for (k, entity) in part.entities.iter().enumerate() {
                out.int(k as i32 + 1)?;
                match entity.at {
                    Some(x) => x.iter().try_for_each(|&x| out.real(x))?,
                    None => low.iter().chain(&high).try_for_each(|&x| out.real(x))?,
                }
                out.size(entity.physical.len())?;
                entity.physical.iter().try_for_each(|&number| out.int(number))?;
                if part.dimension > 0 {
                    // The bounding entities are unknown.
                    out.size(0)?;
                }
                out.line()?;
            }
        }
        out.end()?;
        out.text("$EndEntities\n")
    }

    fn elements(&self, out: &mut Numbers) -> std::io::Result<()> {
        let n: usize = self.parts.iter().map(Part::len).sum();
        out.text("$Elements\n")?;
        out.size(self.parts.iter().map(|part| part.runs().count()).sum())?;
        for count in [n, 1, n] {
            out.size(count)?;
        }
        out.line()?;
        let mut tag = 0;
        for part in &self.parts {
            let mut simplices = part.corners.chunks_exact(part.dimension + 1);
            for run in part.runs() {
                let entity = run.first().map_or(0, |&k| k as i32) + 1;
                for number in [part.dimension as i32, entity, TYPES[part.dimension]] {
                    out.int(number)?;
                }
                out.size(run.len())?;
                out.line()?;
                for simplex in simplices.by_ref().take(run.len()) {
                    tag += 1;
                    out.size(tag)?;
                    simplex.iter().try_for_each(|&v| out.size(v as usize + 1))?;
                    out.line()?;
                }
            }
        }
        out.end()?;
        out.text("$EndElements\n")
    }
}

/// Assigns numbers to groups. A group whose name is a positive integer gets that number, and the
/// others get the smallest unused numbers.
fn numbered(groups: Vec<&Group>) -> Vec<(&Group, i32)> {
    let own = |group: &Group| group.name.parse::<i32>().ok().filter(|&n| n > 0);
    let taken: std::collections::BTreeSet<i32> = groups.iter().filter_map(|g| own(g)).collect();
    let mut next = 0;
    let number = |group| {
        let free = || {
            next += 1;
            while taken.contains(&next) {
                next += 1;
            }
            next
        };
        (group, own(group).unwrap_or_else(free))
    };
    groups.into_iter().map(number).collect()
}

/// Sets of group numbers, which are built by adding one group at a time.
#[derive(Default)]
struct Sets {
    sets: Vec<Vec<i32>>,
    next: HashMap<(u32, i32), u32>,
}

impl Sets {
    fn new() -> Self {
        Sets { sets: vec![Vec::new()], next: HashMap::new() }
    }

    /// Returns the index of the union of the set with index `set` and the group `number`.
    fn with(&mut self, set: u32, number: i32) -> u32 {
        if self.sets[set as usize].contains(&number) {
            return set;
        }
        *self.next.entry((set, number)).or_insert_with(|| {
            let mut larger = self.sets[set as usize].clone();
            larger.push(number);
            self.sets.push(larger);
            self.sets.len() as u32 - 1
        })
    }

    /// Returns an entity for each set in use, and the index of the entity of each simplex.
    fn into_entities(self, set_of: &[u32]) -> (Vec<Entity>, Vec<u32>) {
        let mut number = BTreeMap::new();
        let mut entities = Vec::new();
        let entity_of = set_of.iter().map(|&set| {
            *number.entry(set).or_insert_with(|| {
                entities.push(Entity { physical: self.sets[set as usize].clone(), at: None });
                entities.len() as u32 - 1
            })
        });
        let entity_of = entity_of.collect();
        (entities, entity_of)
    }
}

fn domain(mesh: &Mesh, groups: &[(&Group, i32)]) -> Part {
    let mut sets = Sets::new();
    let mut set_of = vec![0; mesh.n_cells()];
    for (group, number) in groups {
        let Members::Cells(cells) = &group.members else { continue };
        for &cell in cells {
            if let Some(set) = set_of.get_mut(cell as usize) {
                *set = sets.with(*set, *number);
            }
        }
    }
    let (entities, entity_of) = sets.into_entities(&set_of);
    let dimension = mesh.kind.dimension();
    Part { dimension, corners: mesh.cells.clone(), entity_of, entities }
}

/// Returns the simplices of the given dimension, which is lower than the dimension of the domain.
/// Each occurs once, even if it belongs to several groups.
fn lower(mesh: &Mesh, dimension: usize, groups: &[(&Group, i32)]) -> Part {
    let arity = dimension + 1;
    let (mut sets, mut set_of) = (Sets::new(), Vec::new());
    let mut corners: Vec<u32> = Vec::new();
    let mut known: HashMap<[u32; 3], usize> = HashMap::new();
    for (group, number) in groups {
        let Members::Simplices { vertices, .. } = &group.members else { continue };
        for simplex in vertices.chunks_exact(arity) {
            let mut key = [u32::MAX; 3];
            key.iter_mut().zip(simplex).for_each(|(key, &v)| *key = v);
            key.sort_unstable();
            let k = *known.entry(key).or_insert(set_of.len());
            if k == set_of.len() {
                set_of.push(0);
                corners.extend(simplex);
            }
            set_of[k] = sets.with(set_of[k], *number);
        }
    }
    let (entities, entity_of) = if dimension == 0 {
        // Every point is a separate entity.
        let at = |v: &u32| mesh.vertices.get(*v as usize).copied().unwrap_or_default();
        let entity = |(v, &set): (&u32, &u32)| Entity {
            physical: sets.sets[set as usize].clone(),
            at: Some(at(v)),
        };
        let entities: Vec<Entity> = corners.iter().zip(&set_of).map(entity).collect();
        let n = entities.len() as u32;
        (entities, (0..n).collect())
    } else {
        sets.into_entities(&set_of)
    };
    Part { dimension, corners, entity_of, entities }
}

fn nodes(mesh: &Mesh, out: &mut Numbers) -> std::io::Result<()> {
    let n = mesh.n_vertices();
    out.text("$Nodes\n")?;
    for count in [1, n, 1, n] {
        out.size(count)?;
    }
    out.line()?;
    // All nodes belong to the first entity of the domain and have no parameters.
    for number in [mesh.kind.dimension() as i32, 1, 0] {
        out.int(number)?;
    }
    out.size(n)?;
    out.line()?;
    for tag in 1..=n {
        out.size(tag)?;
        out.line()?;
    }
    for x in &mesh.vertices {
        x.iter().try_for_each(|&x| out.real(x))?;
        out.line()?;
    }
    out.end()?;
    out.text("$EndNodes\n")
}

/// Writes one array. The tags of cells and of nodes are 1, 2, ...
fn data(array: &DataArray, section: &str, out: &mut Numbers) -> std::io::Result<()> {
    let plain = |c: char| if c == '"' || c.is_control() { '\'' } else { c };
    let name: String = array.name.chars().map(plain).collect();
    let (components, n) = (array.components, array.rows());
    out.text(&format!("${section}\n1\n\"{name}\"\n1\n0\n3\n0\n{components}\n{n}\n"))?;
    for row in 0..n {
        out.int(row as i32 + 1)?;
        for k in row * components..(row + 1) * components {
            out.real(match &array.values {
                Values::Float(v) => v[k],
                Values::Int(v) => v[k] as f64,
            })?;
        }
        out.line()?;
    }
    out.end()?;
    out.text(&format!("$End{section}\n"))
}
