//! The evolution against closed forms (verification cases of the companion).

mod support;
use support::verification::*;
use zeroset::geometry::Vec3;
use zeroset::levelset::evolution::{Coefficient, Options, Terms};

fn probe(name: &str, n: u32) {
    let mesh = square(name, n);
    let c = Vec3::new(-0.3, -0.2, 0.0);
    let phi = at_vertices(&mesh, |x| (x - c).norm() - 0.3);
    let terms = Terms::default().with_velocity(Coefficient::Uniform([1.0, 0.5, 0.0]));
    let c1 = c + Vec3::new(0.5, 0.25, 0.0);
    let out = evolve(&mesh, &phi, &terms, Options::new(None), 0.5);
    let e = interface_error(&mesh, &out, |x| (x - c1).norm() - 0.3);
    let h = 2.0 / n as f64;
    let band = evolve(&mesh, &phi, &terms, Options::new(Some(5.0 * h)), 0.5);
    let eb = interface_error(&mesh, &band, |x| (x - c1).norm() - 0.3);
    println!("V3 {name} {n} {e:?} V5 {eb:?}");
    let phi = at_vertices(&mesh, |x| (x - Vec3::new(0.03, 0.02, 0.)).norm() - 0.3);
    let terms = Terms::default().with_normal_speed(Coefficient::Uniform([1.0]));
    let out = evolve(&mesh, &phi, &terms, Options::new(None), 0.35);
    let e = interface_error(&mesh, &out, |x| (x - Vec3::new(0.03, 0.02, 0.)).norm() - 0.65);
    println!("V10 {name} {n} {e:?}");
    if n <= 64 {
        let phi = at_vertices(&mesh, |x| x.norm() - 0.6);
        let terms = Terms::default().with_curvature(Coefficient::Uniform([1.0]));
        let out = evolve(&mesh, &phi, &terms, Options::new(None), 0.1);
        let e = interface_error(&mesh, &out, |x| x.norm() - 0.4);
        let out = evolve(&mesh, &phi, &terms, Options::new(Some(5.0 * h)), 0.1);
        let eb = interface_error(&mesh, &out, |x| x.norm() - 0.4);
        println!("V15 {name} {n} {e:?} V16 {eb:?}");
    }
}

#[test]
fn probes() {
    for name in ["diag", "cross", "jit", "del", "equi", "obt"] {
        for n in [32, 64] {
            probe(name, n);
        }
    }
}
