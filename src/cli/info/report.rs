//! The facts that `zeroset info` reports. The fields are the JSON keys, in this order.

use std::collections::BTreeMap;

use serde::Serialize;

use super::arrays::{ArrayFacts, GroupFacts, On};
use super::cloud::CloudFacts;
use super::voxels::VolumeFacts;
use crate::io::{CloudReport, FileFrame, MeshFile, VolumeFile};
use crate::levelset::eikonal::{Front, skinny};
use crate::mesh::repair::{Repair, Repairs, Thinness, Weld, repair};
use crate::mesh::statistics::inspect;
use crate::mesh::{Cleaning, DataArray, Group, Kind, Mesh, assess};

/// The version of the JSON format. It increases when a key changes its meaning, not for new keys.
const SCHEMA_VERSION: u32 = 1;

/// Facts about a file as stored. All facts about a mesh are `null` or empty for a file without a
/// mesh.
#[derive(Serialize)]
pub(super) struct Report {
    pub schema_version: u32,
    pub format: Option<String>,
    pub version: Option<String>,
    /// The dimension of the cells, 2 or 3; 0 for points.
    pub dimension: Option<usize>,
    /// The kind of mesh; `null` for points.
    pub kind: Option<Kind>,
    pub vertices: Option<usize>,
    pub cells: Option<usize>,
    pub cells_by_type: BTreeMap<String, usize>,
    pub bounds: Option<Bounds>,
    pub units: Option<String>,
    pub space: Option<String>,
    /// Time of the described state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<f64>,
    /// Times of all states of a series.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub times: Vec<f64>,
    /// Frame of the coordinates of a cortical surface.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frame: Option<FileFrame>,
    /// Metadata of a GIFTI surface, or the volume geometry of a FreeSurfer surface.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub metadata: BTreeMap<String, String>,
    pub components: Option<usize>,
    pub euler: Option<i64>,
    pub boundary: Option<usize>,
    pub nonmanifold: Option<usize>,
    pub inconsistent: Option<usize>,
    pub degenerate: Option<usize>,
    pub duplicate: Option<usize>,
    pub inverted: Option<usize>,
    pub unreferenced: Option<usize>,
    /// The number of vertices at exactly the position of an earlier vertex.
    pub coincident: Option<usize>,
    pub obtuse_share: Option<f64>,
    pub quality_min: Option<f64>,
    pub worst_cell: Option<usize>,
    pub max_valence: Option<usize>,
    pub edge_min: Option<f64>,
    pub edge_mean: Option<f64>,
    pub edge_max: Option<f64>,
    pub groups: Vec<GroupFacts>,
    pub arrays: Vec<ArrayFacts>,
    pub cleaning: Option<Verdict>,
    /// `null` except for volumes and pictures.
    pub volume: Option<VolumeFacts>,
    /// `null` except for points without cells.
    pub cloud: Option<CloudFacts>,
}

/// Smallest and largest coordinates of all stored vertices or voxel centers.
#[derive(Serialize)]
pub(super) struct Bounds {
    pub min: [f64; 3],
    pub max: [f64; 3],
}

/// How a solver would treat the mesh.
#[derive(Serialize)]
pub(super) struct Verdict {
    /// The reason why a solver would reject the mesh; `null` if it would accept it.
    pub refused: Option<String>,
    /// Cells and vertices that would be dropped or changed before a solver starts; absent if the
    /// mesh is rejected.
    #[serde(flatten)]
    pub cleaning: Option<Cleaning>,
    /// The repairs made before the cleaning; `null` if the mesh is rejected.
    pub repair: Option<Repair>,
    /// Warnings about the mesh after its repair, one sentence each.
    pub doubts: Vec<String>,
}

impl Verdict {
    /// Assesses a mesh as a solver with the default repairs would.
    fn of(mesh: &Mesh) -> Self {
        let repairs = Repairs { weld: Weld::Auto, degenerate: Some(Thinness::Thin) };
        // Vertex arrays do not influence repairs, and a copy of them takes memory.
        let mut copy = Mesh::new(mesh.kind, mesh.vertices.clone(), mesh.cells.clone());
        copy.groups.clone_from(&mesh.groups);
        copy.cell_data.clone_from(&mesh.cell_data);
        let judged = repair(copy, repairs).and_then(|(mesh, repair)| {
            let mut cleaning = assess(&mesh)?;
            cleaning.unreferenced -= repair.n_replaced();
            Ok((repair, cleaning, skinny::doubt(&mesh, Front::Circular)))
        });
        match judged {
            Ok((repair, cleaning, skinny)) => Verdict {
                refused: None,
                cleaning: Some(cleaning),
                doubts: repair.doubts().into_iter().chain(skinny).collect(),
                repair: Some(repair),
            },
            Err(error) => {
                let reason = error.to_string();
                let reason = reason.strip_prefix("mesh: ").unwrap_or(&reason);
                let refused = Some(reason.to_string());
                Verdict { refused, cleaning: None, repair: None, doubts: Vec::new() }
            }
        }
    }
}

impl Report {
    /// Collects the facts about a mesh file.
    pub fn of_mesh(file: &MeshFile) -> Self {
        let mesh = &file.mesh;
        let s = inspect(mesh);
        let has_cells = mesh.n_cells() > 0;
        let (min, max) = mesh.bounds();
        let vertex_arrays = mesh.vertex_data.iter().map(|array| ArrayFacts::of(array, On::Vertex));
        let cell_arrays = mesh.cell_data.iter().map(|array| ArrayFacts::of(array, On::Cell));
        Report {
            schema_version: SCHEMA_VERSION,
            format: Some(file.format.to_string()),
            version: Some(file.version.clone()),
            dimension: Some(if has_cells { mesh.kind.dimension() } else { 0 }),
            kind: has_cells.then_some(mesh.kind),
            vertices: Some(mesh.n_vertices()),
            cells: Some(mesh.n_cells()),
            cells_by_type: file.cells_by_type.clone(),
            bounds: Some(Bounds { min, max }),
            units: file.units.clone(),
            time: file.about.state.time,
            times: file.about.state.series.clone(),
            space: file.space.clone(),
            frame: Some(file.about.frame.clone()).filter(|frame| *frame != FileFrame::default()),
            metadata: file
                .about
                .kept_of_points()
                .chain(file.about.kept_of_file())
                .cloned()
                .collect(),
            components: Some(s.components),
            euler: Some(s.euler),
            boundary: Some(s.boundary),
            nonmanifold: Some(s.nonmanifold),
            inconsistent: Some(s.inconsistent),
            degenerate: Some(s.degenerate),
            duplicate: Some(s.duplicate),
            inverted: Some(s.inverted),
            unreferenced: Some(s.unreferenced),
            coincident: Some(s.duplicate_points),
            obtuse_share: s.obtuse_share,
            quality_min: s.quality_min,
            worst_cell: s.worst_cell,
            max_valence: Some(s.max_valence),
            edge_min: s.edge_min,
            edge_mean: s.edge_mean,
            edge_max: s.edge_max,
            groups: mesh.groups.iter().map(|group| GroupFacts::of(group, mesh.kind)).collect(),
            arrays: vertex_arrays.chain(cell_arrays).collect(),
            cleaning: Some(Verdict::of(mesh)),
            volume: None,
            cloud: None,
        }
    }

    /// Collects the facts about the arrays and labels of a file without a mesh.
    pub fn of_data(arrays: &[DataArray], groups: &[Group]) -> Self {
        Report {
            schema_version: SCHEMA_VERSION,
            format: None,
            version: None,
            dimension: None,
            kind: None,
            vertices: None,
            cells: None,
            cells_by_type: BTreeMap::new(),
            bounds: None,
            units: None,
            time: None,
            times: Vec::new(),
            space: None,
            frame: None,
            metadata: BTreeMap::new(),
            components: None,
            euler: None,
            boundary: None,
            nonmanifold: None,
            inconsistent: None,
            degenerate: None,
            duplicate: None,
            inverted: None,
            unreferenced: None,
            coincident: None,
            obtuse_share: None,
            quality_min: None,
            worst_cell: None,
            max_valence: None,
            edge_min: None,
            edge_mean: None,
            edge_max: None,
            groups: groups.iter().map(|group| GroupFacts::of(group, Kind::Surface)).collect(),
            arrays: arrays.iter().map(|array| ArrayFacts::of(array, On::Row)).collect(),
            cleaning: None,
            volume: None,
            cloud: None,
        }
    }

    /// Collects the facts about points that are not a valid mesh because some are not finite.
    pub fn of_cloud(report: &CloudReport, facts: CloudFacts) -> Self {
        Report {
            format: Some(report.format.to_string()),
            version: Some(report.version.clone()),
            dimension: Some(0),
            vertices: Some(facts.points),
            bounds: Some(Bounds { min: report.min, max: report.max }),
            units: report.units.clone(),
            time: None,
            times: Vec::new(),
            cloud: Some(facts),
            ..Report::of_data(&[], &[])
        }
    }

    /// Collects the facts about a volume.
    pub fn of_volume(file: &VolumeFile) -> Self {
        let (min, max) = file.volume.bounds();
        Report {
            format: Some(file.format.to_string()),
            version: Some(file.version.clone()),
            bounds: Some(Bounds { min, max }),
            units: file.volume.units.clone(),
            time: file.state.time,
            times: file.state.series.clone(),
            space: file.space.clone(),
            volume: Some(VolumeFacts::of(&file.volume)),
            ..Report::of_data(&[], &[])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::{Members, Mesh, Values};

    /// Returns a square made of two triangles, and a duplicate triangle, with groups and arrays.
    fn square() -> MeshFile {
        let vertices = vec![[0., 0., 0.], [1., 0., 0.], [1., 1., 0.], [0., 1., 0.]];
        let mut mesh = Mesh::new(Kind::Planar, vertices, vec![0, 1, 2, 0, 2, 3, 2, 1, 0]);
        mesh.groups = (0..10)
            .map(|k| Group { name: format!("part {k}"), members: Members::Cells(vec![k % 3]) })
            .collect();
        mesh.groups[1].members = Members::Simplices { dimension: 1, vertices: vec![0, 1, 1, 2] };
        let values = vec![0.5, f64::NAN, -2.0, f64::INFINITY];
        mesh.vertex_data =
            vec![DataArray { name: "t".into(), components: 1, values: Values::Float(values) }];
        mesh.cell_data = vec![DataArray {
            name: "label".into(),
            components: 2,
            values: Values::Int(vec![1, 2, 3, 4, 5, 1 << 60]),
        }];
        MeshFile {
            mesh,
            format: "msh",
            version: "4.1 binary".into(),
            units: Some("mm".into()),
            space: Some("NIFTI_XFORM_TALAIRACH".into()),
            cells_by_type: BTreeMap::from([("quad".into(), 1), ("triangle".into(), 1)]),
            warnings: Vec::new(),
            uncut: Default::default(),
            about: Default::default(),
        }
    }

    #[test]
    fn json_has_exactly_the_promised_keys_in_every_case() {
        let keys = "schema_version format version dimension kind vertices cells cells_by_type \
                    bounds units space components euler boundary nonmanifold inconsistent degenerate \
                    duplicate inverted unreferenced coincident obtuse_share quality_min worst_cell max_valence \
                    edge_min edge_mean edge_max groups arrays cleaning volume cloud";
        let mut points = square();
        points.mesh = Mesh::new(Kind::Surface, vec![[1.0; 3]], vec![]);
        let array = points.mesh.vertex_data.pop();
        let data = Report::of_data(array.as_slice(), &[]);
        for report in [Report::of_mesh(&square()), Report::of_mesh(&points), data] {
            let json = serde_json::to_string_pretty(&report).unwrap();
            let found: Vec<&str> = json
                .lines()
                .filter_map(|line| line.strip_prefix("  \"")?.split('"').next())
                .collect();
            assert_eq!(found.join(" "), keys);
        }
    }

    #[test]
    fn json_gives_the_facts() {
        let json = serde_json::to_value(Report::of_mesh(&square())).unwrap();
        assert_eq!(json["schema_version"], 1);
        assert_eq!(json["kind"], "planar");
        assert_eq!(json["bounds"]["max"], serde_json::json!([1.0, 1.0, 0.0]));
        assert_eq!(json["groups"][1]["dimension"], 1);
        assert_eq!(json["groups"][1]["members"], 2);
        assert_eq!(json["arrays"][0]["min"], -2.0);
        assert_eq!(json["arrays"][0]["max"], 0.5);
        assert_eq!(json["arrays"][1]["max"], 1_i64 << 60);
        assert_eq!(json["duplicate"], 1);
        assert_eq!(json["cleaning"]["refused"], serde_json::Value::Null);
        assert_eq!(json["cleaning"]["duplicate"], 1);
        assert_eq!(json["cleaning"]["kept_cells"], serde_json::Value::Null);
    }

    #[test]
    fn a_mesh_that_cannot_serve_says_why() {
        let mut points = square();
        points.mesh = Mesh::new(Kind::Surface, vec![[1.0; 3]], vec![]);
        let json = serde_json::to_value(Report::of_mesh(&points)).unwrap();
        assert_eq!((&json["dimension"], &json["cells"]), (&0.into(), &0.into()));
        assert_eq!(json["kind"], serde_json::Value::Null);
        let reason = json["cleaning"]["refused"].as_str().unwrap();
        assert!(reason.contains("no triangles or tetrahedra, only 1 point"), "{reason}");
    }

    #[test]
    fn the_screen_is_one_screen_and_says_it_all() {
        let path = std::path::Path::new("square.msh");
        let text = super::super::screen::text(path, &Report::of_mesh(&square()));
        assert!(text.lines().count() <= 24, "{text}");
        for part in [
            "square.msh\n",
            "msh 4.1 binary, lengths in mm, space NIFTI_XFORM_TALAIRACH",
            "triangles in the plane",
            "3 triangles, stored as 1 quad, 1 triangle",
            "1 component, Euler number 2, edges on the boundary: 2",
            "nonmanifold edges 1, inconsistent edges 1, duplicate 1",
            "... and 5 more",
            "part 1                   2 edges\n",
            "t                        -2 .. 0.5, 2 not finite (float, 4 vertices)",
            "label                    1 .. 1152921504606846976 (2 x int, 3 cells)",
            "accepts it with 1 duplicate cell dropped\n",
        ] {
            assert!(text.contains(part), "no \"{part}\" in\n{text}");
        }
    }
}
