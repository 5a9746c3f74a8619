//! Tests that a step that breaks down is detected immediately, is reported with the vertex, the
//! cell and the likely cause, and leaves phi unchanged.

use std::sync::Arc;

use zeroset::Cpu;
use zeroset::expression::{Expression, Field};
use zeroset::levelset::evolution::{Cause, Coefficient, Evolution, Options, Rule, Terms, What};
use zeroset::mesh::generate::{Generate, Square, generate};
use zeroset::mesh::{Mesh, clean};
use zeroset::patches::{PATCH_SIZE, Partition, Patches};

/// Returns the square [-1, 1]^2 with n cells per side and slightly displaced vertices.
fn square(n: u32) -> Mesh {
    let mut square = Square::default();
    (square.cells, square.min, square.max) = ([n; 2], [-1.0; 2], [1.0; 2]);
    (square.jitter, square.seed) = (0.2, 7);
    clean(generate(&Generate::Square(square)).unwrap()).unwrap().0
}

fn field(text: &str) -> Field {
    let expression = Expression::parse(text).unwrap_or_else(|flaw| panic!("{flaw:?}"));
    Field::bind(&expression, |name| panic!("no array {name}")).unwrap()
}

fn at(mesh: &Mesh, f: impl Fn(f64, f64) -> f64) -> Vec<f64> {
    mesh.vertices.iter().map(|x| f(x[0], x[1])).collect()
}

fn parts(mesh: &Mesh) -> (Arc<Cpu>, Arc<Patches>) {
    let patches = Patches::new(mesh, Partition::Metis, PATCH_SIZE).unwrap();
    (Arc::new(Cpu::new(2).unwrap()), Arc::new(patches))
}

fn start(mesh: &Mesh, phi: &[f64], terms: &Terms, options: Options) -> Evolution<f64> {
    let (cpu, patches) = parts(mesh);
    Evolution::new(cpu, mesh, patches, phi, terms, options).unwrap()
}

/// Takes steps until one fails. Returns phi before the failed step, the number of this step, and
/// the error.
fn until_it_breaks(evolution: &mut Evolution<f64>) -> (Vec<f64>, u64, zeroset::Error) {
    for _ in 0..200 {
        let phi = evolution.phi();
        if let Err(error) = evolution.step(f64::INFINITY) {
            assert_eq!(evolution.phi(), phi, "phi must be that of the previous step");
            return (phi, evolution.n_steps() + 1, error);
        }
    }
    panic!("200 steps without a failure");
}

#[test]
fn a_step_forced_too_long_is_found_when_it_blows_up() {
    let mesh = square(24);
    let phi = at(&mesh, |x, y| x.hypot(y) - 0.5);
    let terms = Terms::default().with_velocity(Coefficient::Uniform([1.0, 0.5, 0.0]));
    for width in [None, Some(0.3)] {
        let options = Options::new(width).with_rule(Rule::Displacement).with_cfl(30.0);
        let mut evolution = start(&mesh, &phi, &terms, options);
        let (last, step, error) = until_it_breaks(&mut evolution);
        assert!(last.iter().all(|x| x.abs() < 10.0), "the breakdown was detected too late");
        let found = *evolution.breakdown().unwrap();
        assert!(matches!(found.what, What::Phi(_)) && found.step == step, "{found:?}");
        let Cause::LongStep(factor) = found.cause else { panic!("{found:?}") };
        assert!(factor > 1.5 && factor <= 30.0, "{factor}");
        let cell = &mesh.cells[3 * found.cell as usize..][..3];
        assert!(cell.contains(&found.vertex), "{found:?}: {cell:?}");
        let text = error.to_string();
        let named = format!("at vertex {} (", found.vertex);
        assert!(text.contains(&named) && text.ends_with("lower evolve.cfl (now 30)"), "{text}");
    }
}

#[test]
fn coefficients_that_break_in_time_name_vertex_cell_and_cause() {
    let mesh = square(16);
    let phi = at(&mesh, |x, y| x.hypot(y) - 0.5);
    let varying = |text: &str| Coefficient::Varying([field(text)]);
    for (terms, name, cause) in [
        (
            Terms::default().with_curvature(varying("0.01*(1 - 100*t)")),
            "curvature",
            Cause::NegativeCurvature,
        ),
        (
            Terms::default().with_normal_speed(varying("sqrt(0.01 - t)")),
            "normal_speed",
            Cause::Expression,
        ),
    ] {
        let mut evolution = start(&mesh, &phi, &terms, Options::new(Some(0.3)));
        let (_, _, error) = until_it_breaks(&mut evolution);
        let found = evolution.breakdown().unwrap();
        assert!(matches!(found.what, What::Coefficient(n, _) if n == name), "{found:?}");
        assert_eq!(found.cause, cause);
        let text = error.to_string();
        assert!(text.contains(&format!("evolve.{name} is ")) && text.contains(", cell "), "{text}");
    }
}

/// The cause is determined at the time of the breakdown and not at the start of the step, where all
/// values are valid.
#[test]
fn a_speed_that_jumps_in_time_is_named_with_the_time_of_the_jump() {
    let mesh = square(16);
    let phi = at(&mesh, |x, y| x.hypot(y) - 0.5);
    for text in ["1 + 1e30*step(t - 0.1)", "1 + 1e40*max(0, t - 0.1)"] {
        let terms = Terms::default().with_normal_speed(Coefficient::Varying([field(text)]));
        let mut evolution = start(&mesh, &phi, &terms, Options::new(Some(0.3)));
        let (_, _, error) = until_it_breaks(&mut evolution);
        let found = *evolution.breakdown().unwrap();
        assert_eq!(found.what, What::NoProgress);
        let Cause::Speed(speed) = found.cause else { panic!("{text}: {found:?}") };
        assert!(speed > 1e20, "{text}: {found:?}");
        assert!(found.time >= 0.1 && found.time < 0.2, "{text}: {found:?}");
        assert!(evolution.time() <= 0.1, "{text}: {}", evolution.time());
        let expected = format!("normal_speed are {speed:.3e} there; check");
        assert!(error.to_string().contains(&expected), "{error}");
    }
}

#[test]
fn a_flat_cell_that_loses_the_steps_is_named() {
    // The sliver makes the time steps tiny.
    let mut mesh = square(8);
    mesh.vertices.push([0.0; 3]);
    let new = mesh.n_vertices() as u32 - 1;
    let [a, b, c] = [mesh.cells[0], mesh.cells[1], mesh.cells[2]].map(|v| v as usize);
    let middle = |k: usize| (mesh.vertices[a][k] + mesh.vertices[b][k]) / 2.0;
    let inwards = |k: usize| middle(k) + 1e-11 * (mesh.vertices[c][k] - middle(k));
    mesh.vertices[new as usize] = [inwards(0), inwards(1), 0.0];
    let [a, b, c] = [a, b, c].map(|v| v as u32);
    mesh.cells.splice(0..3, [a, b, new, b, c, new, c, a, new]);
    let x0 = mesh.vertices[new as usize][0];
    let phi = at(&mesh, |x, _| x - x0 - 0.01);
    let terms = Terms::default().with_normal_speed(Coefficient::Uniform([1.0]));
    let mut evolution = start(&mesh, &phi, &terms, Options::new(None));
    // At a late time, which a resumed run may have, such a step is too short to change the time.
    let mut snapshot = evolution.snapshot();
    snapshot.time = 1e9;
    let (cpu, patches) = parts(&mesh);
    evolution =
        Evolution::resume(cpu, &mesh, patches, &terms, Options::new(None), &snapshot).unwrap();
    let error = evolution.step(f64::INFINITY).unwrap_err().to_string();
    let found = evolution.breakdown().unwrap();
    assert_eq!(found.what, What::NoProgress);
    assert!(matches!(found.cause, Cause::Sliver(quality) if quality < 1e-9), "{found:?}");
    assert!(
        error.contains("is too small to advance time") && error.contains("a sliver"),
        "{error}"
    );
}
