//! Stand-ins until the branches `formats` and `vtk` are merged; dropped at that merge.
#![allow(missing_docs, unused_variables)]

use super::MeshFile;
use crate::error::{Error, Result};
use crate::mesh::DataArray;
use std::path::Path;

pub fn read_mesh(path: &Path) -> Result<MeshFile> {
    Err(Error::input(path, "", "no reader yet", ""))
}
pub fn read_data(path: &Path) -> Result<Vec<DataArray>> {
    Err(Error::input(path, "", "no reader yet", ""))
}
pub mod gifti {
    use super::*;
    pub fn write_shape(path: &Path, name: &str, values: &[f32]) -> Result<()> {
        Ok(())
    }
}
pub mod freesurfer {
    use super::*;
    pub fn write_morph(path: &Path, values: &[f32]) -> Result<()> {
        Ok(())
    }
}
pub mod vtk {
    use super::*;
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Compression {
        None,
        #[default]
        Lz4,
        Zlib,
    }
    pub struct Geometry<'a>(&'a [[f64; 3]]);
    impl<'a> Geometry<'a> {
        pub fn triangles(p: &'a [[f64; 3]], c: &'a [u32], z: Compression) -> Self {
            Geometry(p)
        }
        pub fn tetrahedra(p: &'a [[f64; 3]], c: &'a [u32], z: Compression) -> Self {
            Geometry(p)
        }
        pub fn lines(p: &'a [[f64; 3]], c: &'a [u32], z: Compression) -> Self {
            Geometry(p)
        }
        pub fn extension(&self) -> &'static str {
            "vtp"
        }
    }
    pub struct VtkOutput<'a>(usize, std::marker::PhantomData<&'a ()>);
    impl<'a> VtkOutput<'a> {
        pub fn new(g: &'a Geometry<'a>) -> Self {
            VtkOutput(g.0.len(), std::marker::PhantomData)
        }
        pub fn time(self, t: f64) -> Self {
            self
        }
        pub fn point_data<T>(self, name: &'a str, components: usize, v: &'a [T]) -> Self {
            self
        }
    }
    pub fn write(path: &Path, output: &VtkOutput) -> Result<()> {
        crate::io::atomic::write(path, |out| write!(out, "{} points\n", output.0))
    }
    pub fn write_pvd(path: &Path, states: &[(f64, String)]) -> Result<()> {
        crate::io::atomic::write(path, |out| write!(out, "{states:?}\n"))
    }
}
