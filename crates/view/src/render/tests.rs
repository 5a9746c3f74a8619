//! Tests that compare rays with closed forms and with each other, and tests of edge cases.

use proptest::prelude::*;

use super::vector::{V, dot, length, sub, unit};
use super::*;
use zeroset_core::Cpu;
use zeroset_core::expression::Expression;
use zeroset_core::volume::{Placement, Samples, Volume};

const RULES: [Rule; 6] = [
    Rule::Walk,
    Rule::Isotropic,
    Rule::Directional { cone: 0.0 },
    Rule::Directional { cone: 0.6 },
    Rule::PointWise { cone: None },
    Rule::PointWise { cone: Some(0.6) },
];

/// Returns a volume whose values are `f(x, y, z)` at integer coordinates.
fn volume(shape: [usize; 3], f: impl Fn(V) -> f64) -> Volume {
    let [nx, ny, nz] = shape;
    let at = |n: usize| [n % nx, n / nx % ny, n / nx / ny].map(|i| i as f64);
    let values: Vec<f64> = (0..nx * ny * nz).map(|n| f(at(n))).collect();
    Volume::new(shape, Samples::from(values), Placement::identity()).unwrap()
}

/// Returns the signed distance function of a sphere.
fn sphere(center: V, radius: f64) -> impl Fn(V) -> f64 {
    move |x| length(sub(x, center)) - radius
}

fn guide(rule: Rule, solid: &Solid<'_>) -> SpaceSkipping {
    SpaceSkipping::new(rule, solid, &Cpu::current()).unwrap()
}

fn holding<'a>(volume: &'a Volume, condition: &str) -> Solid<'a> {
    let condition = Expression::parse(condition).unwrap();
    Solid::voxels(volume, volume.select(&condition).unwrap()).unwrap()
}

fn fitted(solid: &Solid<'_>, from: V, perspective: Option<f64>, size: f64) -> Frame {
    let area = [0.0, 0.0, size, size];
    Frame::fit(Axes::new(&Camera::new(from)), perspective, &solid.corners(), area, 1.0, 1.0)
}

/// Returns the `t` at which a ray enters the first occupied cube that it crosses. It examines every
/// occupied cube.
fn first_cube(solid: &Solid<'_>, ray: &Ray) -> Option<f64> {
    let [nx, ny, _] = solid.shape();
    let placement = solid.volume().placement();
    let from = placement.index(ray.from);
    let along = sub(placement.index(ray.at(1.0)), from);
    // Cubes that the ray only touches do not count.
    let half = 0.5 - 1e-9;
    let enters = |n: usize| {
        let cube = [n % nx, n / nx % ny, n / nx / ny].map(|i| i as f64);
        let (mut begin, mut end) = (0.0_f64, f64::INFINITY);
        for k in 0..3 {
            if along[k] == 0.0 {
                if (from[k] - cube[k]).abs() > half {
                    return None;
                }
                continue;
            }
            let [a, b] = [-half, half].map(|h| (cube[k] + h - from[k]) / along[k]);
            (begin, end) = (begin.max(a.min(b)), end.min(a.max(b)));
        }
        (end > begin).then_some(begin)
    };
    let inside = (0..solid.inside().len()).filter(|&n| solid.inside()[n]);
    inside.filter_map(enters).reduce(f64::min)
}

fn ray_near(shape: [usize; 3]) -> impl Strategy<Value = Ray> {
    let place = |wide: f64| {
        proptest::array::uniform3(-wide..1.0 + wide)
            .prop_map(move |x| [0, 1, 2].map(|k| x[k] * shape[k] as f64))
    };
    // Integer and half-integer coordinates also produce rays along cube boundaries and edges, and
    // rays through corners.
    let rough = |x: V| x.map(|x| (2.0 * x).round() / 2.0);
    (place(1.0), place(0.0), 0..3).prop_map(move |(from, to, kind)| {
        let (from, to) = match kind {
            0 => (from, to),
            1 => (rough(from), rough(to)),
            _ => (rough(from), [rough(from)[0], rough(to)[1], rough(from)[2]]),
        };
        let along = sub(to, from);
        let along = if length(along) > 1e-6 { along } else { [0.0, 0.0, 1.0] };
        Ray::new(from, along)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    #[test]
    fn every_rule_finds_the_first_voxel(
        shape in proptest::array::uniform3(1usize..9),
        marks in proptest::collection::vec(0.0f64..1.0, 512),
        share in 0.0f64..0.4,
        shear in -0.8f64..0.8,
        rays in proptest::collection::vec(ray_near([8, 8, 8]), 20),
    ) {
        let steps = [[1.0, shear, 0.0], [0.0, 2.0, 0.0], [0.0, 0.3, 0.7]];
        let values = volume(shape, |_| 0.0).placed([-1.0, 2.0, 0.5], steps).unwrap();
        let inside = marks[..values.n_voxels()].iter().map(|&x| x < share).collect();
        let solid = Solid::voxels(&values, inside).unwrap();
        let guides = RULES.map(|rule| guide(rule, &solid));
        for ray in rays {
            let ray = {
                // Convert from voxel coordinates to world coordinates.
                let world = |x: V| values.placement().world(x);
                Ray::new(world(ray.from), sub(world(ray.at(1.0)), world(ray.from)))
            };
            let hits = guides.each_ref().map(|guide| shoot(&solid, guide, &ray));
            for (rule, hit) in RULES.iter().zip(&hits) {
                prop_assert_eq!((hit.t, hit.cube), (hits[0].t, hits[0].cube), "{:?}", rule);
                prop_assert!(hit.steps <= hits[0].steps, "{:?} of {}", hit, hits[0].steps);
            }
            // Cubes that the ray only touches may or may not count.
            let expected = first_cube(&solid, &ray).unwrap_or(f64::INFINITY);
            let hit = hits[0];
            prop_assert!(hit.t <= expected * (1.0 + 1e-6) + 1e-6, "{:?} {}", hit, expected);
            if hit.is_some() {
                let at = values.placement().index(ray.at(hit.t));
                let [nx, ny, _] = shape;
                let cube = hit.cube as usize;
                prop_assert!(solid.inside()[cube]);
                let cube = [cube % nx, cube / nx % ny, cube / nx / ny].map(|i| i as f64);
                let off = sub(at, cube).into_iter().fold(0.0_f64, |most, x| most.max(x.abs()));
                prop_assert!(off < 0.5 + 1e-6, "{}", off);
            }
        }
    }

    #[test]
    fn every_rule_finds_the_first_crossing_of_a_level(
        values in proptest::collection::vec(-1.0f64..1.0, 343),
        shape in proptest::array::uniform3(2usize..8),
        level in -0.9f64..0.9,
        rays in proptest::collection::vec(ray_near([7, 7, 7]), 20),
    ) {
        let [nx, ny, _] = shape;
        let at = |x: V| values[x[0] as usize + nx * (x[1] as usize + ny * x[2] as usize)];
        let volume = volume(shape, at);
        let solid = Solid::level(&volume, level).unwrap();
        let guides = RULES.map(|rule| guide(rule, &solid));
        for ray in rays {
            let hits = guides.each_ref().map(|guide| shoot(&solid, guide, &ray));
            for hit in hits {
                prop_assert_eq!((hit.t, hit.cube), (hits[0].t, hits[0].cube));
            }
            // Rays in the boundary between cubes only touch them.
            let still = (0..3).filter(|&k| ray.along[k] == 0.0);
            if still.into_iter().any(|k| ray.from[k].fract() == 0.0) {
                continue;
            }
            let height = |t: f64| volume.sample(ray.at(t)).map(|x| x - level);
            let stepped = (0..4000).map(|k| f64::from(k) * 0.01).scan(None, |last, t| {
                let before = *last;
                *last = height(t);
                Some((t, before.zip(*last).is_some_and(|(a, b)| (a < 0.0) != (b < 0.0))))
            });
            let crossing = stepped.into_iter().find(|step| step.1).map(|step| step.0);
            if let Some(t) = crossing {
                prop_assert!(hits[0].t < t + 1e-9, "{} {}", hits[0].t, t);
            }
            if hits[0].is_some() {
                prop_assert!(height(hits[0].t).is_none_or(|x| x.abs() < 1e-9));
            }
        }
    }
}

#[test]
fn a_sphere_has_its_outline_depth_and_normals() {
    let (center, radius) = ([20.0, 19.0, 21.0], 14.0);
    let volume = volume([41, 40, 42], sphere(center, radius));
    let solid = Solid::level(&volume, 0.0).unwrap();
    let guide = guide(Rule::Isotropic, &solid);
    for perspective in [None, Some(50.0)] {
        for from in [[0.0, 0.0, 1.0], [1.0, 0.4, -0.7]] {
            let frame = fitted(&solid, from, perspective, 150.0);
            for (k, hit) in march(&solid, &guide, &frame, [150; 2], 1).unwrap().iter().enumerate() {
                let ray = frame.ray(place(k % 150, k / 150, 1));
                let middle = sub(center, ray.from);
                let (ahead, square) = (dot(middle, ray.along), dot(middle, middle));
                let aside = (square - ahead * ahead).max(0.0).sqrt();
                // The error of linear interpolation of the distance is at most 1/8 of its second
                // derivative.
                if aside > radius + 0.05 {
                    assert!(!hit.is_some(), "{aside}");
                } else if aside < radius - 0.05 {
                    assert!(hit.is_some(), "{aside}");
                    let depth = ahead - (radius * radius - aside * aside).sqrt();
                    let slant = (radius * radius - aside * aside).sqrt() / radius;
                    assert!((hit.t - depth).abs() * slant < 0.03, "{} {depth}", hit.t);
                    let normal = solid.normal(&ray, hit);
                    let exact = unit(sub(ray.at(hit.t), center));
                    assert!(dot(normal, exact) > 0.999, "{normal:?} {exact:?}");
                }
            }
        }
    }
}

#[test]
fn voxels_of_a_ball_are_seen_within_their_size_and_shade_smoothly() {
    let (center, radius) = ([20.0, 19.0, 21.0], 14.0);
    let volume = volume([41, 40, 42], sphere(center, radius));
    let solid = holding(&volume, "v <= 0");
    assert_eq!(solid.n_inside(), volume.to_f64().iter().filter(|&&x| x <= 0.0).count());
    let guide = guide(Rule::Isotropic, &solid);
    let frame = fitted(&solid, [0.3, -1.0, 0.4], None, 120.0);
    let hits = march(&solid, &guide, &frame, [120; 2], 1).unwrap();
    let mut worst: f64 = 1.0;
    for (k, hit) in hits.iter().enumerate() {
        let ray = frame.ray(place(k % 120, k / 120, 1));
        let middle = sub(center, ray.from);
        let aside = (dot(middle, middle) - dot(middle, ray.along).powi(2)).sqrt();
        if hit.is_some() {
            let off = length(sub(ray.at(hit.t), center)) - radius;
            assert!(off < 0.87 && off > -1.8, "{off}");
            let exact = unit(sub(ray.at(hit.t), center));
            worst = worst.min(dot(solid.normal(&ray, hit), exact));
        } else {
            assert!(aside > radius - 0.87, "{aside}");
        }
    }
    assert!(worst > 0.96, "{worst}");
}

#[test]
fn planes_and_boxes_are_met_exactly() {
    let plane = volume([9, 8, 7], |x| 2.0 * x[0] - x[1] + 0.5 * x[2]);
    let solid = Solid::level(&plane, 3.25).unwrap();
    let guide_ = guide(Rule::Isotropic, &solid);
    let frame = fitted(&solid, [1.0, -0.5, 0.2], Some(30.0), 64.0);
    let mut met = 0;
    for (k, hit) in march(&solid, &guide_, &frame, [64; 2], 1).unwrap().iter().enumerate() {
        let ray = frame.ray(place(k % 64, k / 64, 1));
        if hit.is_some() {
            let [x, y, z] = ray.at(hit.t);
            assert!((2.0 * x - y + 0.5 * z - 3.25).abs() < 1e-11);
            assert!(length(sub(solid.normal(&ray, hit), unit([2.0, -1.0, 0.5]))) < 1e-12);
            met += 1;
        }
    }
    assert!(met > 500, "{met}");
    let steps = [[0.5, 0.0, 0.0], [0.0, 0.0, 2.0], [0.0, -1.0, 0.0]];
    let turned = volume([10; 3], |_| 0.0).placed([1.0, 2.0, 3.0], steps).unwrap();
    let within = |n: usize| [n % 10, n / 10 % 10, n / 100].iter().all(|i| (2..=6).contains(i));
    let solid = Solid::voxels(&turned, (0..1000).map(within).collect()).unwrap();
    let ray = Ray::new([100.0, -2.0, 10.0], [-3.0, 0.0, 0.0]);
    let hit = shoot(&solid, &guide(Rule::Isotropic, &solid), &ray);
    // The box ends at x = 1 + 0.5 * 6.5.
    assert_eq!((hit.t, hit.is_some()), (100.0 - 4.25, true));
}

#[test]
fn steps_are_few() {
    let volume = volume([64; 3], sphere([31.5; 3], 20.0));
    let solid = holding(&volume, "v <= 0");
    let frame = fitted(&solid, [0.4, -1.0, 0.3], Some(40.0), 80.0);
    let counts = RULES[..4].iter().map(|&rule| {
        let hits = march(&solid, &guide(rule, &solid), &frame, [80; 2], 1).unwrap();
        Counts::of(&hits)
    });
    let counts: Vec<Counts> = counts.collect();
    for other in &counts {
        assert_eq!((other.rays, other.hits), (6400, counts[0].hits));
    }
    let mean: Vec<f64> = counts.iter().map(Counts::mean).collect();
    // Walking visits each cube on the ray. The isotropic rule takes small steps only near the ball.
    // The directional rule without a cone needs few positions, ideally only two: one at the
    // boundary of the box and one at the hit.
    assert!(mean[1] < 0.6 * mean[0] && mean[2] < 0.6 * mean[1] && mean[2] <= mean[3], "{mean:?}");
    assert!(mean[2] < 5.0 && counts[1].most <= 60, "{mean:?} {counts:?}");
}

#[test]
fn nothing_is_found_in_nothing() {
    let volume = volume([5, 6, 7], |_| 1.0);
    for solid in [Solid::level(&volume, 3.0), Solid::voxels(&volume, vec![false; 210])] {
        let solid = solid.unwrap();
        let frame = fitted(&solid, [1.0; 3], None, 20.0);
        for rule in RULES {
            let hits = march(&solid, &guide(rule, &solid), &frame, [20; 2], 1).unwrap();
            assert!(hits.iter().all(|hit| !hit.is_some() && hit.steps == 0));
        }
    }
}

#[test]
fn an_eye_may_be_inside() {
    let volume = volume([21; 3], sphere([10.0; 3], 6.0));
    let camera = Camera::new([0.0, 0.0, 1.0]);
    let frame = Frame::from_eye([10.0, 10.0, 10.0], &camera, 60.0, [30, 30]);
    let solid = Solid::level(&volume, 0.0).unwrap();
    let voxels = holding(&volume, "v <= 0");
    for rule in RULES {
        let hits = march(&solid, &guide(rule, &solid), &frame, [30; 2], 1).unwrap();
        assert!(hits.iter().all(|hit| (hit.t - 6.0).abs() < 0.06), "{rule:?}");
        let hits = march(&voxels, &guide(rule, &voxels), &frame, [30; 2], 1).unwrap();
        assert!(hits.iter().all(|hit| hit.t == 0.0 && hit.steps == 1), "{rule:?}");
    }
    // The upper and lower edges are 60 degrees apart.
    let angle = dot(frame.ray([15.0, 0.0]).along, frame.ray([15.0, 30.0]).along);
    assert!((angle - 0.5).abs() < 1e-12, "{angle}");
}

#[test]
fn voxels_without_a_value_have_no_surface_and_do_not_hold() {
    let broken = volume([9; 3], |x| if x[0] == 4.0 { f64::NAN } else { x[1] - 4.5 });
    let solid = Solid::level(&broken, 0.0).unwrap();
    let hit = |x: f64| {
        let ray = Ray::new([x, 20.0, 4.0], [0.0, -1.0, 0.0]);
        shoot(&solid, &guide(Rule::Isotropic, &solid), &ray)
    };
    assert_eq!(hit(2.0).t, 15.5);
    assert!(!hit(3.5).is_some() && !hit(4.0).is_some());
    let solid = holding(&broken, "v");
    assert_eq!(solid.n_inside(), 9 * 9 * 8);
}

#[test]
fn what_cannot_be_is_refused() {
    let flat = volume([4, 5, 1], |x| x[0]);
    let refused = |error: zeroset_core::Result<Solid<'_>>| error.unwrap_err().to_string();
    assert!(refused(Solid::level(&flat, 1.0)).contains("show voxels instead"));
    assert!(refused(Solid::level(&flat, f64::NAN)).contains("finite"));
    assert!(refused(Solid::voxels(&flat, vec![true; 3])).contains("one mark per voxel"));
    let long = volume([70_000, 1, 1], |_| 1.0);
    assert!(refused(Solid::voxels(&long, vec![true; 70_000])).contains("65,536"));
    let solid = Solid::voxels(&flat, vec![true; 20]).unwrap();
    for cone in [-0.1, 1.6, f64::NAN] {
        assert!(SpaceSkipping::new(Rule::Directional { cone }, &solid, &Cpu::current()).is_err());
    }
}

#[test]
fn threads_do_not_change_hits() {
    let volume = volume([30; 3], sphere([14.0, 15.0, 13.0], 9.0));
    let solid = Solid::level(&volume, 0.5).unwrap();
    let frame = fitted(&solid, [1.0, 0.2, 0.4], Some(20.0), 50.0);
    let hits = [1, 3].map(|threads| {
        let cpu = Cpu::new(threads).unwrap();
        let guide = SpaceSkipping::new(Rule::Isotropic, &solid, &cpu).unwrap();
        cpu.run(|| march(&solid, &guide, &frame, [50; 2], 2).unwrap())
    });
    assert_eq!(hits[0], hits[1]);
}
