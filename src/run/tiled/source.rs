//! phi of `[initial]` as read from the case, independent of the grid.

use super::TiledCase;
use crate::config::{Initial, Units};
use crate::error::Result;
use crate::expression::Lattice;
use crate::geometry::shape::Shape;
use crate::run::clock::Dated;
use crate::run::frames;
use crate::run::initial_from_image::ImageLevel;
use crate::run::initial_from_region::{Leaf, RegionLevel};
use crate::run::initial_from_surface::ClosedSurface;
use crate::run::initial_from_volume::VolumeLevel;

/// The source of the initial phi, as given in `[initial]`.
pub(super) enum Source {
    /// A shape, intersected with the bounds of the case.
    Shape(Shape),
    Expression(Lattice),
    Mesh(Box<ClosedSurface>),
    Volume(Box<VolumeLevel>),
    Image(Box<ImageLevel>),
    Region(RegionLevel),
}

impl Source {
    /// Returns the time of the file that phi comes from, if it states one.
    pub(super) fn dated(&self) -> Option<Dated> {
        match self {
            Source::Mesh(surface) => surface.dated(),
            Source::Region(region) => region.dated(),
            Source::Volume(level) => level.dated.clone(),
            Source::Shape(_) | Source::Expression(_) | Source::Image(_) => None,
        }
    }

    /// Returns the units that the file of phi states, if it is a state of a run.
    pub(super) fn units(&self) -> Units {
        match self {
            Source::Mesh(surface) => surface.state.units.clone(),
            Source::Volume(level) => level.units.clone(),
            _ => Units::default(),
        }
    }

    /// Returns a function that is negative inside and close to the signed distance near the
    /// interface, in world units.
    pub(super) fn level(&self) -> Box<dyn Fn([f64; 3]) -> f64 + Sync + '_> {
        let of_lattice = |lattice: &Lattice, [x, y, z]: [f64; 3]| {
            let mut value = [0.0_f64];
            lattice.evaluate_into([&[x], &[y], &[z]], 0.0, &mut value);
            value[0]
        };
        match self {
            Source::Shape(shape) => Box::new(|x| shape.signed_distance(x)),
            Source::Expression(lattice) => Box::new(move |x| of_lattice(lattice, x)),
            Source::Mesh(surface) => {
                let index = surface.index();
                Box::new(move |x| surface.signed_distance(&index, x))
            }
            Source::Volume(level) => Box::new(|x| level.value(x).max(level.beyond(x))),
            Source::Image(image) => Box::new(|x| image.signed_distances(&[x])[0]),
            Source::Region(region) => Box::new(move |x| {
                let mut value = [0.0];
                region.combine(&mut value, &|leaf, out| {
                    out[0] = match leaf {
                        Leaf::Shape(shape) => shape.signed_distance(x),
                        Leaf::Mesh(surface) => surface.signed_distance(x),
                        Leaf::Volume(level) => level.value(x).max(level.beyond(x)),
                        Leaf::Expression(lattice) => of_lattice(lattice, x),
                    }
                });
                value[0]
            }),
        }
    }
}

impl TiledCase<'_> {
    /// Reads `[initial]`. Warnings about its files are added to `warnings`.
    ///
    /// # Errors
    /// Returns [`Error::Case`](crate::Error::Case) for an initial phi that tiles do not support.
    /// Returns [`Error::Input`](crate::Error::Input) for an invalid surface or volume file.
    pub(super) fn read(&self, warnings: &mut Vec<String>) -> Result<Source> {
        Ok(match &self.config.initial {
            Some(Initial::Shape(shape)) => Source::Shape(match self.frame() {
                None => shape.clone(),
                Some(frame) => Shape::Intersection(vec![shape.clone(), frame]),
            }),
            Some(Initial::Expression { expression }) => Source::Expression(
                Lattice::bind(std::slice::from_ref(expression))
                    .map_err(self.config.locate("initial.expression"))?,
            ),
            Some(Initial::Mesh { mesh }) => {
                let surface = ClosedSurface::read(self.config, mesh, warnings)?;
                let mixed = frames::beside_volumes(self.config, &surface.path, &surface.frame);
                mixed.iter().for_each(|warning| tracing::warn!("{warning}"));
                warnings.extend(mixed);
                Source::Mesh(Box::new(surface))
            }
            Some(Initial::Volume { volume }) => {
                let table = "initial.volume";
                let level = VolumeLevel::read(self.config, table, volume, warnings)?;
                Source::Volume(Box::new(level))
            }
            Some(Initial::Image { image }) => {
                Source::Image(Box::new(ImageLevel::read(self.config, image, warnings)?))
            }
            Some(Initial::Region(region)) => {
                let region = RegionLevel::read(self.config, "initial", region, warnings)?;
                for surface in region.surfaces() {
                    let (path, frame) = (&surface.surface.path, &surface.surface.frame);
                    let mixed = frames::beside_volumes(self.config, path, frame);
                    mixed.iter().for_each(|warning| tracing::warn!("{warning}"));
                    warnings.extend(mixed);
                }
                Source::Region(region)
            }
            _ => return Err(self.unbounded()),
        })
    }

    /// Returns the bounds of the case as a box, if it has bounds.
    fn frame(&self) -> Option<Shape> {
        self.source.bounds.as_ref().map(|b| Shape::Box { min: b.min, max: b.max })
    }
}
