//! The attributes that are requested from a reader, and their selection from those that a file has.

use super::gather::Gather;
use crate::scalar::Scalar;
use zeroset_core::cloud::{Attribute, NumberType, key};

/// The attributes to read. No attribute is read unless it is requested, except the class of the
/// points, which the report counts.
#[derive(Clone, Debug, Default)]
pub(super) struct Wanted {
    /// Whether all attributes are read.
    pub(super) all: bool,
    /// The names of attributes to read.
    pub(super) names: Vec<String>,
}

/// The name of the attribute that holds the class of lidar points.
pub(super) const CLASS: &str = "classification";

impl Wanted {
    /// Returns true if an attribute of this name is requested.
    pub(super) fn has(&self, name: &str) -> bool {
        self.all || self.names.iter().any(|wanted| key(wanted) == key(name))
    }

    /// Selects the attributes to read from those of a file, each given by its name, the type of its
    /// numbers, and its place in the file. The class is always read.
    pub(super) fn choose<P>(
        &self,
        found: impl IntoIterator<Item = (String, NumberType, P)>,
    ) -> Chosen<P> {
        let mut chosen = Chosen { attributes: vec![], places: vec![], available: vec![] };
        for (name, kind, place) in found {
            if self.has(&name) || key(&name) == CLASS {
                chosen.attributes.push(Attribute::new(name.clone(), kind));
                chosen.places.push(place);
            }
            chosen.available.push(name);
        }
        chosen
    }
}

/// The attributes to read from a file.
pub(super) struct Chosen<P> {
    /// The attributes, without numbers.
    attributes: Vec<Attribute>,
    /// The place of each attribute in the file.
    pub(super) places: Vec<P>,
    /// The names of all attributes of the file.
    available: Vec<String>,
}

impl<P> Chosen<P> {
    /// Adds these attributes to a collection without points.
    pub(super) fn add_to(&self, gather: &mut Gather) {
        gather.take_attributes(self.attributes.clone(), self.available.clone());
    }
}

/// Returns the type that stores the numbers of a given type in the file. 64-bit integers become
/// real numbers, which are exact up to 2^53.
pub(super) fn kind_of(scalar: Scalar) -> NumberType {
    match scalar {
        Scalar::Bit | Scalar::U8 => NumberType::U8,
        Scalar::I8 | Scalar::I16 => NumberType::I16,
        Scalar::U16 => NumberType::U16,
        Scalar::I32 => NumberType::I32,
        Scalar::U32 => NumberType::U32,
        Scalar::F32 => NumberType::F32,
        Scalar::I64 | Scalar::U64 | Scalar::F64 => NumberType::F64,
    }
}
