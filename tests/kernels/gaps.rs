//! True distances of points to a surface by kernels: those of the processor.

use std::sync::LazyLock;

use zeroset::mesh::generate::{Generate, Sphere, Torus, generate};
use zeroset::mesh::{Kind, Mesh};
use zeroset::surface::{Gaps, Locator};

use super::layouts::gaps::FacetsArgument;
use super::library::{Arg, Launch, Library, arg};
use super::random::Random;

const LEAF: usize = 4;

static GAPS: LazyLock<Library> = LazyLock::new(|| {
    let kernels =
        ["gaps_middles", "gaps_order", "gaps_leaves", "gaps_join", "gaps_nearest", "gaps_sums"];
    Library::compile("kernels/surface/gaps.cu", &["REAL=double", "CELL_SIZE=3"], &kernels)
});

fn launch(kernel: &str, args: &[Arg]) {
    let how = Launch { seed: kernel.len() as u64, ..Launch::new(3, 64) };
    // SAFETY: arrays of the sizes that the kernels ask for.
    unsafe { GAPS.launch(kernel, &how, args) }.unwrap();
}

/// Distances of points, and sum and largest of each `size` of them.
fn distances(mesh: &Mesh, points: &[[f64; 3]], size: u32) -> (Vec<f64>, Vec<[f64; 2]>) {
    let n = mesh.n_cells();
    let vertices = mesh.vertices.as_ptr();
    let at = |vertices: *const [f64; 3]| arg(vertices.cast::<f64>());
    let mut middles = vec![[f64::NAN; 3]; n];
    let (given, count) = (mesh.cells.as_ptr(), n as u32);
    let into = arg(middles.as_mut_ptr().cast::<f64>());
    launch("gaps_middles", &[at(vertices), arg(given), arg(count), into]);
    // Any order will do.
    let mut order: Vec<u32> = (0..count).collect();
    order.sort_by(|&a, &b| middles[a as usize][0].total_cmp(&middles[b as usize][0]));
    let mut corners = vec![u32::MAX; 3 * n];
    let args = [arg(given), arg(order.as_ptr()), arg(count), arg(corners.as_mut_ptr())];
    launch("gaps_order", &args);
    let n_leaves = n.div_ceil(LEAF).next_power_of_two() as u32;
    let mut boxes = vec![[f64::NAN; 6]; 2 * n_leaves as usize];
    let tree = boxes.as_mut_ptr();
    let args = [at(vertices), arg(corners.as_ptr()), arg(count), arg(n_leaves), arg(tree)];
    launch("gaps_leaves", &args);
    let levels = std::iter::successors(Some(n_leaves / 2), |level| Some(level / 2));
    for level in levels.take_while(|level| *level > 0) {
        launch("gaps_join", &[arg(level), arg(tree)]);
    }
    let n_points = points.len() as u32;
    let asked: Vec<u32> = (0..n_points).rev().collect();
    let mut found = vec![f64::NAN; points.len()];
    let [vertices, corners, boxes] = [vertices as u64, corners.as_ptr() as u64, tree as u64];
    let facets = FacetsArgument { vertices, corners, boxes, n: count, n_leaves };
    let mut args = vec![arg(facets), at(points.as_ptr()), arg(asked.as_ptr()), arg(n_points)];
    args.push(arg(found.as_mut_ptr()));
    launch("gaps_nearest", &args);
    let mut sums = vec![[f64::NAN; 2]; points.len().div_ceil(size as usize)];
    let into = arg(sums.as_mut_ptr().cast::<f64>());
    launch("gaps_sums", &[arg(found.as_ptr()), arg(n_points), arg(size), into]);
    (found, sums)
}

fn points(n: usize, far: f64) -> Vec<[f64; 3]> {
    let mut random = Random::new(n as u64);
    (0..n).map(|_| std::array::from_fn(|_| far * random.signed())).collect()
}

#[test]
fn distances_have_the_bits_of_the_processor() {
    let sphere = generate(&Generate::Sphere(Sphere::default())).unwrap();
    let torus = generate(&Generate::Torus(Torus::default())).unwrap();
    for (mesh, far) in [(&sphere, 1.1), (&torus, 2.0), (&torus, 300.0)] {
        let mut points = points(3_000, far);
        points.extend(&mesh.vertices[..200]);
        let (found, sums) = distances(mesh, &points, 1 << 12);
        let locator = Locator::new(mesh);
        for (x, gap) in points.iter().zip(&found) {
            assert_eq!(*gap, locator.closest((*x).into()).unwrap().gap, "{x:?}");
        }
        let expected = Gaps::new(mesh, &points).unwrap();
        let (sum, max) = sums.iter().fold((0.0, 0.0_f64), |(s, m), [a, b]| (s + a, m.max(*b)));
        assert_eq!((sum / points.len() as f64, max), (expected.mean, expected.max));
    }
}

#[test]
fn few_triangles_and_those_without_area_have_distances() {
    let vertices =
        vec![[0.0; 3], [4.0, 0.0, 0.0], [0.0, 3.0, 0.0], [8.0, 0.0, 0.0], [2.0, 0.0, 0.0]];
    // A triangle; with it one that is a line, and one that is a point; five.
    let all = vec![0, 1, 2, 1, 3, 4, 3, 3, 3, 0, 2, 1, 4, 2, 1];
    for n in [1, 3, 5] {
        let mesh = Mesh::new(Kind::Surface, vertices.clone(), all[..3 * n].to_vec());
        let points = points(200, 10.0);
        let (found, sums) = distances(&mesh, &points, 64);
        let locator = Locator::new(&mesh);
        for (x, gap) in points.iter().zip(&found) {
            assert_eq!(*gap, locator.closest((*x).into()).unwrap().gap, "{x:?}");
        }
        assert_eq!(sums.len(), 4);
        assert_eq!(sums[3][0], found[192..].iter().sum::<f64>());
    }
}
