//! The choice of one layer, volume or channel of a file that holds several.

use super::VolumeOptions;
use zeroset_core::error::{Flaw, FlawKind, Result};

/// The numbers of layers, volumes and channels in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Label maps of a segmentation whose segments overlap.
    pub layers: usize,
    /// Volumes of a series, such as the times of a measurement.
    pub volumes: usize,
    /// Numbers per voxel, such as colors or the components of a vector.
    pub channels: usize,
}

impl Counts {
    /// The counts of a file with a single number per voxel.
    pub const ONE: Counts = Counts { layers: 1, volumes: 1, channels: 1 };
}

/// The indices of the layer, volume and channel to read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Chosen {
    pub layer: usize,
    pub volume: usize,
    pub channel: usize,
}

/// The names of the channels of a picture, in their usual order.
pub(crate) const COLORS: [&str; 4] = ["red", "green", "blue", "alpha"];

/// The largest number of entries that a message lists.
const LISTED: usize = 16;

/// An option that chooses one of several entries of a file.
struct Dimension {
    /// The name of the option, which is also the key in a case file.
    option: &'static str,
    /// The entries, in the singular and the plural.
    words: [&'static str; 2],
    count: usize,
    asked: Option<usize>,
}

impl VolumeOptions {
    /// Chooses the only layer, volume and channel of a file.
    ///
    /// # Errors
    /// Returns the errors of [`VolumeOptions::choose`].
    pub(crate) fn choose_only(&self) -> Result<(), Flaw> {
        self.choose(Counts::ONE, &[]).map(|_| ())
    }

    /// Returns the indices of the layer, volume and channel to read. `names` describes the layers,
    /// or the channels if there is only one layer. It may have fewer entries than there are layers
    /// or channels.
    ///
    /// # Errors
    /// Returns a [`Flaw`] that lists the entries if there are several and the options choose none,
    /// or if the options choose an entry that does not exist.
    pub(crate) fn choose(&self, counts: Counts, names: &[String]) -> Result<Chosen, Flaw> {
        let Counts { layers, volumes, channels } = counts;
        let layer = Dimension {
            option: "layer",
            words: ["layer", "layers"],
            count: layers,
            asked: self.layer,
        };
        let volume = Dimension {
            option: "volume_index",
            words: ["volume", "volumes"],
            count: volumes,
            asked: self.volume_index,
        };
        let channel = Dimension {
            option: "channel",
            words: ["channel", "channels"],
            count: channels,
            asked: self.channel,
        };
        let (of_layers, of_channels) = if layers > 1 { (names, &[][..]) } else { (&[][..], names) };
        Ok(Chosen {
            layer: self.index(&layer, of_layers)?,
            volume: self.index(&volume, &[])?,
            channel: self.index(&channel, of_channels)?,
        })
    }

    fn index(&self, dimension: &Dimension, names: &[String]) -> Result<usize, Flaw> {
        let &Dimension { option, words: [one, several], count, asked } = dimension;
        match asked {
            Some(k) if k < count => return Ok(k),
            None if count == 1 => return Ok(0),
            _ => {}
        }
        let option = self.written(option);
        if count == 1 {
            let what = format!("{option} {}: there is only one {one}", asked.unwrap_or(0));
            return Err(Flaw::at("header", what, "leave it out").kind_of(FlawKind::Asked));
        }
        let mut listed: Vec<String> =
            names.iter().take(LISTED).enumerate().map(|(k, name)| format!("{k} {name}")).collect();
        if names.len() > LISTED {
            listed.push("...".into());
        }
        let listed =
            if listed.is_empty() { String::new() } else { format!(": {}", listed.join(", ")) };
        let remedy = format!("choose one with {option} N, from 0 to {}", count - 1);
        Err(match asked {
            Some(k) => {
                let what = format!("there is no {one} {k} among {count} {several}{listed}");
                Flaw::at("header", what, remedy).kind_of(FlawKind::Asked)
            }
            None => {
                let what = format!("the file holds {count} {several}{listed}");
                Flaw::at("header", what, remedy).kind_of(FlawKind::Unsupported)
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_of_several_is_chosen_and_others_are_listed() {
        let counts = Counts { layers: 1, volumes: 3, channels: 2 };
        let names = ["red".to_string(), "green".to_string()];
        let options = VolumeOptions::default().channel(Some(1)).volume_index(Some(2));
        let chosen = options.choose(counts, &names).unwrap();
        assert_eq!(chosen, Chosen { layer: 0, volume: 2, channel: 1 });
        let refused = |options: VolumeOptions| options.choose(counts, &names).unwrap_err();
        let none = refused(VolumeOptions::default().channel(Some(0)));
        assert!(none.what().contains("the file holds 3 volumes"), "{none}");
        assert!(none.remedy().contains("--volume N, from 0 to 2"), "{none}");
        let none = refused(VolumeOptions::default().volume_index(Some(0)).table("initial.volume"));
        assert!(none.what().contains("2 channels: 0 red, 1 green"), "{none}");
        assert!(none.remedy().contains("initial.volume.channel = N"), "{none}");
        let far = refused(options.clone().channel(Some(2)));
        assert!(far.what().contains("there is no channel 2 among 2 channels"), "{far}");
        let other = refused(options.layer(Some(1)));
        assert!(other.what().contains("--layer 1: there is only one layer"), "{other}");
        assert_eq!(other.kind(), FlawKind::Asked);
        assert!(VolumeOptions::default().layer(Some(0)).choose_only().is_ok());
    }
}
