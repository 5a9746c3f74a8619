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
    pub struct Field<'a> {
        pub name: &'a str,
        pub components: usize,
        pub values: FieldValues<'a>,
    }
    pub enum FieldValues<'a> {
        F64(&'a [f64]),
        F32(&'a [f32]),
        I32(&'a [i32]),
        U8(&'a [u8]),
    }
    #[derive(Clone, Copy)]
    pub enum Compression {
        None,
        Lz4,
        Zlib,
    }
    pub struct VtkOutput<'a> {
        pub points: &'a [[f64; 3]],
        pub cells: &'a [u32],
        pub arity: usize,
        pub point_data: Vec<Field<'a>>,
        pub time: Option<f64>,
        pub compression: Compression,
    }
    fn write(path: &Path, output: &VtkOutput) -> Result<()> {
        crate::io::atomic::write(path, |out| write!(out, "{} points\n", output.points.len()))
    }
    pub fn write_vtu(path: &Path, output: &VtkOutput) -> Result<()> {
        write(path, output)
    }
    pub fn write_vtp(path: &Path, output: &VtkOutput) -> Result<()> {
        write(path, output)
    }
    pub fn write_pvd(path: &Path, states: &[(f64, String)]) -> Result<()> {
        crate::io::atomic::write(path, |out| write!(out, "{states:?}\n"))
    }
}
