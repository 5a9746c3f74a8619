//! The 3-D view of a mesh or of the states of a run, for HTML pages.
//!
//! Meshes with more triangles than a stated number are decimated, and the view says so.

mod fields;
mod states;

use crate::config::Units;
use crate::error::Result;
use crate::html::{Frame, Scene, Surface};
use crate::io::Series;
use crate::mesh::{Kind, Mesh, boundary, clean, interface};
use crate::picture::{Lines, Options};
use crate::surface::{DecimationTarget, decimate};
use crate::words::counted;
use fields::Fields;

/// The default for the largest number of triangles in a surface in a view.
pub const VIEW_TRIANGLES: usize = 200_000;

/// The default for the largest number of states in a view.
const STATES: usize = 60;

/// Settings of a view.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ViewOptions {
    /// The title.
    pub title: String,
    /// The unit, the range, the color map and the camera. The other options apply only to pictures.
    pub style: Options,
    /// The name of the array or group that is shown first. By default, it is phi or the distance.
    pub shown: Option<String>,
    /// The units of length and time. By default, those that the states of a series state.
    pub units: Units,
    /// The largest number of triangles in a surface.
    pub triangles: usize,
    /// The largest number of states, at least 1.
    pub states: usize,
}

impl ViewOptions {
    /// Creates the default settings with a title.
    pub fn new(title: impl Into<String>) -> Self {
        ViewOptions {
            title: title.into(),
            style: Options::default(),
            shown: None,
            units: Units::default(),
            triangles: VIEW_TRIANGLES,
            states: STATES,
        }
    }

    /// Sets the unit, the range, the color map and the camera.
    pub fn with_style(mut self, style: Options) -> Self {
        self.style = style;
        self
    }

    /// Sets the name of the array or group that is shown first.
    pub fn with_shown(mut self, name: Option<String>) -> Self {
        self.shown = name;
        self
    }

    /// Sets the units of length and time. Times have the unit of time. Unless the style has a unit,
    /// phi has the unit of length if it is shown first.
    pub fn with_units(mut self, units: Units) -> Self {
        self.units = units;
        self
    }

    /// Sets the largest number of triangles in a surface.
    pub fn with_triangles(mut self, triangles: usize) -> Self {
        self.triangles = triangles;
        self
    }

    /// Sets the largest number of states, at least 1.
    pub fn with_states(mut self, states: usize) -> Self {
        self.states = states;
        self
    }
}

/// Returns the view of a mesh with all its arrays of numbers and labels at vertices.
///
/// # Errors
/// Returns [`Error::Mesh`](crate::Error::Mesh) if the mesh cannot be used, and
/// [`Error::Case`](crate::Error::Case) if the array to show does not exist, or if the style is
/// invalid.
pub fn view_of_mesh(mesh: Mesh, options: &ViewOptions) -> Result<Scene> {
    let (mesh, _) = clean(mesh)?;
    let phi = mesh.vertex_array("phi").filter(|array| array.components == 1);
    let frames: Vec<Frame> = phi
        .map(|phi| interface_of(&mesh, &phi.values.to_f64(), String::new(), options.triangles))
        .transpose()?
        .into_iter()
        .filter(|frame| !frame.cells.is_empty())
        .collect();
    of_surface(mesh, &[], frames, options)
}

/// Returns the view of the states of a series: the mesh of the last state, and the interface at
/// each time. If the states hold the interface itself, the view shows only these surfaces. If there
/// are more states than the settings permit, an evenly spaced selection is shown, which includes
/// the first and the last.
///
/// # Errors
/// Returns the errors of [`Series::read_mesh`] and of [`view_of_mesh`].
pub fn view_of_series(series: &Series, options: &ViewOptions) -> Result<Scene> {
    states::view(series, options)
}

/// Returns the view of a mesh and of its interface at several times. `phi` holds the values of phi
/// at each time, or is empty if phi is not shown over time.
fn of_surface(
    mesh: Mesh,
    phi: &[Vec<f64>],
    frames: Vec<Frame>,
    options: &ViewOptions,
) -> Result<Scene> {
    let n_vertices = mesh.n_vertices();
    let n_cells = mesh.n_cells();
    let is_open = mesh.kind == Kind::Volume && frames.iter().any(|frame| frame.is_surface);
    let cells = counted(n_cells, crate::words::SIMPLICES[mesh.kind.dimension()]);
    let fields = Fields::of(&mesh, phi, options)?;
    let (mesh, fields, remark) = reduced(mesh, fields, options.triangles)?;
    let camera = fields.camera(&mesh, &options.style)?;
    let mut surface = Surface::of(&mesh);
    if is_open && fields.shows_interface() {
        surface = surface.opened();
    }
    let scene = Scene::new(&options.title)
        .with_note(format!("{n_vertices} vertices, {cells}"))
        .with_surface(fields.add_to(surface))
        .with_frames(frames)
        .with_camera(camera);
    Ok(remark.into_iter().fold(scene, Scene::with_remark))
}

/// Decimates a mesh with its fields if its surface has more than `most` triangles. Also returns a
/// remark about it.
fn reduced(mesh: Mesh, fields: Fields, most: usize) -> Result<(Mesh, Fields, Option<String>)> {
    let faces = match mesh.kind {
        Kind::Volume => crate::mesh::outer_faces(&mesh).0.len(),
        _ => mesh.n_cells(),
    };
    if faces <= most {
        return Ok((mesh, fields, None));
    }
    let carrier = fields.carried(mesh);
    let surface = match carrier.kind {
        Kind::Volume => boundary(&carrier, None)?.surface,
        _ => carrier,
    };
    let before = surface.n_cells();
    let (mesh, fields) = if surface.kind == Kind::Planar {
        // The shape of a plane says nothing about its values, so the first field becomes the
        // height.
        let lifted = fields.lifted(surface);
        let (mut mesh, _) = decimate(lifted, DecimationTarget::Triangles(most))?;
        mesh.vertices.iter_mut().for_each(|x| x[2] = 0.0);
        mesh.kind = Kind::Planar;
        fields.taken(mesh)
    } else {
        let (mesh, _) = decimate(surface, DecimationTarget::Triangles(most))?;
        fields.taken(mesh)
    };
    let remark = format!("shown with {} of {before} triangles", mesh.n_cells());
    Ok((mesh, fields, Some(remark)))
}

/// Returns the interface of phi on a mesh, decimated to at most `most` triangles.
fn interface_of(mesh: &Mesh, phi: &[f64], name: String, most: usize) -> Result<Frame> {
    let found = interface::extract(mesh, phi);
    let is_surface = found.arity == 3;
    if !is_surface || found.cells.len() / 3 <= most {
        return Ok(Frame { name, points: found.vertices, cells: found.cells, is_surface });
    }
    let surface = Mesh::new(Kind::Surface, found.vertices, found.cells);
    let (surface, _) = decimate(surface, DecimationTarget::Triangles(most))?;
    Ok(Frame { name, points: surface.vertices, cells: surface.cells, is_surface })
}

/// Returns the lines of a field with this name.
fn lines_of(name: &str) -> Lines {
    match name {
        "phi" => Lines::Interface,
        "distance" | "time" => Lines::Round,
        _ => Lines::None,
    }
}
