//! Vertex colors of a mesh.

use super::color::{Light, Srgb};
use super::{Image, Lines, Options, Subject, draw};
use zeroset_core::error::Result;
use zeroset_core::mesh::{Mesh, Values};

/// Returns the colors in the vertex arrays `red`, `green` and `blue` of a mesh, `[n_vertices]`.
/// Returns `None` unless all three exist and contain integers from 0 to 255.
pub fn vertex_colors(mesh: &Mesh) -> Option<Vec<[u8; 3]>> {
    let channel = |name: &str| match mesh.vertex_array(name) {
        Some(array) if array.components == 1 => match &array.values {
            Values::Int(values) => Some(values),
            _ => None,
        },
        _ => None,
    };
    let [red, green, blue] = [channel("red")?, channel("green")?, channel("blue")?];
    let byte = |&value: &i64| u8::try_from(value).ok();
    red.iter()
        .zip(green)
        .zip(blue)
        .map(|((r, g), b)| Some([byte(r)?, byte(g)?, byte(b)?]))
        .collect()
}

/// Draws a surface in its vertex colors if it has any, and otherwise colored by height.
///
/// # Errors
/// Returns the errors of [`draw`].
pub fn surface(mesh: &Mesh, title: &str, options: &Options) -> Result<Image> {
    let height: Vec<f64> = mesh.vertices.iter().map(|x| x[2]).collect();
    let colors = vertex_colors(mesh);
    let mut subject =
        Subject::new(mesh, &height).with_lines(Lines::None).with_name("z").with_title(title, "");
    if let Some(colors) = &colors {
        subject = subject.painted(colors);
    }
    draw(&subject, options)
}

/// Converts screen colors to linear light.
pub(super) fn lights(colors: &[[u8; 3]]) -> Vec<Light> {
    let table: Vec<f32> = (0..=255).map(|c| Srgb::decode([c; 3])[0]).collect();
    colors.iter().map(|color| color.map(|c| table[usize::from(c)])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use zeroset_core::mesh::generate::{Generate, Sphere, generate};
    use zeroset_core::mesh::{DataArray, Kind};

    fn painted(red: Values, names: [&str; 3]) -> Mesh {
        let mut mesh = Mesh::new(
            Kind::Surface,
            vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
            vec![0, 1, 2],
        );
        let rest = || Values::Int(vec![0, 7, 255]);
        for (name, values) in names.into_iter().zip([red, rest(), rest()]) {
            mesh.vertex_data.push(DataArray { name: name.into(), components: 1, values });
        }
        mesh
    }

    #[test]
    fn colors_are_three_arrays_of_bytes() {
        let names = ["red", "green", "blue"];
        let found = vertex_colors(&painted(Values::Int(vec![255, 1, 2]), names));
        assert_eq!(found.unwrap(), [[255, 0, 0], [1, 7, 7], [2, 255, 255]]);
        assert!(vertex_colors(&painted(Values::Int(vec![256, 1, 2]), names)).is_none());
        assert!(vertex_colors(&painted(Values::Int(vec![-1, 1, 2]), names)).is_none());
        assert!(vertex_colors(&painted(Values::Float(vec![1.0; 3]), names)).is_none());
        assert!(vertex_colors(&painted(Values::Int(vec![1; 3]), ["r", "green", "blue"])).is_none());
    }

    #[test]
    fn the_light_of_a_color_is_that_of_each_part() {
        let colors = [[0, 128, 255], [9, 10, 11]];
        assert_eq!(lights(&colors), colors.map(Srgb::decode));
    }

    #[test]
    fn a_surface_without_colors_is_drawn_by_its_height() {
        let mesh = generate(&Generate::Sphere(Sphere::default())).unwrap();
        let options = Options::default().with_size(160, 120);
        let height: Vec<f64> = mesh.vertices.iter().map(|x| x[2]).collect();
        let subject = Subject::new(&mesh, &height).with_lines(Lines::None).with_name("z");
        assert_eq!(surface(&mesh, "", &options).unwrap(), draw(&subject, &options).unwrap());
    }
}
