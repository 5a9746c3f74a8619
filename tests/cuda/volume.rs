//! Tests that the volume is corrected on a GPU as on the CPU.

use zeroset::levelset::evolution::{Coefficient, Options, StepTarget, Terms};
use zeroset::levelset::volume::VolumeCorrection;

use crate::parity::{Setup, ball, stepped};
use crate::support::{self, difference};

fn setup(correction: VolumeCorrection) -> Setup {
    let mesh = support::square(16, 0.25);
    let phi = ball(&mesh, [0.3, 0.1, 0.0], 0.4);
    let rows = mesh.vertices.iter().map(|x| [0.2 - x[1], x[0], 0.0]).collect();
    let terms = Terms::default().with_velocity(Coefficient::PerVertex(rows));
    let options = Options::new(Some(0.4)).with_volume_correction(correction);
    Setup { mesh, phi, terms, options, patch_size: 64 }
}

/// A short test, also for the emulated GPU.
#[test]
fn a_short_run_with_a_corrected_volume() {
    for correction in [VolumeCorrection::Local, VolumeCorrection::Global] {
        let setup = setup(correction);
        let Some([cpu, gpu, again]) = stepped::<f64>(&setup, 12) else { return };
        assert!(gpu == again, "{correction:?}: two runs differ");
        let apart = difference(&cpu, &gpu);
        assert!(apart < 1e-9, "{correction:?}: {apart:e}");
    }
}

#[test]
fn a_run_to_a_time_has_its_reference() {
    let Some(cuda) = support::cuda() else { return };
    let setup = setup(VolumeCorrection::Global);
    let mut run = setup.begin_on_gpu::<f64>(&cuda);
    let first = run.volume().unwrap();
    let mut clock = 0.0;
    loop {
        let until = StepTarget { clock, target: 0.4, steady: -1.0, steps: u64::MAX };
        let done = run.advance(&until).unwrap();
        clock = done.clock;
        if done.landed {
            break;
        }
    }
    let (totals, area) = (run.volume().unwrap(), run.measures().unwrap().enclosed);
    assert!(totals.corrections > 2, "{totals:?}");
    assert!((area / totals.reference - 1.0).abs() < 1e-9, "{area} {totals:?}");
    assert!((area / first.reference - 1.0).abs() < 1e-3, "{area} {first:?}");
}
