//! Signs at the border of what samples reach, on the GPU.

use super::field::Field;
use super::{launch, number};
use crate::error::Result;
use crate::gpu::{Arguments, Array, Cuda};
use crate::reconstruct::directed::field::VERTICES;
use crate::reconstruct::directed::rim::ROUNDS;

const FILE: &str = "rim";

/// What was done at the border.
pub(super) struct Border {
    /// Vertices that were taken to the other side.
    pub turned: usize,
    /// A word for each vertex, which is not needed any more.
    pub names: Array<u32>,
}

/// Turns the small patches of the border.
pub(super) fn settle(cuda: &Cuda, field: &mut Field) -> Result<Border> {
    let n = field.n_tiles();
    let names = cuda.zeros::<u32>(VERTICES * n)?;
    let sizes = cuda.zeros::<u32>(VERTICES * n)?;
    let turned = cuda.zeros::<u32>(1)?;
    let with = || Arguments::default().with_array(&field.values).with_array(&field.around);
    let run = |kernel: &str, arguments: Arguments| {
        // SAFETY: the arguments of the kernels are stated below in their order: a word for each vertex in
        // all arrays but that of the tiles around, and a block for each tile.
        unsafe { launch(cuda, FILE, kernel, n as u32, &arguments) }
    };
    run("rim_border", with().with_array(&names))?;
    let mut before = 0;
    for round in 0..ROUNDS {
        if round > 0 {
            run("rim_again", Arguments::default().with_array(&names).with_array(&sizes))?;
        }
        run("rim_join", with().with_array(&names))?;
        run("rim_sizes", Arguments::default().with_array(&names).with_array(&sizes))?;
        run("rim_mark", with().with_array(&names).with_array(&sizes))?;
        let arguments = Arguments::default()
            .with_array(&field.values)
            .with_array(&names)
            .with_array(&sizes)
            .with_array(&turned);
        run("rim_turn", arguments)?;
        let after = number(cuda, &turned, 0)?;
        if after == before {
            break;
        }
        before = after;
    }
    Ok(Border { turned: before, names })
}
