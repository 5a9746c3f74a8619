//! Steps on a GPU: the values of the CPU, and the same bits in every run.

use crate::parity::{setups, stepped};
use crate::support::difference;

#[test]
fn one_step_is_that_of_the_cpu() {
    for (name, setup) in setups() {
        let Some([cpu, card, again]) = stepped::<f64>(&setup, 1) else { return };
        assert!(card == again, "{name}: two runs differ");
        let d = difference(&cpu, &card);
        assert!(d <= 1e-12, "{name}, f64: {d:e}");
        let Some([cpu, card, _]) = stepped::<f32>(&setup, 1) else { return };
        let d = difference(&cpu, &card);
        assert!(d <= 4e-6, "{name}, f32: {d:e}");
    }
}

#[test]
fn a_hundred_steps_are_those_of_the_cpu_next_to_the_interface() {
    for (name, setup) in setups() {
        let Some([cpu, card, again]) = stepped::<f64>(&setup, 100) else { return };
        assert!(card == again, "{name}: two runs differ");
        let near = setup.options.half_width.map_or(f64::INFINITY, |w| 0.5 * w);
        let (cpu, card): (Vec<f64>, Vec<f64>) =
            cpu.into_iter().zip(card).filter(|(cpu, _)| cpu.abs() < near).unzip();
        let d = difference(&cpu, &card);
        assert!(d <= 1e-10, "{name}, f64: {d:e}");
    }
}
