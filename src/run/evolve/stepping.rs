//! A motion on a mesh that the caller drives from state to state, without files.

mod checkpoint;
mod on_gpu;

use on_gpu::Exchange;

use super::mesh::{MeshInputs, begun_phi, inputs, note_choices, options, without_interface};
use crate::error::Result;
use crate::levelset::evolution::Snapshot;
use crate::output::checkpoint::{Identity, State};
use crate::output::{Measures, Report};
use crate::run::factory::{self, MeshStart};
use crate::run::mesh_setup::MeshSetup;
use crate::run::motion::{Motion, other};
use crate::run::schedule::{Due, End, Schedule};
use crate::run::task::Stages;
use crate::run::{Progress, terms};

/// A motion between two states.
pub(crate) struct Stepping {
    setup: MeshSetup,
    motion: Box<dyn Motion>,
    schedule: Schedule,
    /// Step and time at which the motion began.
    start: (u64, f64),
    dt: f64,
    is_begun: bool,
    end: Option<End>,
    /// The identity of the case, once a checkpoint needs it.
    identity: Option<Identity>,
    /// The data for exchanges of arrays on the GPU, once there are any.
    exchange: Exchange,
}

impl Stepping {
    /// Begins the motion of a case. Adds the warnings to the report.
    ///
    /// # Errors
    /// Returns the errors of a run before its first step.
    pub fn new(mut setup: MeshSetup, report: &mut Report) -> Result<Self> {
        setup.note(report);
        let config = setup.config.clone();
        let phi = begun_phi(&config, &mut setup, report)?;
        Self::from_phi(setup, &phi, report)
    }

    /// Begins the motion of a case with the given phi, in the order of the cleaned mesh.
    fn from_phi(setup: MeshSetup, phi: &[f64], report: &mut Report) -> Result<Self> {
        let config = setup.config.clone();
        let MeshInputs { terms, options } = inputs(&setup, report)?;
        let start = MeshStart { phi, terms: &terms, options: &options };
        let motion = factory::mesh_motion(&setup, start, None)
            .map_err(|error| without_interface(&config, phi, error))?;
        note_choices(&*motion, &setup.cleaned, &terms, report);
        let time = setup.cleaned.start_time;
        let evolve = config.evolve.clone().unwrap_or_default();
        let schedule = Schedule::new(&evolve, &config.output).starting(time);
        Ok(Stepping {
            setup,
            motion,
            schedule,
            start: (0, time),
            dt: 0.0,
            is_begun: false,
            end: None,
            identity: None,
            exchange: Exchange::default(),
        })
    }

    /// Continues with the terms of another case on the same mesh. The state, the band and the
    /// schedule stay as they are.
    ///
    /// # Errors
    /// Returns [`Error::Case`](crate::Error::Case) for terms that cannot be used.
    pub fn set_terms(&mut self, mut setup: MeshSetup) -> Result<()> {
        setup.begin_at(self.schedule.time());
        let State::Mesh(snapshot) = self.motion.snapshot()? else {
            return Err(other("tiles", "a mesh"));
        };
        self.identity = None;
        self.move_to(&snapshot, setup)
    }

    /// Continues from a snapshot with the terms of a case on the same mesh.
    fn move_to(&mut self, snapshot: &Snapshot, setup: MeshSetup) -> Result<()> {
        let terms = terms::terms(&setup.config, &setup.cleaned)?;
        let options = options(&setup);
        let start = MeshStart { phi: &snapshot.phi, terms: &terms, options: &options };
        self.motion = factory::mesh_motion(&setup, start, Some(snapshot))?;
        self.setup = setup;
        Ok(())
    }

    /// Continues with the outputs and the end of the case that [`Stepping::set_terms`] has set. The
    /// current state is not returned again.
    pub fn set_schedule(&mut self) {
        let (time, steps) = (self.schedule.time(), self.schedule.steps());
        let config = &self.setup.config;
        let evolve = config.evolve.clone().unwrap_or_default();
        let schedule = Schedule::new(&evolve, &config.output).starting(time);
        let next = schedule.next_output();
        self.schedule = schedule.at(next, time, steps);
        self.is_begun = true;
        self.end = self.end_before_a_step();
    }

    /// Returns the reason why no step may be taken, or `None`.
    fn end_before_a_step(&self) -> Option<End> {
        if self.motion.is_extinct() {
            Some(End::Gone)
        } else if self.schedule.is_past() {
            Some(End::Time)
        } else {
            self.schedule.is_spent().then_some(End::Steps)
        }
    }

    /// Counts the steps from `steps`, for a motion that replaces another one.
    pub fn after(mut self, steps: u64) -> Self {
        let (next, time) = (self.schedule.next_output(), self.schedule.time());
        self.schedule = self.schedule.at(next, time, steps);
        self
    }

    /// Returns the time.
    pub fn time(&self) -> f64 {
        self.schedule.time()
    }

    /// Returns the number of steps.
    pub fn steps(&self) -> u64 {
        self.schedule.steps()
    }

    /// Moves the interface to the next state that is due and returns its measures. The first call
    /// returns the state at the start. Returns `None` after the last state.
    ///
    /// # Errors
    /// Returns [`Error::Interrupted`](crate::Error::Interrupted) if the user has interrupted the
    /// motion, and the errors of a step.
    pub fn next(&mut self, stage: &Stages<'_>) -> Result<Option<Measures>> {
        if self.end.is_some() {
            return Ok(None);
        }
        if self.is_begun {
            while !self.step(stage)?.state {}
        } else {
            self.is_begun = true;
            self.end = self.end_before_a_step();
        }
        self.measures().map(Some)
    }

    /// Returns the measures of the current state.
    ///
    /// # Errors
    /// Returns [`Error::Device`](crate::Error::Device) if the GPU fails or memory runs out.
    pub fn measures(&mut self) -> Result<Measures> {
        let (step, time) = (self.schedule.steps(), self.schedule.time());
        Ok(Measures { step, time, dt: self.dt, ..self.motion.measure()? })
    }

    /// Returns phi of the current state, in the order of the cleaned mesh.
    ///
    /// # Errors
    /// Returns [`Error::Device`](crate::Error::Device) if the GPU fails or memory runs out.
    pub fn phi(&mut self) -> Result<Vec<f64>> {
        let (step, time) = (self.schedule.steps(), self.schedule.time());
        Ok(self.motion.view(step, time)?.of_mesh()?.phi.clone())
    }

    fn step(&mut self, stage: &Stages<'_>) -> Result<Due> {
        stage.check()?;
        let done = self.motion.advance(&self.schedule.until(u64::MAX))?;
        let due = self.schedule.arrive(&done, self.motion.is_extinct());
        (self.dt, self.end) = (done.dt, due.end);
        let evolve = self.setup.config.evolve.as_ref();
        stage.observer.step(&Progress {
            step: self.schedule.steps(),
            time: self.schedule.time(),
            dt: done.dt,
            end_time: evolve.and_then(|evolve| evolve.end_time),
            max_steps: evolve.and_then(|evolve| evolve.max_steps),
            start: self.start,
        });
        Ok(due)
    }

    /// Returns the reason why the motion ended, or `None` if it has not ended.
    pub fn ended_by(&self) -> Option<&'static str> {
        self.end.map(End::words)
    }

    /// Returns the case with its mesh and device.
    pub fn setup(&self) -> &MeshSetup {
        &self.setup
    }
}
