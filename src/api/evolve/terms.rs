//! The initial level set and the terms of a motion.

use crate::api::Values;
use crate::geometry::shape::Shape;

/// The initial level set: negative inside.
///
/// ```
/// use zeroset::api::Phi;
/// use zeroset::geometry::shape::Shape;
/// let ball = Shape::Ball { center: [-55.0, -20.0, 10.0], radius: 30.0 };
/// let mesh = zeroset::read("meshes/fsaverage5_pial_left.gii.gz")?;
/// let per_vertex: Vec<f64> = mesh.stored().vertices.iter().map(|x| x[2] - 20.0).collect();
/// let terms = zeroset::Terms::default().normal_speed(1.0);
/// for phi in [Phi::from(ball), Phi::from("z - 20"), Phi::from(per_vertex)] {
///     assert!(zeroset::evolve(&mesh, &phi, &terms)?.state()?.measures.enclosed > 0.0);
/// }
/// # Ok::<(), zeroset::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Phi {
    /// The signed distance to a shape.
    Shape(Shape),
    /// An expression in coordinates, arrays and groups. Only its zero set matters.
    Expression(String),
    /// One number for each vertex of the file, `[vertices]`, in any unit. Only its zero set
    /// matters.
    PerVertex(Vec<f64>),
}

impl From<Shape> for Phi {
    fn from(shape: Shape) -> Self {
        Phi::Shape(shape)
    }
}

impl From<&str> for Phi {
    fn from(expression: &str) -> Self {
        Phi::Expression(expression.to_string())
    }
}

impl From<Vec<f64>> for Phi {
    fn from(values: Vec<f64>) -> Self {
        Phi::PerVertex(values)
    }
}

impl From<&Vec<f64>> for Phi {
    fn from(values: &Vec<f64>) -> Self {
        Phi::PerVertex(values.clone())
    }
}

impl From<&Phi> for Phi {
    fn from(phi: &Phi) -> Self {
        phi.clone()
    }
}

/// A velocity, in mesh units per time.
///
/// ```
/// use zeroset::{Terms, api::Velocity};
/// let corners = vec![[0.0; 3], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
/// let mesh = zeroset::Mesh::triangles(corners, &[[0, 1, 2], [0, 2, 3]])?;
/// let terms = Terms::default().velocity(Velocity::Constant([0.5, 0.0, 0.0]));
/// let mut motion = zeroset::evolve(&mesh, "x - 0.2", &terms)?;
/// let areas: Vec<f64> = motion.by_ref().take(2).map(|s| Ok(s?.measures.enclosed))
///     .collect::<zeroset::Result<_>>()?;
/// assert!(areas[1] > areas[0]);
/// # Ok::<(), zeroset::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Velocity {
    /// One vector everywhere.
    Constant([f64; 3]),
    /// An expression for each component, which may depend on the time `t`.
    Expressions([String; 3]),
    /// One vector for each vertex of the file, `[vertices]`.
    PerVertex(Vec<[f64; 3]>),
}

/// The terms of `phi_t + a . grad phi + eps |grad phi| = beta kappa |grad phi|`. Absent terms are
/// zero. Expressions may depend on the time `t`.
///
/// ```
/// use zeroset::Terms;
/// use zeroset::api::Velocity;
/// let rotation = Velocity::Expressions(["-y".into(), "x".into(), "0".into()]);
/// let terms = Terms::default().velocity(rotation).normal_speed("0.1 * cos(t)").curvature(0.01);
/// assert!(terms.weighted_curvature.is_none());
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Terms {
    /// The velocity a, in mesh units per time.
    pub velocity: Option<Velocity>,
    /// The normal speed eps, in mesh units per time. The inside grows where it is positive.
    pub normal_speed: Option<Values>,
    /// The curvature coefficient beta >= 0, in mesh units^2 per time.
    pub curvature: Option<Values>,
    /// The weight w >= 0 of the weighted curvature flow, in mesh units^2 per time.
    pub weighted_curvature: Option<Values>,
}

impl Terms {
    /// Sets the velocity, in mesh units per time.
    pub fn velocity(mut self, velocity: Velocity) -> Self {
        self.velocity = Some(velocity);
        self
    }

    /// Sets the normal speed in mesh units per time: a number, an expression or an array.
    pub fn normal_speed(mut self, speed: impl Into<Values>) -> Self {
        self.normal_speed = Some(speed.into());
        self
    }

    /// Sets the curvature coefficient in mesh units^2 per time: a number, an expression or an
    /// array.
    pub fn curvature(mut self, coefficient: impl Into<Values>) -> Self {
        self.curvature = Some(coefficient.into());
        self
    }

    /// Sets the weight of the weighted curvature flow in mesh units^2 per time: a number, an
    /// expression or an array.
    pub fn weighted_curvature(mut self, weight: impl Into<Values>) -> Self {
        self.weighted_curvature = Some(weight.into());
        self
    }
}
