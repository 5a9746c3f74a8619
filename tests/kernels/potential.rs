//! Tests the kernels that reconstruct surfaces from samples. Octrees must be bitwise identical to
//! those computed on the CPU. Velocities are compared with sums over octree nodes.

use zeroset::grid::{Band, TiledGrid};
use zeroset::levelset::tiled::cuda::StationaryArgument;
use zeroset::reconstruct::potential::{Frame, Node, Octree};

use super::layouts::potential::{CellsArgument, FieldArgument, FrameArgument};
use super::library::{Arg, Launch, Library, arg};
use super::tiles::grid::HostTiles;

/// Number of threads per block.
const BLOCK: u32 = 256;
/// Number of samples that one block sums.
const SUMMED: usize = 2048;

fn cloud(n: usize) -> Vec<[f64; 3]> {
    let golden = std::f64::consts::PI * (3.0 - 5f64.sqrt());
    let at = |k: usize| {
        let z = 1.0 - 2.0 * (k as f64 + 0.5) / n as f64;
        let (r, a) = ((1.0 - z * z).sqrt(), golden * k as f64);
        [r * a.cos() + 700.0, 0.7 * r * a.sin() - 3e3, 0.4 * z]
    };
    (0..n).map(at).collect()
}

/// Builds an octree with the kernels. Returns its nodes and samples.
fn built(library: &Library, points: &[[f64; 3]], frame: &Frame) -> (Vec<Node>, Vec<[f32; 3]>) {
    let n = points.len();
    let launch = |kernel: &str, grid: u32, args: &[Arg]| {
        let how = Launch { seed: n as u64, ..Launch::new(grid, BLOCK) };
        // SAFETY: the arrays have the lengths that the kernels require.
        unsafe { library.launch(kernel, &how, args) }.unwrap();
    };
    let depth = frame.depth;
    let half = f64::from(1_u32 << (depth - 1));
    let (middle, voxel, most) = (frame.middle, frame.voxel, (1 << depth) - 1);
    let of_frame = FrameArgument { middle, voxel, half, most, depth };
    let (points, count) = (points.as_ptr(), n as u32);
    let mut keys = vec![0_u64; n];
    launch("octree_keys", 3, &[arg(points), arg(count), arg(of_frame), arg(keys.as_mut_ptr())]);
    let mut order: Vec<u32> = (0..count).collect();
    order.sort_by_key(|&k| keys[k as usize]);
    keys = order.iter().map(|&k| keys[k as usize]).collect();
    let (mut samples, mut firsts) = (vec![[0_f32; 3]; n], vec![0_u32; n.div_ceil(32)]);
    let args = [arg(points), arg(count), arg(of_frame), arg(keys.as_ptr()), arg(order.as_ptr())];
    let args: Vec<Arg> =
        args.into_iter().chain([arg(samples.as_mut_ptr()), arg(firsts.as_mut_ptr())]).collect();
    launch("octree_samples", 2, &args);
    let is_first = |k: &u32| firsts[*k as usize / 32] >> (k % 32) & 1 != 0;
    let starts: Vec<u32> = (0..count).filter(is_first).collect();

    let blocks = n.div_ceil(SUMMED) as u32;
    let (mut totals, mut sums) = (vec![[0_u64; 3]; blocks as usize], vec![[0_u64; 3]; n + 1]);
    let of_samples = || vec![arg(samples.as_ptr()), arg(count), arg(totals.as_ptr())];
    launch("octree_totals", blocks, &of_samples());
    launch("octree_starts", 1, &[arg(totals.as_mut_ptr()), arg(blocks)]);
    let mut args = vec![arg(samples.as_ptr()), arg(count), arg(totals.as_ptr())];
    args.push(arg(sums.as_mut_ptr()));
    launch("octree_sums", blocks, &args);

    let n_cells = starts.len();
    let (keys, starts) = (keys.as_ptr() as u64, starts.as_ptr() as u64);
    let cells =
        CellsArgument { keys, starts, n: n_cells as u32, depth, samples: count, padding: 0 };
    let mut counts = vec![0_u32; n_cells];
    launch("octree_counts", 2, &[arg(cells), arg(counts.as_mut_ptr())]);
    let mut offsets = vec![0_u32];
    for count in counts {
        offsets.push(offsets[offsets.len() - 1] + count);
    }
    let n_nodes = offsets[n_cells] as usize;
    let (mut links, mut spans) = (vec![[0_u32; 2]; n_nodes], vec![[0_u32; 2]; n_nodes]);
    let args =
        [arg(cells), arg(offsets.as_ptr()), arg(links.as_mut_ptr()), arg(spans.as_mut_ptr())];
    launch("octree_nodes", 2, &args);
    let mut centers = vec![0_u128; n_nodes];
    let args = [arg(sums.as_ptr()), arg(spans.as_ptr()), arg(n_nodes as u32)];
    let args: Vec<Arg> = args.into_iter().chain([arg(centers.as_mut_ptr())]).collect();
    launch("octree_centers", 2, &args);
    let node = |(center, &[next, level]): (&u128, &[u32; 2])| {
        let part = |k: u32| f32::from_bits((center >> (32 * k)) as u32);
        Node { center: [0, 1, 2].map(part), count: part(3), next, level }
    };
    (centers.iter().zip(&links).map(node).collect(), samples)
}

#[test]
fn octrees_are_those_of_the_cpu_bit_by_bit() {
    let kernels = [
        "octree_keys",
        "octree_samples",
        "octree_totals",
        "octree_starts",
        "octree_sums",
        "octree_counts",
        "octree_nodes",
        "octree_centers",
        "octree_cubes",
    ];
    let library = Library::compile("kernels/reconstruct/octree.cu", &[], &kernels);
    let mut same = vec![[700.0, -3e3, 0.1]; 3000];
    same.extend(cloud(70));
    for (points, depth) in [(cloud(2), 4), (cloud(2500), 7), (cloud(6001), 14), (same, 9)] {
        let frame = Frame::new(&points, depth).unwrap();
        let tree = Octree::new(&points, frame).unwrap();
        let (nodes, samples) = built(&library, &points, &frame);
        assert!(samples == tree.samples(), "{} samples, depth {depth}", points.len());
        assert_eq!(nodes.len(), tree.nodes().len());
        for (at, (a, b)) in nodes.iter().zip(tree.nodes()).enumerate() {
            assert!(a == b, "{} samples, depth {depth}, node {at}: {a:?} {b:?}", points.len());
        }
        let links: Vec<[u32; 2]> = nodes.iter().map(|node| [node.next, node.level]).collect();
        for level in [0, 2, depth] {
            let mut count = 0_u32;
            let args = [arg(links.as_ptr()), arg(nodes.len() as u32), arg(level)];
            let args: Vec<Arg> = args.into_iter().chain([arg(&raw mut count)]).collect();
            // SAFETY: the array holds the given number of links.
            unsafe { library.launch("octree_cubes", &Launch::new(3, BLOCK), &args) }.unwrap();
            assert_eq!(count as usize, tree.n_cubes(level));
        }
    }
}

/// Returns the nodes that the CPU uses for a tile with this center, each as its position relative
/// to the center, in voxels of the level, and its number of samples.
///
/// The function repeats `Sources::gather` of `src/reconstruct/potential/sample_sums.rs` in the same
/// precision, so that it opens the same nodes.
fn taken(tree: &Octree, theta: f32, level: u32, middle: [f32; 3]) -> Vec<[f64; 4]> {
    let scale = (1.0 / tree.frame().edge(level)) as f32;
    let radius = 3.0f32.sqrt() * 1.5;
    let offset = |node: &Node| [0, 1, 2].map(|k| node.center[k] * scale - middle[k]);
    let mut nodes = Vec::new();
    tree.visit(
        level,
        |node| {
            let [x, y, z] = offset(node);
            let far = (1_u32 << (level - node.level)) as f32 + theta * radius;
            theta * theta * (x * x + y * y + z * z) <= far * far
        },
        |node| {
            let [x, y, z] = offset(node).map(f64::from);
            nodes.push([x, y, z, f64::from(node.count)]);
        },
    );
    nodes
}

/// Returns the velocity N / B of these nodes at `x`, limited to length 1 (docs/potential.md). `x`
/// is relative to the center of the tile. If `stop` is given, the velocity decreases to zero as the
/// estimated distance from the samples decreases to `stop`, and changes its sign below that.
fn velocity(nodes: &[[f64; 4]], exponent: u32, stop: Option<f64>, x: [f64; 3]) -> [f64; 3] {
    let (p, mut pull, mut weight, mut near) = (f64::from(exponent), [0.0; 3], 0.0, 0.0);
    for node in nodes {
        let offset: [f64; 3] = std::array::from_fn(|k| node[k] - x[k]);
        let square = offset.iter().map(|c| c * c).sum::<f64>() + SOFTENING * SOFTENING;
        let w = node[3] * square.powf(-(p + 1.0) / 2.0);
        (0..3).for_each(|k| pull[k] += w * offset[k]);
        weight += w;
        near += w / square;
    }
    let seems = ((p - 1.0) / (p + 1.0) * weight / near).sqrt();
    let speed = stop.map_or(1.0, |stop| (2.0 * (seems - stop)).clamp(-1.0, 1.0));
    let length = pull.iter().map(|c| c * c).sum::<f64>().sqrt();
    pull.map(|c| speed * c / length.max(weight))
}

/// The softening length, in voxels.
const SOFTENING: f64 = 1.0;

/// The largest allowed error of a velocity. A velocity has a length of at most 1 and is stored in
/// 16 bits relative to the largest velocity of its tile, which causes an error of up to 0.5 / 32767
/// = 1.5e-5. The rest allows for sums in single precision over several hundred nodes. The factor
/// that depends on `stop` doubles their rounding errors.
const TOLERANCE: f64 = 4e-5;

/// Compares velocities with sums over the nodes that the CPU uses.
///
/// Sums over nodes differ considerably from sums over samples: for this cloud, by up to 0.16 in a
/// velocity of 1 at theta = 0.5. A bound derived from the size of the nodes is useless at this
/// theta, because the samples of a node may be as far from its centroid as sqrt(3) / 2 times its
/// distance. But the kernel opens the same nodes as the CPU, so both agree up to rounding for every
/// theta.
#[test]
fn velocities_are_those_of_the_nodes_that_the_cpu_takes() {
    let points = cloud(700);
    let frame = Frame::new(&points, 6).unwrap();
    let tree = Octree::new(&points, frame).unwrap();
    // A node is packed into a u128, which is aligned to 16 bytes.
    let bits = |node: &Node| {
        let [x, y, z] = node.center.map(f32::to_bits);
        [x, y, z, node.count.to_bits()].iter().rev().fold(0, |all, b| all << 32 | u128::from(*b))
    };
    let centers: Vec<u128> = tree.nodes().iter().map(bits).collect();
    let links: Vec<[u32; 2]> = tree.nodes().iter().map(|node| [node.next, node.level]).collect();
    let band = Band { gamma: 1.5f32, reach: 1 };
    let ball = |first: [i32; 3], out: &mut [f32]| {
        for (n, out) in out.iter_mut().enumerate() {
            let at = [n % 4, n / 4 % 4, n / 16];
            let x: [f32; 3] = std::array::from_fn(|k| (first[k] + at[k] as i32) as f32);
            *out = x.iter().map(|x| x * x).sum::<f32>().sqrt() - 9.0;
        }
        Ok(())
    };
    let (grid, _) = TiledGrid::<4>::from_box::<f32, f32>([-4; 3], [4; 3], band, ball).unwrap();
    let stop = (1.0 + SOFTENING * SOFTENING).sqrt();
    for (exponent, stop) in [(2, None), (3, None), (4, Some(stop)), (5, None), (5, Some(stop))] {
        let define =
            [format!("EXPONENT={exponent}"), format!("HULL={}", u32::from(stop.is_some()))];
        let defines = ["REAL=float", "TILE_EDGE=4", &define[0], &define[1]];
        let kernels = ["potential_velocity"];
        let library = Library::compile("kernels/reconstruct/potential.cu", &defines, &kernels);
        for (theta, level) in [(0.0_f32, 6), (0.25, 6), (0.5, 6), (0.5, 5), (0.8, 6)] {
            let mut tiles = HostTiles::new(&grid, grid.n_tiles() + 9, 2);
            let mut values = vec![0_i16; 192 * grid.n_tiles()];
            let mut extremes = vec![[0_f32; 3]; grid.n_tiles()];
            let (of_values, of_tiles) = (values.as_mut_ptr() as u64, extremes.as_mut_ptr() as u64);
            let kept = StationaryArgument { values: of_values, extremes: of_tiles };
            let p = exponent as f32;
            let field = FieldArgument {
                centers: centers.as_ptr() as u64,
                links: links.as_ptr() as u64,
                nodes: links.len() as u32,
                level,
                scale: (1.0 / frame.edge(level)) as f32,
                theta,
                square: (SOFTENING * SOFTENING) as f32,
                share: (p - 1.0) / (p + 1.0),
                stop: stop.unwrap_or(0.0) as f32,
                padding: 0,
            };
            let args = [arg(tiles.argument()), arg(kept), arg(field), arg(1_u32)];
            // SAFETY: the arrays have room for every tile.
            unsafe { library.launch("potential_velocity", &Launch::new(3, BLOCK), &args) }.unwrap();
            let case = format!("exponent {exponent}, theta {theta}, level {level}");
            let mut most_off = 0.0_f64;
            for (key, &id) in grid.keys().iter().zip(grid.ids()) {
                let ([unit, most, _], mut largest) = (extremes[id as usize], 0.0_f32);
                let middle = key.first_voxel(4).map(|c| c as f32 + 1.5);
                let nodes = taken(&tree, theta, level, middle);
                let all = taken(&tree, 0.0, level, middle);
                for n in 0..64 {
                    let x = [n % 4, n / 4 % 4, n / 16].map(|c| c as f64 - 1.5);
                    let expected = velocity(&nodes, exponent, stop, x);
                    let exact = velocity(&all, exponent, stop, x);
                    let at = |k: usize| f32::from(values[id as usize * 192 + 64 * k + n]) * unit;
                    for (k, (expected, exact)) in expected.into_iter().zip(exact).enumerate() {
                        let apart = (f64::from(at(k)) - expected).abs();
                        assert!(apart <= TOLERANCE, "{case}, {key}, voxel {n}: {apart}");
                        most_off = most_off.max((expected - exact).abs());
                    }
                    largest = largest.max((0..3).map(|k| at(k).abs()).sum());
                }
                assert!((most - largest).abs() <= 1e-4 * most, "{most} {largest}");
            }
            // The error caused by the use of nodes is much larger than rounding errors.
            assert!(theta == 0.0 || most_off > 200.0 * TOLERANCE, "{case}: {most_off}");
        }
    }
}
