//! Tests that steps on a GPU match those on the CPU and are bitwise identical in every run.

use std::sync::Arc;

use zeroset::geometry::Real;
use zeroset::gpu::Cuda;
use zeroset::levelset::evolution::cuda::DeviceEvolution;
use zeroset::levelset::evolution::{Coefficient, Terms};

use crate::parity::{Setup, advance, ball, first_order, setups, stepped};
use crate::support::{self, difference};

#[test]
fn one_step_is_that_of_the_cpu() {
    for (name, setup) in setups() {
        let Some([cpu, gpu, again]) = stepped::<f64>(&setup, 1) else { return };
        assert!(gpu == again, "{name}: two runs differ");
        let d = difference(&cpu, &gpu);
        assert!(d <= 1e-12, "{name}, f64: {d:e}");
        let Some([cpu, gpu, _]) = stepped::<f32>(&setup, 1) else { return };
        let d = difference(&cpu, &gpu);
        assert!(d <= 4e-6, "{name}, f32: {d:e}");
    }
}

#[test]
fn a_hundred_steps_are_those_of_the_cpu_next_to_the_interface() {
    for (name, setup) in setups() {
        let Some([cpu, gpu, again]) = stepped::<f64>(&setup, 100) else { return };
        assert!(gpu == again, "{name}: two runs differ");
        let near = setup.options.half_width.map_or(f64::INFINITY, |w| 0.5 * w);
        let (cpu, gpu): (Vec<f64>, Vec<f64>) =
            cpu.into_iter().zip(gpu).filter(|(cpu, _)| cpu.abs() < near).unzip();
        let d = difference(&cpu, &gpu);
        assert!(d <= 1e-10, "{name}, f64: {d:e}");
    }
}

/// The band grows until other kernels compute its steps. The step at which this happens must not
/// change the result.
#[test]
fn a_growing_band_has_the_same_bits_however_its_steps_are_launched() {
    let Some(cuda) = support::cuda() else { return };
    let mesh = support::square(512, 0.2);
    let terms = Terms::default()
        .with_velocity(Coefficient::Uniform([0.1, 0.05, 0.0]))
        .with_normal_speed(Coefficient::Uniform([1.0]))
        .with_curvature(Coefficient::Uniform([1e-4]));
    let phi = ball(&mesh, [0.0; 3], 0.2);
    let options = first_order(Some(0.12));
    let setup = Setup { mesh, phi, terms, options, patch_size: 64 };
    fn twice<R: Real>(cuda: &Arc<Cuda>, setup: &Setup) {
        let [mut whole, mut parts] = [(); 2].map(|()| setup.begin_on_gpu::<R>(cuda));
        let steps = 320;
        advance(&mut whole, steps);
        (0..steps / 8).for_each(|_| advance(&mut parts, 8));
        let active = |run: &DeviceEvolution<R>| run.band().unwrap().iter().filter(|m| **m).count();
        let begun = active(&setup.begin_on_gpu::<R>(cuda));
        assert!(2 * active(&whole) > 3 * begun, "{begun} {}", active(&whole));
        assert_eq!(whole.time().to_bits(), parts.time().to_bits());
        assert!(whole.phi().unwrap() == parts.phi().unwrap(), "{}: not bitwise identical", R::NAME);
    }
    twice::<f64>(&cuda, &setup);
    twice::<f32>(&cuda, &setup);
}

#[test]
fn what_was_sent_to_the_host_is_not_changed_by_later_steps() {
    let Some(cuda) = support::cuda() else { return };
    for (name, setup) in setups() {
        let mut run = setup.begin_on_gpu::<f64>(&cuda);
        advance(&mut run, 3);
        let (phi, band) = (run.phi().unwrap(), run.band().unwrap());
        let sent = run.standing().unwrap();
        advance(&mut run, 40);
        // A second copy is made while the first one is held. A third copy then reuses the freed
        // memory.
        let later = run.standing().unwrap();
        assert_eq!(sent.phi().unwrap(), phi, "{name}");
        assert_eq!(sent.band().unwrap(), band, "{name}");
        let snapshot = sent.snapshot().unwrap();
        assert_eq!((snapshot.phi, snapshot.step), (phi, 3), "{name}");
        assert_eq!(later.phi().unwrap(), run.phi().unwrap(), "{name}");
        drop((sent, later));
        advance(&mut run, 1);
        let again = run.standing().unwrap();
        assert_eq!(again.phi().unwrap(), run.phi().unwrap(), "{name}");
        assert_eq!(again.snapshot().unwrap().step, 44, "{name}");
    }
}
