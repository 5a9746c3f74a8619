//! Draws the plots of the documentation from the tables in `benches/results`. Nothing is measured.
//!
//! `cargo bench --bench plots -- [FOLDER]` writes the plots to FOLDER (default `docs/images`). The
//! tables come from the benchmarks `gpu`, `point_distance` and `render`.

use std::error::Error;
use std::path::PathBuf;

use plotters::chart::SeriesLabelPosition;

#[path = "support/kept.rs"]
mod kept;
#[path = "support/plot.rs"]
mod plot;

use kept::{Row, Table};
use plot::{Axis, Line, Plot};

const MEBI: f64 = (1 << 20) as f64;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().skip(1).find(|a| !a.starts_with("--"));
    let images = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("docs/images");
    let folder = folder.map_or_else(images, PathBuf::from);
    let plots = [
        ("tiles_scaling", tiles()),
        ("distance_speed", speed()),
        ("distance_saturation", saturation()),
        ("distance_memory", memory()),
        ("distance_perforation", perforation()),
        ("distance_perforation_random", random()),
        ("steps_by_angle", angles()),
    ];
    for (name, plot) in plots {
        let path = folder.join(name).with_extension("svg");
        std::fs::write(&path, plot.svg()?)?;
        println!("{}", path.display());
    }
    Ok(())
}

fn log(name: &'static str) -> Axis {
    Axis { name, is_log: true }
}

fn even(name: &'static str) -> Axis {
    Axis { name, is_log: false }
}

/// Returns a line through the rows of a table for which `keep` returns true.
fn line(
    table: &Table,
    name: impl Into<String>,
    keep: impl Fn(&Row<'_>) -> bool,
    point: impl Fn(Row<'_>) -> (f64, f64),
) -> Line {
    Line { name: name.into(), points: table.rows().filter(keep).map(point).collect() }
}

/// Returns the plot of Figures 6 and 7 of Jalba et al. (2013).
fn tiles() -> Plot {
    let table = Table::read("gpu-tiles.md", "| tiles | edge | precision |");
    let terms =
        [("first order", "first order, F + curvature"), ("WENO5", "WENO5 + RK3, F + curvature")];
    let curve = |(name, terms): (&str, &str), edge: i32| {
        let keep =
            |row: &Row<'_>| row.text("terms") == terms && row.number("edge") == f64::from(edge);
        line(&table, format!("{name}, tiles of {edge}³"), keep, |row| {
            (row.number("tiles") * f64::from(edge.pow(3)), row.number("us per step"))
        })
    };
    Plot {
        title: "Time of a step on an H200",
        x: log("voxels in tiles"),
        y: log("microseconds per step"),
        names: SeriesLabelPosition::UpperLeft,
        lines: terms.iter().flat_map(|&t| [4, 8].map(|edge| curve(t, edge))).collect(),
    }
}

fn of_streams() -> Table {
    Table::read("point-distances.md", "| sites | serial ms | kernel ms |")
}

const WAYS: [(&str, &str); 3] = [
    ("kernel alone", "kernel ms"),
    ("with copies of queries and results", "with the copies of queries and results ms"),
    ("2 streams in 8 MiB, sites copied", "2 streams in 8 MiB, sites from the host ms"),
];

/// Returns the plot of Figure 5a of Khan and Zahran.
fn speed() -> Plot {
    let table = of_streams();
    let lines = WAYS.map(|(name, column)| {
        line(
            &table,
            name,
            |_| true,
            |row| (row.number("sites"), row.number("serial ms") / row.number(column)),
        )
    });
    // Returns the serial time in `table` for a number of sites.
    let serial = |sites: f64| {
        let row = table.rows().find(|row| row.number("sites") == sites);
        row.map_or(f64::NAN, |row| row.number("serial ms"))
    };
    let two = Table::read("point-distances.md", "| sites | one GPU, two streams in 8 MiB");
    let two = line(
        &two,
        "two H200, sites copied",
        |_| true,
        |row| {
            let sites = row.number("sites");
            (sites, serial(sites) / row.number("two GPUs, ms"))
        },
    );
    Plot {
        title: "T(q) of 1,024 queries on an H200",
        x: log("sites"),
        y: log("times a serial program"),
        names: SeriesLabelPosition::LowerRight,
        lines: lines.into_iter().chain([two]).collect(),
    }
}

/// Returns the plot of Figure 5b of Khan and Zahran: the data of Figure 5a on linear axes, which
/// show the saturation.
fn saturation() -> Plot {
    let table = of_streams();
    let lines = WAYS.map(|(name, column)| {
        line(
            &table,
            name,
            |row| row.number("sites") < 2e6,
            |row| (row.number("sites") / 1e3, row.number("serial ms") / row.number(column)),
        )
    });
    Plot {
        title: "T(q) of 1,024 queries: saturation of a GPU",
        x: even("thousands of sites"),
        y: even("times a serial program"),
        names: SeriesLabelPosition::Coordinate(300, 200),
        lines: lines.into(),
    }
}

/// Returns the plot of Figure 6b of Khan and Zahran.
fn memory() -> Plot {
    let table = of_streams();
    let set = |name: &str, column: &'static str| {
        line(&table, name, |_| true, move |row| (row.number("sites"), row.number(column)))
    };
    let all = line(
        &table,
        "4 bytes for each pair",
        |_| true,
        |row| (row.number("sites"), 4.0 * 1024.0 * row.number("sites") / MEBI),
    );
    Plot {
        title: "Memory for sites and results",
        x: log("sites"),
        y: log("working set, MiB"),
        names: SeriesLabelPosition::UpperLeft,
        lines: vec![
            set("all sites on the GPU", "working set MiB"),
            set("2 streams in 8 MiB", "in 2 streams MiB"),
            all,
        ],
    }
}

/// Returns the plot of Figure 7a of Khan and Zahran.
fn perforation() -> Plot {
    let table = Table::read("point-distances.md", "| order of the sites | every | kernel ms |");
    let order = |name: &str| {
        let keep =
            |row: &Row<'_>| row.text("order of the sites") == name && row.number("every") > 1.0;
        line(&table, name, keep, |row| (row.number("times all sites"), row.number("mean error %")))
    };
    Plot {
        title: "Perforation: voxels of a thick shell",
        x: even("times all sites"),
        y: even("mean error, %"),
        names: SeriesLabelPosition::UpperLeft,
        lines: ["order of the volume", "random order"].map(order).into(),
    }
}

/// Returns the plot of Figure 7b of Khan and Zahran.
fn random() -> Plot {
    let table = Table::read("point-distances.md", "| sites without order | every |");
    let points = |name: &str, error: &'static str| {
        line(
            &table,
            name,
            |row| row.number("every") > 1.0,
            move |row| (row.number("times all sites"), row.number(error)),
        )
    };
    Plot {
        title: "Perforation: randomly placed points",
        x: even("times all sites"),
        y: even("mean error, %"),
        names: SeriesLabelPosition::UpperLeft,
        lines: vec![
            points("measured", "mean error %"),
            points("expected of points spread evenly", "expected %"),
        ],
    }
}

/// Returns the plot of Figure 9a of Khan and Zahran.
fn angles() -> Plot {
    let table = Table::read("render.md", "| half the opening of the cone, degrees |");
    let steps = line(
        &table,
        "a CT head of 192³ voxels",
        |_| true,
        |row| (row.number("half the opening of the cone, degrees"), row.number("steps per ray")),
    );
    Plot {
        title: "Steps per ray, by the angle of the cone",
        x: even("half the opening angle of the cone, degrees (180: all directions)"),
        y: even("steps per ray"),
        names: SeriesLabelPosition::LowerRight,
        lines: vec![steps],
    }
}
