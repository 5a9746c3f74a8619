//! The Euclidean distance transform on a GPU: [`super::Edt::transform`] with arrays that stay on the card.
//!
//! The kernels are in `kernels/point_distance_edt.cu`.

use super::Edt;
use crate::backend::cuda::{Argument, Arguments, Array, Cuda, Kernel, Launch, Unit};
use crate::error::{Error, Result};

/// Neighboring lines of a tile; the kernels state the same.
const LINES: usize = 32;
/// Most threads of a block.
const THREADS: u32 = 1024;

/// `struct Edt` of `kernels/point_distance_edt.cu`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
struct EdtArgument {
    shape: [u32; 3],
    words: u32,
    ratio: f32,
    rx: f32,
    ry: f32,
    spacing: f64,
    side: u32,
}

// SAFETY: laid out as in C, and compared with the size the kernels know.
unsafe impl Argument for EdtArgument {}

/// A transform of volumes of one shape on a card, with its memory.
pub struct DeviceEdt {
    edt: Edt,
    shape: [usize; 3],
    pack: Kernel,
    first: Kernel,
    last: Kernel,
    bits: Array<u32>,
    /// Steps; in a transform without signs the distances take their place.
    steps: Array<f32>,
    signed: Option<Array<f32>>,
}

impl DeviceEdt {
    /// A transform of volumes of `shape`.
    ///
    /// # Errors
    /// Those of [`Edt::transform`]; [`Error::Case`] for an axis y or z too long for the card's shared
    /// memory (1,100 voxels on an H200); [`Error::Device`].
    pub fn new(cuda: &Cuda, edt: Edt, shape: [usize; 3]) -> Result<Self> {
        let n = shape.iter().product();
        edt.check(n, shape)?;
        let [nx, ny, nz] = shape;
        let shared = shared_first(ny).max(shared_last(nz));
        let most = cuda.shared_memory()? as usize;
        if shared > most || nx > 1 << 15 {
            let what = format!(
                "a volume of {nx} x {ny} x {nz} voxels: lines of it take {shared} bytes of shared memory, the card has {most}"
            );
            return Err(Error::usage(what, "compute it on the processor (--device cpu)"));
        }
        let bytes = size_of::<EdtArgument>().to_string();
        let defines = vec![("REAL", "float".to_string()), ("EDT_BYTES", bytes)];
        let unit = Unit::with("point_distance_edt", defines)?;
        let (first, last) = (cuda.kernel(&unit, "edt_first")?, cuda.kernel(&unit, "edt_last")?);
        first.allow_shared(shared_first(ny) as u32)?;
        last.allow_shared(shared_last(nz) as u32)?;
        Ok(DeviceEdt {
            edt,
            shape,
            pack: cuda.kernel(&unit, "edt_pack")?,
            first,
            last,
            bits: cuda.zeros(nx.div_ceil(32) * ny * nz)?,
            steps: cuda.zeros(n)?,
            signed: edt.signed.then(|| cuda.zeros(n)).transpose()?,
        })
    }

    /// Launches the transform of `inside`, a byte of 0 or 1 for each voxel, x fastest; its distances are
    /// there when the card has done what was launched. Whole multiples of the spacing have the bits of the
    /// processor, others are within 4e-7 of it.
    ///
    /// # Errors
    /// [`Error::Device`] if the driver refuses a kernel.
    ///
    /// # Panics
    /// If there is not one byte for each voxel.
    pub fn transform(&self, cuda: &Cuda, inside: &Array<u8>) -> Result<&Array<f32>> {
        assert_eq!(inside.len(), self.steps.len(), "one byte for each voxel");
        let distances = self.signed.as_ref().unwrap_or(&self.steps);
        let [nx, ny, nz] = self.shape;
        let [sx, sy, sz] = self.edt.spacing;
        let words = nx.div_ceil(32);
        let launch = |grid: usize, block: u32, shared: usize| Launch {
            grid: grid as u32,
            block,
            shared: shared as u32,
            cooperative: false,
        };
        for side in 0..=u32::from(self.edt.signed) {
            let argument = EdtArgument {
                shape: self.shape.map(|n| n as u32),
                words: words as u32,
                ratio: (sx / sy) as f32,
                rx: (sx / sz) as f32,
                ry: (sy / sz) as f32,
                spacing: sz,
                side,
            };
            let with = || Arguments::default().with(argument);
            let arguments = with().with_array(inside).with_array(&self.bits);
            let all = launch((words * ny * nz).div_ceil(256), 256, 0);
            // SAFETY: the arguments of `edt_pack`; a word for 32 voxels of each row.
            unsafe { cuda.launch(&self.pack, all, &arguments) }?;
            let arguments = with().with_array(&self.bits).with_array(&self.steps);
            let tiles = launch(words * nz, THREADS, shared_first(ny));
            // SAFETY: the arguments of `edt_first`; a place for each voxel, shared memory as it asks for.
            unsafe { cuda.launch(&self.first, tiles, &arguments) }?;
            let arguments = with().with_array(&self.steps).with_array(inside).with_array(distances);
            let tiles = launch((nx * ny).div_ceil(LINES), THREADS, shared_last(nz));
            // SAFETY: the arguments of `edt_last`, as above.
            unsafe { cuda.launch(&self.last, tiles, &arguments) }?;
        }
        Ok(distances)
    }
}

impl Edt {
    /// [`Edt::transform`] on a card, with both copies.
    ///
    /// # Errors
    /// Those of [`DeviceEdt::new`].
    pub fn transform_on(
        &self,
        cuda: &Cuda,
        inside: &[bool],
        shape: [usize; 3],
    ) -> Result<Vec<f32>> {
        self.check(inside.len(), shape)?;
        if inside.is_empty() {
            return Ok(Vec::new());
        }
        let bytes: Vec<u8> = inside.iter().map(|&inside| inside.into()).collect();
        let edt = DeviceEdt::new(cuda, *self, shape)?;
        cuda.download(edt.transform(cuda, &cuda.upload(&bytes)?)?)
    }
}

/// Bytes of shared memory of `edt_first` for lines of n voxels.
fn shared_first(n: usize) -> usize {
    shared_last(n) + 2 * n * size_of::<i32>()
}

/// The same of `edt_last`.
fn shared_last(n: usize) -> usize {
    // A row of heights has one more, so that no two threads meet in a bank.
    n * ((LINES + 1) * size_of::<f32>() + LINES * size_of::<u16>())
}
