//! The kernels of directed distances, launched as the library does: the surface of the processor to the bit.

use std::sync::LazyLock;

use zeroset::cloud::PointCloud;
use zeroset::mesh::{Mesh, Values};
use zeroset::reconstruct::directed::{Cubes, Directed, Lattice, reconstruct};
use zeroset::surface::cubes::CASES;

use super::layouts::directed::{
    DistancesArgument, LatticeArgument, RunsArgument, SamplesArgument, SurfaceArgument,
};
use super::library::{Arg, Launch, Library, arg};

const VERTICES: usize = 512;
const FOLDER: &str = "kernels/reconstruct/directed";

macro_rules! library {
    ($file:literal, $($kernel:literal),*) => {
        LazyLock::new(|| Library::compile(&format!("{FOLDER}/{}.cu", $file), &[], &[$($kernel),*]))
    };
}

static SEEDS: LazyLock<Library> =
    library!("seeds", "seeds_keys", "seeds_places", "seeds_heads", "seeds_runs");
static DENSITY: LazyLock<Library> = library!("density", "density_about");
static FIELD: LazyLock<Library> =
    library!("field", "field_reached", "field_around", "field_values");
static SPACING: LazyLock<Library> =
    library!("spacing", "spacing_work", "spacing_places", "spacing_about", "spacing_far");
static RIM: LazyLock<Library> =
    library!("rim", "rim_border", "rim_join", "rim_sizes", "rim_mark", "rim_turn", "rim_again");
static SURFACE: LazyLock<Library> = library!(
    "surface",
    "surface_count",
    "surface_vertices",
    "surface_triangles",
    "surface_near",
    "surface_drop"
);
static PARTS: LazyLock<Library> = LazyLock::new(|| {
    Library::compile("kernels/surface/parts.cu", &["REAL=double"], &["parts_join"])
});

/// Launches with several blocks at a time, in an order of their own.
fn launch(library: &Library, kernel: &str, grid: usize, args: &[Arg]) {
    let seed = kernel.len() as u64;
    let resident = if kernel.ends_with("_join") { 3 } else { 1 };
    let how = Launch { resident, seed, ..Launch::new(grid as u32, 512) };
    // SAFETY: arrays of the sizes that the kernels ask for.
    unsafe { library.launch(kernel, &how, args) }.unwrap();
}

/// A lattice of cubes over a cloud.
fn lattice_of(cloud: &PointCloud, cube: f64) -> LatticeArgument {
    let (low, high) = cloud.bounds();
    let size = Lattice::new(low, high, cube).unwrap().size();
    let center = [0, 1, 2].map(|k| 0.5 * low[k] + 0.5 * high[k]);
    let bits = [0, 1].map(|k| 32 - (size[k] / 8 + 1).leading_zeros());
    LatticeArgument { center, cube, size, bits }
}

struct Runs {
    keys: Vec<u64>,
    starts: Vec<u32>,
}

impl Runs {
    fn new(list: &[u64], shift: u32) -> Runs {
        let n = list.len() as u32;
        let mut heads = vec![9_u8; list.len()];
        let args = [arg(list.as_ptr()), arg(n), arg(shift), arg(heads.as_mut_ptr())];
        launch(&SEEDS, "seeds_heads", 2, &args);
        let mut starts: Vec<u32> = (0..n).filter(|&k| heads[k as usize] == 1).collect();
        let n_runs = starts.len();
        starts.push(0);
        let mut keys = vec![0; n_runs];
        let args = [
            arg(list.as_ptr()),
            arg(n),
            arg(shift),
            arg(starts.as_mut_ptr()),
            arg(n_runs as u32),
            arg(keys.as_mut_ptr()),
        ];
        launch(&SEEDS, "seeds_runs", 1, &args);
        Runs { keys, starts }
    }

    fn argument(&self) -> RunsArgument {
        let n = self.keys.len() as u64;
        RunsArgument { keys: self.keys.as_ptr() as u64, starts: self.starts.as_ptr() as u64, n }
    }
}

struct Seeds {
    places: Vec<f64>,
    numbers: Vec<u32>,
    cubes: Runs,
    tiles: Runs,
}

impl Seeds {
    fn new(cloud: &PointCloud, lattice: LatticeArgument) -> Seeds {
        let n = cloud.len();
        let points = cloud.points.as_flattened().as_ptr();
        let mut keys = vec![0_u64; n];
        let args = [arg(lattice), arg(points), arg(n as u32), arg(keys.as_mut_ptr())];
        launch(&SEEDS, "seeds_keys", 2, &args);
        let mut numbers: Vec<u32> = (0..n as u32).collect();
        numbers.sort_by_key(|&k| keys[k as usize]);
        keys.sort_unstable();
        let mut places = vec![0.0; 3 * n];
        let args = [
            arg(lattice),
            arg(points),
            arg(numbers.as_ptr()),
            arg(n as u32),
            arg(places.as_mut_ptr()),
        ];
        launch(&SEEDS, "seeds_places", 2, &args);
        let cubes = Runs::new(&keys, 0);
        let tiles = Runs::new(&cubes.keys, 9);
        Seeds { places, numbers, cubes, tiles }
    }

    fn samples(&self, cloud: &PointCloud) -> SamplesArgument {
        let normals = cloud.normals.as_ref().unwrap().as_ptr() as u64;
        let [places, numbers] = [self.places.as_ptr() as u64, self.numbers.as_ptr() as u64];
        SamplesArgument { places, numbers, normals }
    }
}

/// What the density kernel finds, as the library takes it: rho and delta, units of the cloud.
fn density(cloud: &PointCloud) -> [f64; 2] {
    let (low, high) = cloud.bounds();
    let longest = (0..3).map(|k| high[k] - low[k]).fold(0.0, f64::max);
    let cube = (2.0 * longest / (cloud.len() as f64).sqrt()).max(longest / 1e5);
    let lattice = lattice_of(cloud, cube);
    let seeds = Seeds::new(cloud, lattice);
    let n = cloud.len();
    let mut found = vec![[0.0; 2]; n];
    let args = [
        arg(lattice),
        arg(seeds.samples(cloud)),
        arg(seeds.cubes.argument()),
        arg(1_u32),
        arg(n as u32),
        arg(found.as_mut_ptr().cast::<f64>()),
    ];
    let how = Launch::new(n.div_ceil(4) as u32, 128);
    // SAFETY: two numbers for each sample.
    unsafe { DENSITY.launch("density_about", &how, &args) }.unwrap();
    found.retain(|found| found[0] >= 0.0);
    let mut radii: Vec<f64> = found.iter().map(|found| found[0]).collect();
    radii.sort_by(f64::total_cmp);
    let rho = radii[radii.len() - 1 - radii.len() / 1000];
    let delta = found.iter().map(|found| found[1]).sum::<f64>() / found.len() as f64;
    [rho * cube, delta * cube]
}

/// What the kernels make of a cloud: places, three rows of normals, numbers of samples, corners, and
/// how many vertices were turned and pieces dropped.
struct Made {
    places: Vec<[f64; 3]>,
    normals: Vec<f64>,
    numbers: Vec<u32>,
    corners: Vec<u32>,
    turned: u32,
    dropped: u32,
}

fn made(cloud: &PointCloud, cube: f64) -> Made {
    let lattice = lattice_of(cloud, cube);
    let seeds = Seeds::new(cloud, lattice);
    let samples = seeds.samples(cloud);
    let (cubes, tiles) = (seeds.cubes.argument(), seeds.tiles.argument());
    let mut reached = vec![0_u64; 27 * seeds.tiles.keys.len()];
    let args = [arg(lattice), arg(cubes), arg(tiles), arg(reached.as_mut_ptr())];
    launch(&FIELD, "field_reached", seeds.tiles.keys.len().div_ceil(16), &args);
    reached.sort_unstable();
    let keys = Runs::new(&reached, 0).keys;
    let n = keys.len();
    let mut around = vec![0_u32; 27 * n];
    let args = [arg(lattice), arg(keys.as_ptr()), arg(n as u32), arg(around.as_mut_ptr())];
    launch(&FIELD, "field_around", 3, &args);
    let (mut values, mut nearest) = (vec![0_f32; VERTICES * n], vec![0_u32; VERTICES * n]);
    let args = [
        arg(lattice),
        arg(samples),
        arg(cubes),
        arg(tiles),
        arg(keys.as_ptr()),
        arg(values.as_mut_ptr()),
        arg(nearest.as_mut_ptr()),
    ];
    launch(&FIELD, "field_values", n, &args);

    let (mut names, mut sizes) = (vec![0_u32; VERTICES * n], vec![0_u32; VERTICES * n]);
    let around = around.as_ptr();
    let (value, name, size) = (values.as_mut_ptr(), names.as_mut_ptr(), sizes.as_mut_ptr());
    let const_value = value.cast_const();
    launch(&RIM, "rim_border", n, &[arg(const_value), arg(around), arg(name)]);
    let mut turned = 0_u32;
    for round in 0..8 {
        let before = turned;
        if round > 0 {
            launch(&RIM, "rim_again", n, &[arg(name), arg(size)]);
        }
        launch(&RIM, "rim_join", n, &[arg(const_value), arg(around), arg(name)]);
        launch(&RIM, "rim_sizes", n, &[arg(name), arg(size)]);
        let args = [arg(const_value), arg(around), arg(name.cast_const()), arg(size)];
        launch(&RIM, "rim_mark", n, &args);
        let args =
            [arg(value), arg(name.cast_const()), arg(size.cast_const()), arg(&raw mut turned)];
        launch(&RIM, "rim_turn", n, &args);
        if turned == before {
            break;
        }
    }

    let mut table = vec![0_u8; 256 * 16];
    for (row, case) in table.chunks_mut(16).zip(CASES.iter()) {
        row[0] = case.triangles().len() as u8;
        row[1..1 + 3 * case.triangles().len()].copy_from_slice(case.triangles().as_flattened());
    }
    let distances = DistancesArgument { values: value as u64, around: around as u64 };
    let (mut starts, mut triangle_starts) = (vec![0_u32; n], vec![0_u32; n]);
    let cases = table.as_ptr();
    let args = [
        arg(distances),
        arg(cases),
        arg(name),
        arg(starts.as_mut_ptr()),
        arg(triangle_starts.as_mut_ptr()),
    ];
    launch(&SURFACE, "surface_count", n, &args);
    let [n_vertices, n_triangles] = [&mut starts, &mut triangle_starts].map(|counts| {
        let mut sum = 0;
        for count in counts.iter_mut() {
            sum += std::mem::replace(count, sum);
        }
        counts.push(sum);
        sum as usize
    });
    let mut made = Made {
        places: vec![[0.0; 3]; n_vertices],
        normals: vec![0.0; 3 * n_vertices],
        numbers: vec![0; n_vertices],
        corners: vec![0; 3 * n_triangles],
        turned,
        dropped: 0,
    };
    let (mut near, mut kept) = (vec![0_u8; n_vertices], vec![0_u8; n_vertices]);
    let (mut pieces, mut without) = (vec![0_u32; n_vertices], 0_u32);
    let surface = SurfaceArgument {
        places: made.places.as_mut_ptr() as u64,
        normals: made.normals.as_mut_ptr() as u64,
        numbers: made.numbers.as_mut_ptr() as u64,
        near: near.as_mut_ptr() as u64,
        names: pieces.as_mut_ptr() as u64,
        without: &raw mut without as u64,
        n: n_vertices as u64,
    };
    let args = [
        arg(lattice),
        arg(samples),
        arg(distances),
        arg(keys.as_ptr()),
        arg(nearest.as_ptr()),
        arg(name.cast_const()),
        arg(starts.as_ptr()),
        arg(surface),
    ];
    launch(&SURFACE, "surface_vertices", n, &args);
    let (corner, piece) = (made.corners.as_mut_ptr(), pieces.as_mut_ptr());
    let args = [
        arg(distances),
        arg(cases),
        arg(name.cast_const()),
        arg(starts.as_ptr()),
        arg(triangle_starts.as_ptr()),
        arg(corner),
        arg(piece),
    ];
    launch(&SURFACE, "surface_triangles", n, &args);
    let args = [arg(corner.cast_const()), arg(n_triangles as u32), arg(piece)];
    launch(&PARTS, "parts_join", 3, &args);
    let args = [arg(near.as_ptr()), arg(n_vertices as u32), arg(piece), arg(kept.as_mut_ptr())];
    launch(&SURFACE, "surface_near", 2, &args);
    let args = [
        arg(piece.cast_const()),
        arg(kept.as_ptr()),
        arg(n_vertices as u32),
        arg(&raw mut made.dropped),
    ];
    launch(&SURFACE, "surface_drop", 2, &args);
    assert_eq!(without, 0, "all samples have normals");
    made
}

/// Samples of a sphere about a center, with normals, less dense towards one end.
fn sphere(n: usize, center: [f64; 3], radius: f64) -> PointCloud {
    let mut cloud = PointCloud::default();
    let mut normals = Vec::new();
    for k in 0..n {
        let z = 1.0 - 2.0 * (k as f64 + 0.5) / n as f64;
        let (s, c) = (k as f64 * 2.399_963_229_728_653).sin_cos();
        let r = (1.0 - z * z).sqrt();
        let normal = [r * c, r * s, z];
        cloud.points.push([0, 1, 2].map(|k| center[k] + radius * normal[k]));
        normals.push(normal.map(|x| 2.0 * x as f32));
    }
    cloud.normals = Some(normals);
    cloud
}

fn assert_same(mesh: &Mesh, report: &Directed, made: &Made, colors: Option<&[[u8; 3]]>) {
    let counts = (report.turned, report.dropped_pieces);
    assert_eq!((made.turned as usize, made.dropped as usize), counts);
    // The processor takes dropped pieces out of the mesh; this test has none of them but counted.
    if report.dropped_pieces > 0 {
        return;
    }
    let bits =
        |all: &[[f64; 3]]| -> Vec<u64> { all.as_flattened().iter().map(|x| x.to_bits()).collect() };
    assert!(bits(&made.places) == bits(&mesh.vertices), "places differ");
    assert!(made.corners == mesh.cells, "triangles differ");
    let n = made.places.len();
    for (k, name) in ["nx", "ny", "nz"].into_iter().enumerate() {
        let expected = mesh.vertex_array(name).unwrap().values.to_f64();
        assert!(made.normals[k * n..(k + 1) * n] == expected, "{name} differs");
    }
    let Some(colors) = colors else { return };
    let Values::Int(red) = &mesh.vertex_array("red").unwrap().values else { panic!() };
    for (number, red) in made.numbers.iter().zip(red) {
        assert_eq!(i64::from(colors[*number as usize][0]), *red);
    }
}

#[test]
fn surfaces_are_those_of_the_processor() {
    let mut cloud = sphere(900, [0.3, -0.2, 5.0], 1.0);
    let colors: Vec<[u8; 3]> = (0..900).map(|k| [(k / 4) as u8, 0, 0]).collect();
    cloud.colors = Some(colors.clone());
    for depth in [2, 3, 4] {
        let (mesh, report) = reconstruct(&cloud, Cubes::Depth(depth)).unwrap();
        assert_same(&mesh, &report, &made(&cloud, report.cube), Some(&colors));
    }
}

#[test]
fn densities_are_those_of_the_processor() {
    // Gaps, other sheets close by, samples in one place, one without a normal.
    let mut cloud = sphere(160, [0.0; 3], 1.0);
    let other = sphere(60, [0.0, 0.3, 0.1], 1.05);
    cloud.points.extend(other.points);
    cloud.points.extend([cloud.points[8]; 5]);
    let normals = cloud.normals.as_mut().unwrap();
    normals.extend(other.normals.unwrap().into_iter().map(|n| n.map(|x| -x)));
    normals.extend([normals[8]; 5]);
    normals[50] = [0.0; 3];
    let (_, report) = reconstruct(&cloud, Cubes::Depth(3)).unwrap();
    assert!(report.density.looked_at > 20);
    assert_eq!(density(&cloud), [report.density.rho, report.density.delta]);
}

#[test]
fn signs_pieces_and_ties_too() {
    // Half a sphere, a sphere in it with normals inwards, a few samples far from all, and many in one
    // place.
    let mut cloud = sphere(600, [0.0; 3], 1.0);
    let add = |cloud: &mut PointCloud, other: PointCloud, sign: f32| {
        cloud.points.extend(other.points);
        let normals = other.normals.unwrap();
        cloud.normals.as_mut().unwrap().extend(normals.into_iter().map(|n| n.map(|x| sign * x)));
    };
    let kept: Vec<usize> = (0..600).filter(|&k| cloud.points[k][0] < 0.4).collect();
    cloud.points = kept.iter().map(|&k| cloud.points[k]).collect();
    let normals = cloud.normals.take().unwrap();
    cloud.normals = Some(kept.iter().map(|&k| normals[k]).collect());
    add(&mut cloud, sphere(300, [0.0; 3], 0.6), -1.0);
    add(&mut cloud, sphere(3, [2.5, 2.0, 0.5], 0.3), 1.0);
    let place = cloud.points[20];
    for turn in 0..40 {
        cloud.points.push(place);
        cloud.normals.as_mut().unwrap().push([1.0, turn as f32, 0.0]);
    }
    let mut changed = 0;
    for cube in [0.31, 0.13, 0.09] {
        let (mesh, report) = reconstruct(&cloud, Cubes::Edge(cube)).unwrap();
        changed += report.turned + report.dropped_pieces;
        assert_same(&mesh, &report, &made(&cloud, cube), None);
    }
    assert!(changed > 0, "nothing was turned or dropped");
    // A lattice: samples as far as each other from a vertex, and zero distances.
    let points = (0..144).map(|k| [f64::from(k % 12), f64::from(k / 12), 0.0]).collect();
    let mut lattice = PointCloud::new(points);
    lattice.normals = Some(vec![[0.0, 0.0, 1.0]; 144]);
    let (mesh, report) = reconstruct(&lattice, Cubes::Edge(1.0)).unwrap();
    assert_same(&mesh, &report, &made(&lattice, 1.0), None);
    assert_eq!(density(&lattice), [report.density.rho, report.density.delta]);
}

/// Distance to the nearest other point, and the mean of those to the nearest eight, by comparing all.
fn spacing(points: &[[f64; 3]], i: usize) -> [f64; 2] {
    let square = |x: &[f64; 3]| -> f64 { (0..3).map(|k| (x[k] - points[i][k]).powi(2)).sum() };
    let others = points.iter().enumerate().filter(|(j, _)| *j != i);
    let mut squares: Vec<f64> = others.map(|(_, x)| square(x)).collect();
    squares.sort_by(f64::total_cmp);
    squares.truncate(8);
    let sum: f64 = squares.iter().map(|s| s.sqrt()).sum();
    [squares[0].sqrt(), sum / squares.len() as f64]
}

#[test]
fn spacings_are_those_of_comparing_all() {
    let mut crowded = sphere(700, [1e5, 0.0, -3e4], 1.0);
    crowded.points.extend([[1e5 + 9.0, 0.5, -3e4], [1e5, -2.0, -3e4 + 1.5]]);
    crowded.points.extend([crowded.points[3]; 12]);
    let few = PointCloud::new(vec![[0.0; 3], [1.0, 2.0, 2.0], [0.0, 0.0, 7.0]]);
    for cloud in [crowded, few] {
        let points = cloud.points.as_flattened().as_ptr();
        let (n, (low, high)) = (cloud.len(), cloud.bounds());
        let longest = (0..3).map(|k| high[k] - low[k]).fold(0.0, f64::max);
        let (mut nearest, mut means) = (vec![0_u64; n], vec![0_u64; n]);
        let mut waiting = vec![0_u8; n];
        let mut which: Vec<u32> = Vec::new();
        let mut rounds = 0;
        for level in 0.. {
            let cube = 2.0 * longest / (n as f64).sqrt() * 8_f64.powi(level);
            let lattice = lattice_of(&cloud, cube);
            let seeds = Seeds::new(&cloud, lattice);
            let mut places = vec![0.0; 3 * n];
            let args =
                [arg(points), arg(seeds.numbers.as_ptr()), arg(n as u32), arg(places.as_mut_ptr())];
            launch(&SPACING, "spacing_places", 1, &args);
            let mut work = 0_u64;
            launch(&SPACING, "spacing_work", 1, &[arg(seeds.cubes.argument()), arg(&raw mut work)]);
            let counts = seeds.cubes.starts.windows(2).map(|w| u64::from(w[1] - w[0]).pow(2));
            assert_eq!(work, counts.sum::<u64>());
            let list = if level == 0 { std::ptr::null() } else { which.as_ptr() };
            let asked = if level == 0 { n } else { which.len() };
            let args = [
                arg(lattice),
                arg(points),
                arg(places.as_ptr()),
                arg(seeds.numbers.as_ptr()),
                arg(seeds.cubes.argument()),
                arg(list),
                arg(asked as u32),
                arg(nearest.as_mut_ptr()),
                arg(means.as_mut_ptr()),
                arg(waiting.as_mut_ptr()),
            ];
            launch(&SPACING, "spacing_about", asked.div_ceil(512), &args);
            which = (0..n as u32).filter(|&k| waiting[k as usize] == 1).collect();
            rounds += 1;
            if which.is_empty() {
                break;
            }
        }
        assert!(n < 9 || rounds > 1, "the one far off waits for larger cubes");
        for i in 0..n {
            let found = [nearest[i], means[i]].map(f64::from_bits);
            assert_eq!(found, spacing(&cloud.points, i), "point {i}");
        }
        let mut far = vec![9_u8; n];
        let args = [arg(means.as_ptr()), arg(n as u32), arg(1.5_f64), arg(far.as_mut_ptr())];
        launch(&SPACING, "spacing_far", 1, &args);
        for (far, mean) in far.iter().zip(&means) {
            assert_eq!(*far == 1, f64::from_bits(*mean) > 1.5);
        }
    }
}
