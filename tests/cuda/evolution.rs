//! Steps on a GPU: the values of the CPU, and the same bits in every run.

use crate::parity::{advance, setups, stepped};
use crate::support::{self, difference};

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

#[test]
fn what_was_sent_to_the_host_is_not_changed_by_later_steps() {
    let Some(cuda) = support::cuda() else { return };
    for (name, setup) in setups() {
        let mut run = setup.begin_on_card::<f64>(&cuda);
        advance(&mut run, 3);
        let (phi, band) = (run.phi().unwrap(), run.band().unwrap());
        let sent = run.standing().unwrap();
        advance(&mut run, 40);
        // One more while the first is held, then one in the memory it leaves.
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
