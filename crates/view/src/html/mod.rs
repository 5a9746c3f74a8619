//! Pages with a 3-D view that a browser shows without a network: one HTML file that contains the
//! data, the scripts and the library three.js.
//!
//! A [`Scene`] holds a surface with the fields that can color it, and the interface at several
//! times. [`page`] puts it on a separate page, and [`report`] below the text of a report.
//! Coordinates and values are stored in 16 bits each, so their error is at most 1/131068 of their
//! range.
//!
//! ```
//! use zeroset_core::mesh::generate::{Generate, Sphere, generate};
//! use zeroset_view::html::{Scene, Surface, Values, page};
//!
//! let mesh = generate(&Generate::Sphere(Sphere::default()))?;
//! let height: Vec<f64> = mesh.vertices.iter().map(|x| x[2]).collect();
//! let surface = Surface::of(&mesh).with_values("height", &[&height], &Values::default());
//! let html = page(&Scene::new("Sphere").with_surface(surface))?;
//! assert!(html.starts_with("<!doctype html>"));
//! # Ok::<(), zeroset_core::Error>(())
//! ```

mod arrays;
mod page;
mod report;
mod scene;
mod surface;

pub use page::page;
pub use report::{Report, Table, Verdict, report};
pub use scene::{Frame, Scene};
pub use surface::{Surface, Values};
