//! The view of a series of states.

use super::{ViewOptions, interface_of, of_surface};
use crate::error::{Error, Result};
use crate::html::{Frame, Scene};
use crate::io::{MeshOptions, Series, with_unit};
use crate::mesh::{Kind, Mesh, clean};
use crate::picture::Options;
use crate::surface::{DecimationTarget, decimate};
use crate::words::{counted, short};

/// The largest total number of triangles of all interfaces of a view, as a multiple of the largest
/// number for one surface.
const TOGETHER: usize = 8;

/// The largest number of values of phi, summed over all states. With more, only the last state has
/// its values.
const VALUES: usize = 4_000_000;

/// Returns the view of a series.
///
/// # Errors
/// Returns the errors of [`super::view_of_series`].
pub(super) fn view(series: &Series, options: &ViewOptions) -> Result<Scene> {
    let (times, mut options) = (series.times(), options.clone());
    let chosen = chosen(times.len(), options.states);
    let most = (TOGETHER * options.triangles / chosen.len().max(1)).min(options.triangles);
    let mut frames = Vec::with_capacity(chosen.len());
    let mut phi: Vec<Vec<f64>> = Vec::new();
    let mut last: Option<Mesh> = None;
    let mut before = 0;
    for &k in &chosen {
        let file = series.read_mesh(k, &MeshOptions::default())?;
        options.units = options.units.or(&file.about.state.units);
        let (mesh, _) = clean(file.mesh)?;
        let name = format!("t = {}", with_unit(short(times[k]), &options.units.of_time()));
        let values = mesh.vertex_array("phi").filter(|array| array.components == 1);
        match values.map(|array| array.values.to_f64()) {
            Some(values) => {
                frames.push(interface_of(&mesh, &values, name, most)?);
                phi.push(values);
            }
            None => {
                before += mesh.n_cells();
                frames.push(surface_of(&mesh, name, most)?);
            }
        }
        if last.as_ref().is_some_and(|last| last.n_vertices() != mesh.n_vertices()) {
            phi.clear();
        }
        last = Some(mesh);
    }
    let Some(last) = last else {
        return Err(Error::usage("the series has no states", "run the case again"));
    };
    let is_field = last.vertex_array("phi").is_some();
    let scene = if is_field {
        if phi.len() != chosen.len() || phi.len() * last.n_vertices() > VALUES {
            phi.clear();
        }
        of_surface(last, &phi, frames, &options)?
    } else if chosen.len() == 1 {
        of_surface(last, &[], Vec::new(), &options)?
    } else {
        of_surfaces(frames, before, &options)?
    };
    Ok(match chosen.len() < times.len() {
        true => scene.with_remark(format!("{} of {} states", chosen.len(), times.len())),
        false => scene,
    })
}

/// Returns the view of surfaces over time. `before` is the total number of their triangles before
/// decimation.
fn of_surfaces(frames: Vec<Frame>, before: usize, options: &ViewOptions) -> Result<Scene> {
    let after: usize = frames.iter().map(|frame| frame.cells.len() / 3).sum();
    let states = counted(frames.len(), ["state", "states"]);
    let largest = frames.iter().max_by_key(|frame| frame.cells.len());
    let camera = match (options.style.camera, largest) {
        (None, Some(frame)) => {
            let mesh = Mesh::new(Kind::Surface, frame.points.clone(), frame.cells.clone());
            let height: Vec<f64> = mesh.vertices.iter().map(|x| x[2]).collect();
            let subject = crate::picture::Subject::new(&mesh, &height)
                .with_lines(crate::picture::Lines::None);
            Options::default().settled(&subject)?.camera
        }
        (camera, _) => camera,
    };
    let mut scene = Scene::new(&options.title).with_note(states).with_frames(frames);
    if let Some(camera) = camera {
        scene = scene.with_camera(camera);
    }
    Ok(match after < before {
        true => {
            scene.with_remark(format!("shown with {after} of {before} triangles in all states"))
        }
        false => scene,
    })
}

/// Returns a state that is a surface, decimated to at most `most` triangles.
fn surface_of(mesh: &Mesh, name: String, most: usize) -> Result<Frame> {
    let mut bare = Mesh::new(mesh.kind, mesh.vertices.clone(), mesh.cells.clone());
    if bare.n_cells() > most && bare.kind != Kind::Volume {
        bare = decimate(bare, DecimationTarget::Triangles(most))?.0;
    }
    Ok(Frame { name, points: bare.vertices, cells: bare.cells, is_surface: true })
}

/// Returns at most `most` of `n` indices, evenly spaced, including the first and the last. If there
/// is only one, it is the last.
fn chosen(n: usize, most: usize) -> Vec<usize> {
    if n <= most {
        return (0..n).collect();
    }
    if most <= 1 {
        return vec![n - 1];
    }
    (0..most).map(|k| k * (n - 1) / (most - 1)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_chosen_evenly_with_both_ends() {
        assert_eq!(chosen(3, 5), [0, 1, 2]);
        assert_eq!(chosen(101, 5), [0, 25, 50, 75, 100]);
        assert_eq!((chosen(0, 5), chosen(7, 1)), (vec![], vec![6]));
    }
}
