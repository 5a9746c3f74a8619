//! Tests of pictures of volumes, drawn by ray casting.

use zeroset_core::Cpu;
use zeroset_core::expression::Expression;
use zeroset_core::volume::{Placement, Samples, Volume};
use zeroset_view::picture::{Image, Options, Shows, Traced, View, draw, trace};
use zeroset_view::render::{Rule, Solid, SpaceSkipping};

/// Returns a volume of 33^3 voxels with the signed distance to a sphere of radius 10 at its center.
fn ball() -> Volume {
    let value = |n: usize| {
        let x = [n % 33, n / 33 % 33, n / 33 / 33].map(|i| i as f32 - 16.0);
        (x[0] * x[0] + x[1] * x[1] + x[2] * x[2]).sqrt() - 10.0
    };
    let values: Vec<f32> = (0..33 * 33 * 33).map(value).collect();
    Volume::new([33; 3], Samples::from(values), Placement::identity()).unwrap()
}

fn small() -> Options {
    Options::default().with_size(200, 200).with_view(View::PlusZ)
}

fn covered(image: &Image) -> usize {
    image.pixels.chunks_exact(3).filter(|p| **p != [255; 3]).count()
}

#[test]
fn a_ball_is_a_disc_that_fills_the_picture() {
    let volume = ball();
    let cpu = Cpu::current();
    let level = Solid::level(&volume, 0.0).unwrap();
    let voxels = Solid::voxels(&volume, volume.to_f64().iter().map(|&v| v <= 0.0).collect());
    let voxels = voxels.unwrap();
    for solid in [&level, &voxels] {
        let guide = SpaceSkipping::new(Rule::Isotropic, solid, &cpu).unwrap();
        for angle in [None, Some(40.0)] {
            let traced = Traced::new(solid, &guide);
            let image = draw(&traced, &small().with_perspective(angle)).unwrap();
            // The margin is 3 percent. The occupied cubes lie in a box whose sides are 20 to 22
            // voxels long.
            let share = covered(&image) as f64 / (200.0 * 200.0);
            // In perspective, the corners of that box determine the size, and the ball fills less
            // of it.
            let expected = if angle.is_none() { 0.6..0.72 } else { 0.4..0.6 };
            assert!(expected.contains(&share), "{share}");
            let middle = &image.pixels[3 * (100 * 200 + 100)..][..3];
            let edge = (0..200).map(|x| &image.pixels[3 * (100 * 200 + x)..][..3]);
            let edge = edge.skip_while(|p| **p == [255; 3]).nth(1).unwrap();
            assert!(
                middle[0] > 200 && edge[0] < middle[0] - 25,
                "lit from the eye: {middle:?} {edge:?}"
            );
        }
    }
}

#[test]
fn every_rule_draws_the_same_picture_but_that_of_its_steps() {
    let volume = ball();
    let selected =
        volume.to_f64().into_iter().enumerate().map(|(n, v)| v <= 0.0 && n % 33 + n / 33 % 33 > 20);
    let solid = Solid::voxels(&volume, selected.collect()).unwrap();
    let colors: Expression = "v + 0.1*z".parse().unwrap();
    let cone = std::f64::consts::PI / 5.0;
    let rules =
        [Rule::Walk, Rule::Isotropic, Rule::Directional { cone: 0.0 }, Rule::Directional { cone }];
    let mut pictures: Vec<[Image; 3]> = Vec::new();
    let mut steps = Vec::new();
    for rule in rules {
        let guide = SpaceSkipping::new(rule, &solid, &Cpu::current()).unwrap();
        let options = small().with_view(View::Auto).with_perspective(Some(30.0));
        let traced = Traced::new(&solid, &guide).with_samples(1);
        let image = |shows| draw(&traced.showing(shows), &options).unwrap();
        let colored = draw(&traced.colored_by(&colors), &options).unwrap();
        pictures.push([image(Shows::Shaded), image(Shows::Depth), colored]);
        let (picture, counts) = trace(&traced.showing(Shows::Iterations), &options).unwrap();
        assert_eq!(counts.rays, 200 * 200);
        steps.push((picture, counts.mean()));
    }
    assert!(pictures.iter().all(|others| *others == pictures[0]));
    assert_ne!(pictures[0][0], pictures[0][2]);
    assert!(steps[1].1 < steps[0].1 && steps[2].1 < steps[1].1 && steps[2].1 <= steps[3].1);
    assert_ne!(steps[0].0, steps[1].0);
    // The picture is gray: white for the fewest steps and black for the most.
    let grey = |p: &[u8]| p[0].abs_diff(p[1]) < 2 && p[1].abs_diff(p[2]) < 2;
    assert!(steps[1].0.pixels.chunks_exact(3).all(grey));
    assert!(steps[1].0.pixels.iter().any(|&x| x < 5));
}

#[test]
fn pictures_do_not_depend_on_threads_and_may_be_transparent_or_empty() {
    let volume = ball();
    let solid = Solid::level(&volume, 0.0).unwrap();
    let guide = SpaceSkipping::new(Rule::Isotropic, &solid, &Cpu::current()).unwrap();
    let traced = Traced::new(&solid, &guide).with_title("ball", "33^3");
    let options = Options::default().with_size(320, 240).with_perspective(Some(25.0));
    let [one, three] =
        [1, 3].map(|threads| Cpu::new(threads).unwrap().run(|| draw(&traced, &options).unwrap()));
    assert!(one == three);
    let clear = draw(&traced, &options.clone().with_transparency(true)).unwrap();
    for ((white, clear), alpha) in
        one.pixels.chunks_exact(3).zip(clear.pixels.chunks_exact(3)).zip(&clear.alpha)
    {
        match alpha {
            0 => assert_eq!(white, [255; 3]),
            255 => assert_eq!(white, clear),
            _ => {}
        }
    }
    let nothing = Solid::level(&volume, 1e6).unwrap();
    let guide =
        SpaceSkipping::new(Rule::Directional { cone: 0.0 }, &nothing, &Cpu::current()).unwrap();
    for shows in [Shows::Shaded, Shows::Depth, Shows::Iterations] {
        let traced = Traced::new(&nothing, &guide).showing(shows);
        for (width, height) in [(16, 16), (16, 900), (400, 20)] {
            let image = draw(&traced, &Options::default().with_size(width, height)).unwrap();
            assert!(covered(&image) == 0 || shows != Shows::Shaded);
        }
    }
    let many = trace(&Traced::new(&nothing, &guide).with_samples(9), &small()).unwrap_err();
    assert!(many.to_string().contains("1 to 8"), "{many}");
    let wrong: Expression = "density".parse().unwrap();
    let guide = SpaceSkipping::new(Rule::Walk, &solid, &Cpu::current()).unwrap();
    let wrong = trace(&Traced::new(&solid, &guide).colored_by(&wrong), &small()).unwrap_err();
    assert!(wrong.to_string().contains("unknown name `density`"), "{wrong}");
}

#[test]
fn one_slice_is_seen_straight() {
    let values: Vec<u8> = (0..30 * 20).map(|n| if n % 30 < 15 { 200 } else { 10 }).collect();
    let volume = Volume::new([30, 20, 1], values.into(), Placement::identity()).unwrap();
    let solid = Solid::voxels(&volume, vec![true; 600]).unwrap();
    let guide = SpaceSkipping::new(Rule::Isotropic, &solid, &Cpu::current()).unwrap();
    let colors: Expression = "v".parse().unwrap();
    let traced = Traced::new(&solid, &guide).colored_by(&colors);
    let image = draw(&traced, &Options::default().with_size(150, 100)).unwrap();
    let at = |x: usize, y: usize| &image.pixels[3 * (y * 150 + x)..][..3];
    assert!(at(40, 50)[0] > at(110, 50)[0], "high values are lighter");
    // The normal at a position on a voxel surface is a sum over the voxels around it. In this
    // slice, all normals are nearly equal.
    let apart = at(40, 30).iter().zip(at(60, 70)).map(|(a, b)| a.abs_diff(*b)).max().unwrap();
    assert!(apart <= 6, "{apart}");
}
