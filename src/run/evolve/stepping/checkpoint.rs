//! Checkpoints of a motion without files.

use std::path::Path;

use super::{End, Stepping};
use crate::error::Result;
use crate::output::checkpoint::{Checkpoint, Identity, Position, State, Written};
use crate::output::{Measures, Report, Seconds};
use crate::run::checkpointing::Stopped;
use crate::run::evolve::mesh::begun_phi;
use crate::run::identity;
use crate::run::motion::other;
use crate::run::time_loop::Point;

impl Stepping {
    /// Returns a checkpoint of the current state.
    ///
    /// # Errors
    /// Returns [`Error::Device`](crate::Error::Device) if the GPU fails or memory runs out.
    pub fn checkpoint(&mut self) -> Result<Checkpoint> {
        let identity = self.identity()?;
        let state = self.motion.snapshot()?;
        let [evolve, reinitialize] = state.seconds();
        // The length of a step may depend on the time at which the terms were set.
        let first = Measures { time: self.setup.cleaned.start_time, ..Measures::default() };
        Ok(Checkpoint {
            program: identity::program(),
            identity,
            position: Position {
                next_output: self.schedule.next_output(),
                time: self.schedule.time(),
                steps: self.schedule.steps(),
                dt: self.dt,
                state_due: !self.is_begun,
                measures_due: false,
                ended_by: self.end.map_or("", End::words).to_string(),
            },
            written: Written::default(),
            seconds: Seconds { evolve, reinitialize, ..Seconds::default() },
            first: Some(first),
            last: None,
            state,
        })
    }

    /// Continues from the checkpoint in a file. If `is_paused` is true, the checkpoint may have
    /// other terms and another end, and the motion then pauses there. Returns a warning if another
    /// build of the program wrote the checkpoint.
    ///
    /// # Errors
    /// Returns the errors of [`Checkpoint::read`]. Returns [`Error::Case`](crate::Error::Case) or
    /// [`Error::Mesh`](crate::Error::Mesh) if the checkpoint belongs to another case or mesh.
    pub fn resume(&mut self, path: &Path, is_paused: bool) -> Result<Option<String>> {
        let checkpoint = Checkpoint::read(path)?;
        let config = self.setup.config.clone();
        // The caller may read the same mesh from another place. Its hash is compared below.
        let is_free =
            |key: &str| key == "domain.mesh.path" || is_paused && identity::is_of_a_motion(key);
        let warning = identity::check_case(&config, &checkpoint, is_free)?;
        let now = self.identity()?;
        identity::check_domain(&config, &now, &checkpoint.identity)?;
        let (Stopped { position, first, .. }, state) = Stopped::of(checkpoint);
        let State::Mesh(snapshot) = state else {
            return Err(other("tiles", "a mesh"));
        };
        let mut setup = self.setup.clone();
        if let Some(Measures { time, .. }) = first {
            setup.begin_at(time);
        }
        self.move_to(&snapshot, setup)?;
        let evolve = config.evolve.clone().unwrap_or_default();
        let Point { schedule, due, dt } = Point::resumed(&evolve, &config.output, &position);
        self.start = (schedule.steps(), schedule.time());
        (self.schedule, self.dt) = (schedule, dt);
        self.is_begun = !due.state;
        self.end = due.end;
        Ok(warning)
    }

    /// Returns the identity of the case on its mesh.
    fn identity(&mut self) -> Result<Identity> {
        if let Some(identity) = &self.identity {
            return Ok(identity.clone());
        }
        let mut setup = self.setup.clone();
        let config = setup.config.clone();
        let mut unused = Report::new(&config, setup.cpu.threads());
        let phi = begun_phi(&config, &mut setup, &mut unused)?;
        let identity = identity::of(&config, &setup.cleaned.mesh, &setup.patches, &phi)?;
        Ok(self.identity.insert(identity).clone())
    }
}
