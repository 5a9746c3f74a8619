//! Tests that phi and coefficients from arrays on the GPU give the bits of those from the host.

use std::sync::Arc;

use zeroset::Cpu;
use zeroset::geometry::Real;
use zeroset::gpu::primitives::Renumbering;
use zeroset::levelset::eikonal;
use zeroset::levelset::eikonal::cuda::{DeviceGradient, Gpu, Organization};
use zeroset::levelset::evolution::cuda::{DeviceEvolution, OnGpu, Rows};
use zeroset::levelset::evolution::{Coefficient, Options, Terms};
use zeroset::mesh::Mesh;
use zeroset::patches::{Partition, Patches};

use crate::parity::{advance, ball, first_order};
use crate::support;

/// Returns terms with rows, which differ by `factor`.
fn terms(mesh: &Mesh, factor: f64) -> Terms {
    let wind = mesh.vertices.iter().map(|x| [-x[1] * factor, x[0] * factor, 0.1]).collect();
    let rows = |of: fn(&[f64; 3]) -> f64| {
        Coefficient::PerVertex(mesh.vertices.iter().map(|x| [factor * of(x)]).collect())
    };
    Terms::default()
        .with_velocity(Coefficient::PerVertex(wind))
        .with_normal_speed(rows(|x| 0.2 + 0.1 * x[0]))
        .with_curvature(rows(|x| 0.02 + 0.01 * x[1] * x[1]))
}

fn values<const K: usize>(of: &Coefficient<K>) -> Vec<f64> {
    match of {
        Coefficient::PerVertex(rows) => rows.as_flattened().to_vec(),
        _ => panic!("the coefficient has rows"),
    }
}

/// Compares exchanges with an evolution that is created or resumed with the same values.
fn compare<R: Real>(mesh: &Mesh, options: &Options) {
    let Some(cuda) = support::cuda() else { return };
    let gpu = Gpu { cuda: cuda.clone(), organization: Organization::Rounds };
    let cpu = Arc::new(Cpu::new(2).unwrap());
    let patches = Arc::new(Patches::new(mesh, Partition::Bisection, 64).unwrap());
    let (first, second) = (terms(mesh, 1.0), terms(mesh, 2.0));
    // The balls cut the square, the sphere and the cube.
    let (phi, other) = (ball(mesh, [0.1, 0.0, 0.9], 1.0), ball(mesh, [0.0, 0.1, 0.9], 1.05));
    let begin = |phi: &[f64], terms: &Terms, options: &Options| {
        let (cpu, patches, options) = (cpu.clone(), patches.clone(), options.clone());
        DeviceEvolution::<R>::new(&gpu, cpu, mesh, patches, phi, terms, options).unwrap()
    };
    // The order of the caller is the reverse of that of the mesh, and its first row belongs to no
    // vertex.
    let n = mesh.n_vertices();
    let row = |v: u32| n as u32 - v;
    let of_solver: Vec<u32> = patches.mesh_vertices().iter().map(|&v| row(v)).collect();
    let mut of_caller = vec![None; n + 1];
    for (k, &row) in (0..).zip(&of_solver) {
        of_caller[row as usize] = Some(k);
    }
    let vertices = Renumbering::new(&cuda, &of_solver, &of_caller).unwrap();
    let there = |values: &[f64], width: usize| {
        let mut rows = vec![f64::NAN; width];
        rows.extend(values.chunks_exact(width).rev().flatten());
        cuda.upload(&rows).unwrap()
    };
    let back = |rows: Vec<f64>, width: usize| -> Vec<f64> {
        assert!(rows[..width].iter().all(|x| x.is_nan()));
        rows[width..].chunks_exact(width).rev().flatten().copied().collect()
    };

    let mut exchanged = begin(&other, &first, options);
    advance(&mut exchanged, 3);
    let array = there(&phi, 1);
    let examined = unsafe { vertices.examine(&cuda, array.address(), 1) }.unwrap();
    assert!(examined.not_finite.is_none() && examined.conflict.is_none());
    assert!(examined.negative.is_some() && examined.not_negative.is_some());
    unsafe { exchanged.read_phi(&vertices, array.address(), 0.5) }.unwrap();
    let mut expected = begin(&phi, &first, &options.clone().with_start_time(0.5));
    assert_eq!(exchanged.phi().unwrap(), expected.phi().unwrap());
    advance(&mut exchanged, 5);
    advance(&mut expected, 5);
    assert_eq!(exchanged.phi().unwrap(), expected.phi().unwrap());

    let snapshot = expected.snapshot().unwrap();
    let (cpu, patches, again) = (cpu.clone(), patches.clone(), options.clone());
    let mut expected =
        DeviceEvolution::<R>::resume(&gpu, cpu, mesh, patches.clone(), &second, again, &snapshot)
            .unwrap();
    let arrays = [
        (Rows::Velocity, there(&values(&second.velocity), 3)),
        (Rows::NormalSpeed, there(&values(&second.normal_speed), 1)),
        (Rows::Curvature, there(&values(&second.curvature), 1)),
    ];
    let addresses = arrays.each_ref().map(|(rows, array)| (*rows, array.address()));
    unsafe { exchanged.read_rows(&vertices, &addresses) }.unwrap();
    for run in [&mut exchanged, &mut expected] {
        advance(run, 7);
    }
    assert_eq!(exchanged.time(), expected.time());
    let phi = expected.phi().unwrap();
    assert_eq!(exchanged.phi().unwrap(), phi);

    let [values, slopes] = [there(&phi, 1), there(&vec![0.0; 3 * n], 3)];
    let mesh_there = DeviceGradient::new(cuda.clone(), mesh, &patches).unwrap();
    unsafe {
        exchanged.write_phi(&vertices, values.address()).unwrap();
        exchanged.write_gradient(&vertices, &mesh_there, slopes.address()).unwrap();
    }
    assert_eq!(back(cuda.download(&values).unwrap(), 1), phi);
    let gradient = eikonal::gradient(mesh, &phi).vertices;
    assert_eq!(back(cuda.download(&slopes).unwrap(), 3), gradient.as_flattened());
}

#[test]
fn arrays_on_the_gpu_give_the_bits_of_those_of_the_host() {
    let meshes = [
        support::square(24, 0.2),
        support::sphere(3),
        support::crumpled_sphere(3),
        support::cube(6, 0.1),
    ];
    for mesh in &meshes {
        let taylor_galerkin = Options::new(Some(0.4));
        for options in [first_order(Some(0.4)), first_order(None), taylor_galerkin] {
            compare::<f64>(mesh, &options);
        }
        compare::<f32>(mesh, &first_order(Some(0.4)));
    }
}
