use std::time::Instant;
use zeroset::backend::Cpu;
use zeroset::levelset::eikonal::{EikonalState, Slowness, solve};
use zeroset::mesh::generate::{Generate, Sphere, Cube, generate};
use zeroset::mesh::clean;
use zeroset::patches::{Coordinates, Partition, Patches};
use zeroset::surface::Measurer;
use std::sync::Arc;
fn cpu_s() -> f64 {
    let t = std::fs::read_to_string("/proc/self/stat").unwrap();
    let f: Vec<&str> = t.rsplit(')').next().unwrap().split_whitespace().collect();
    (f[11].parse::<f64>().unwrap() + f[12].parse::<f64>().unwrap()) / 100.0
}
fn timed<T>(name: &str, f: impl FnOnce() -> T) -> T {
    let (c, t) = (cpu_s(), Instant::now());
    let r = f();
    println!("{name:40} wall {:.3} cpu {:.2}", t.elapsed().as_secs_f64(), cpu_s() - c);
    r
}
fn main() {
    let mode = std::env::args().nth(1).unwrap_or_default();
    let spec = if mode == "cube" {
            let mut spec = Cube::default();
            (spec.cells, spec.max) = ([63; 3], [63.0; 3]);
            Generate::Cube(spec)
    } else {
            let mut spec = Sphere::default();
            (spec.irregular, spec.vertices, spec.radius) = (true, Some(255_817), 256.0);
            spec.subdivisions = Some(1);
            Generate::Sphere(spec)
    };
    let mut mesh = generate(&spec).unwrap();
    mesh.lattice = None;
    let cpu = Arc::new(Cpu::new(2).unwrap());
    let mesh = cpu.run(|| timed("clean", || clean(mesh).unwrap().0));
    for (name, m) in [("bisection", Partition::Bisection), ("hilbert-metis", Partition::HilbertMetis), ("hilbert", Partition::Hilbert)].into_iter().take(if mode == "cube" { 2 } else { 1 }) {
        let p = cpu.run(|| timed(name, || Patches::new(&mesh, m, 64).unwrap()));
        let of = p.patch_of_vertex();
        let mut cut = 0usize;
        for c in mesh.iter_cells() { for k in 0..c.len() { for j in 0..k { cut += usize::from(of[c[k] as usize] != of[c[j] as usize]); } } }
        println!("  patches {} halo {:.2} cut2 {} cells {}", p.len(), (p.n_local() - p.n_vertices()) as f64 / p.len() as f64, cut/2, p.n_patch_cells());
        let patches = Arc::new(p);
        let co = cpu.run(|| timed("coordinates", || Arc::new(Coordinates::<f64>::new(&mesh, &patches))));
        cpu.run(|| timed("coordinates check", || co.check(&patches).unwrap()));
        let mut st = cpu.run(|| timed("state", || EikonalState::<f64>::new(patches.clone(), co.clone(), Slowness::Uniform(1.0))));
        for _ in 0..2 {
            st.clear(); st.seed(&[(0, 0.0)]);
            let s = timed("solve", || solve(&cpu, &mut st, None));
            println!("  {} rounds {:.2} updates/patch", s.rounds, s.patch_updates as f64 / patches.len() as f64);
        }
        println!("  u sum {:e}", st.u_in_mesh_order().iter().sum::<f64>());
    }
    cpu.run(|| timed("measurer", || drop(Measurer::new(&mesh))));
}
