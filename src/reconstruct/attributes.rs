//! Vertex attributes for surfaces that were reconstructed without normals: normals computed from
//! the triangles, and colors of the nearest samples.

use crate::cloud::PointCloud;
use crate::error::Result;
use crate::mesh::{DataArray, Mesh, Values, normal_arrays};
use crate::point_distance::{Index, Sites};

/// Adds the vertex arrays `nx`, `ny`, `nz` to a surface and, if the cloud has colors, `red`,
/// `green`, `blue`.
///
/// # Errors
/// Returns the errors of [`Sites::new`].
pub(super) fn take_attributes(mesh: &mut Mesh, cloud: &PointCloud) -> Result<()> {
    mesh.vertex_data = normal_arrays(mesh);
    let Some(colors) = &cloud.colors else { return Ok(()) };
    let nearest = Index::new(&Sites::new(&cloud.points)?).numbers_of_nearest(&mesh.vertices);
    for (k, name) in ["red", "green", "blue"].into_iter().enumerate() {
        let of = |&sample: &u32| i64::from(colors[sample as usize][k]);
        let values = Values::Int(nearest.iter().map(of).collect());
        mesh.vertex_data.push(DataArray { name: name.to_string(), components: 1, values });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::generate::{Generate, Sphere, generate};

    #[test]
    fn vertices_have_the_color_of_the_nearest_sample() {
        let mut mesh = generate(&Generate::Sphere(Sphere::default())).unwrap();
        let mut cloud = PointCloud::new(vec![[0.0, 0.0, 2.0], [0.0, 0.0, -2.0]]);
        take_attributes(&mut mesh, &cloud).unwrap();
        assert_eq!(mesh.vertex_data.len(), 3);
        cloud.colors = Some(vec![[9, 8, 7], [1, 2, 3]]);
        take_attributes(&mut mesh, &cloud).unwrap();
        let Values::Int(red) = &mesh.vertex_array("red").unwrap().values else { panic!() };
        for (x, red) in mesh.vertices.iter().zip(red).filter(|(x, _)| x[2] != 0.0) {
            assert_eq!(*red, if x[2] > 0.0 { 9 } else { 1 });
        }
    }
}
