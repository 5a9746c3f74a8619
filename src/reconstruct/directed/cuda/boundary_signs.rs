//! Corrects signs at the boundary of the field, on the GPU.

use super::field::Field;
use super::{launch, number};
use crate::error::Result;
use crate::gpu::{Arguments, Array, Cuda};
use crate::reconstruct::directed::boundary_signs::ROUNDS;
use crate::reconstruct::directed::field::VERTICES;

const FILE: &str = "boundary_signs";

/// The result of the sign correction.
pub(super) struct Border {
    /// Number of vertices whose sign was changed.
    pub turned: usize,
    /// Scratch memory of one word per vertex, free for reuse.
    pub names: Array<u32>,
}

/// Moves the small patches of boundary vertices to the side of their larger neighbors.
pub(super) fn settle(cuda: &Cuda, field: &mut Field) -> Result<Border> {
    let n = field.n_tiles();
    let names = cuda.zeros::<u32>(VERTICES * n)?;
    let sizes = cuda.zeros::<u32>(VERTICES * n)?;
    let turned = cuda.zeros::<u32>(1)?;
    let with = || Arguments::default().with_array(&field.values).with_array(&field.around);
    let run = |kernel: &str, arguments: Arguments| {
        // SAFETY: the calls below pass the arguments of each kernel in order. There is one block
        // per tile, and every array has one word per vertex, except the neighboring tiles and the
        // count `turned`.
        unsafe { launch(cuda, FILE, kernel, n as u32, &arguments) }
    };
    run("boundary_signs_border", with().with_array(&names))?;
    let mut before = 0;
    for round in 0..ROUNDS {
        if round > 0 {
            run(
                "boundary_signs_again",
                Arguments::default().with_array(&names).with_array(&sizes),
            )?;
        }
        run("boundary_signs_join", with().with_array(&names))?;
        run("boundary_signs_sizes", Arguments::default().with_array(&names).with_array(&sizes))?;
        run("boundary_signs_mark", with().with_array(&names).with_array(&sizes))?;
        let arguments = Arguments::default()
            .with_array(&field.values)
            .with_array(&names)
            .with_array(&sizes)
            .with_array(&turned);
        run("boundary_signs_turn", arguments)?;
        let after = number(cuda, &turned, 0)?;
        if after == before {
            break;
        }
        before = after;
    }
    Ok(Border { turned: before, names })
}
