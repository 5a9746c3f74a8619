//! Benchmark of pictures of surfaces: a torus on tiles, in 1,024^3 effective voxels, and the mesh
//! of a sphere. The table lists separately the times for preparing the surface (including the copy
//! to the GPU), for drawing, and for copying the picture to the host. It also lists the number of
//! bytes that differ from the picture drawn on the CPU, which should be 0.

use std::time::Instant;

use zeroset::Cpu;
use zeroset::gpu::Cuda;
use zeroset::grid::{Band, Pool, TiledGrid};
use zeroset::mesh::Mesh;
use zeroset::picture::cuda::DeviceMesh;
use zeroset::picture::{Camera, Lines, Options, Subject, draw};
use zeroset::surface::cubes::{Placement, Tiles, extract};

use crate::Failed;
use crate::point_distance::median;

/// Radii of the torus, in voxels. The torus fits into a cube of 1,024^3 voxels.
const RING: [f64; 2] = [350.0, 155.0];

/// Prints the table: a torus on tiles with 1,024^2 pixels, in parallel projection and in
/// perspective, and a sphere with lines in a picture of the default size.
pub fn table(cuda: &Cuda, cpu: &Cpu) -> Result<(), Failed> {
    println!(
        "\n| surface | triangles | pixels | view | preparing and copy s | picture on the GPU ms | frames/s | with lines, to the host ms | CPU s | bytes that differ |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    let mesh = cpu.run(ring::<4>)?;
    let height: Vec<f64> = mesh.vertices.iter().map(|x| x[2]).collect();
    let subject = Subject::new(&mesh, &height).with_lines(Lines::None);
    row(cuda, cpu, "ring on tiles of 4^3", &subject, [1024; 2], None)?;
    row(cuda, cpu, "ring on tiles of 4^3", &subject, [1024; 2], Some(40.0))?;
    let small = zeroset::mesh::generate::generate(&zeroset::mesh::generate::Generate::Sphere(
        zeroset::mesh::generate::Sphere::default(),
    ))?;
    let distance: Vec<f64> = small.vertices.iter().map(|x| (x[2] + 1.0).sqrt()).collect();
    let subject = Subject::new(&small, &distance).with_lines(Lines::Round);
    row(cuda, cpu, "sphere, with lines", &subject, [1200, 900], None)
}

/// Returns the surface of the torus, extracted from tiles.
fn ring<const E: usize>() -> zeroset::Result<Mesh> {
    let [large, small] = RING;
    let band = Band { gamma: 3.0_f32, reach: 1 };
    let seed = [(large + small) / E as f64, 0.0, 0.0].map(|x| x.floor() as i32);
    let (grid, phi) =
        TiledGrid::<E>::from_seeds([seed], band, |first: [i32; 3], out: &mut [f32]| {
            for (n, value) in out.iter_mut().enumerate() {
                let place = [n % E, n / E % E, n / (E * E)];
                let [x, y, z] = [0, 1, 2].map(|k| f64::from(first[k] + place[k] as i32));
                *value = (((x * x + y * y).sqrt() - large).hypot(z) - small) as f32;
            }
            Ok(())
        })?;
    let phi: Pool<f32, E> = phi;
    extract(&Tiles { grid: &grid, phi: &phi, band }, &Placement::default(), false)
}

fn row(
    cuda: &Cuda,
    cpu: &Cpu,
    name: &str,
    subject: &Subject<'_>,
    [width, height]: [u32; 2],
    perspective: Option<f64>,
) -> Result<(), Failed> {
    let camera = Camera::new([0.5, -1.0, 0.7]);
    let options = Options::default()
        .with_size(width, height)
        .with_camera(camera)
        .with_perspective(perspective);
    // The first call compiles the kernels. The second one is timed. It prepares the surface and
    // copies it to the GPU.
    drop(DeviceMesh::new(cuda, subject, &options)?);
    let start = Instant::now();
    let mut on_gpu = cpu.run(|| DeviceMesh::new(cuda, subject, &options))?;
    cuda.synchronize()?;
    let prepared = start.elapsed().as_secs_f64();
    let ms = median(cuda, || Ok(on_gpu.paint(&camera)?))?;
    let start = Instant::now();
    let found = cpu.run(|| on_gpu.image())?;
    let copied = 1e3 * start.elapsed().as_secs_f64();
    let start = Instant::now();
    let expected = cpu.run(|| draw(subject, &options))?;
    let by_cpu = start.elapsed().as_secs_f64();
    let differ = found.pixels.iter().zip(&expected.pixels).filter(|(a, b)| a != b).count();
    let view = perspective.map_or("parallel".into(), |angle| format!("{angle} degrees"));
    println!(
        "| {name} | {} | {width} x {height} | {view} | {prepared:.2} | {ms:.3} | {:.0} | {copied:.1} | {by_cpu:.2} | {differ} |",
        subject.mesh.n_cells(),
        1e3 / ms
    );
    Ok(())
}
