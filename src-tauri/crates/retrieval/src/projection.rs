//! A flat picture of the memories' vectors: their two principal components.
//!
//! Source: Pearson 1901; Hotelling 1933. The components are the eigenvectors of the covariance
//! matrix with the largest eigenvalues, found by power iteration, the second one beside the first
//! (Golub and Van Loan, "Matrix Computations", 8.2). The covariance comes from an even sample, the
//! picture holds every memory.
//!
//! Inputs: one vector of length 1 per memory. Output: per memory its coordinates along both
//! components, and the share of the variance that each of them shows. Guarantee: deterministic; the
//! same vectors give the same picture, with the same signs.
//! What it is not: a map of distances. Two memories that lie together here may be far apart in the
//! hundreds of dimensions that are not shown; their cosine is what counts.

use memory::MemoryId;
use models::ModelIdentity;

use crate::mirror::Mirror;

/// Vectors whose covariance is taken; more change the picture less than a line's width.
const SAMPLE: usize = 4000;

/// Rounds of the power iteration; it ends earlier when nothing moves any more.
const ROUNDS: usize = 600;

/// The change of a component, as the sine of its turn, that counts as none.
const STILL: f64 = 1e-9;

/// Two directions in the space of the vectors, and where their picture has its middle.
#[derive(Clone, Debug)]
pub struct Projection {
    mean: Vec<f64>,
    axes: [Vec<f64>; 2],
    /// Share of the variance that each axis shows, 0..1.
    pub explained: [f64; 2],
}

/// Every memory with a vector, in the picture.
#[derive(Clone, Debug)]
pub struct Picture {
    /// How to place further vectors.
    pub projection: Projection,
    /// The memories, by id.
    pub ids: Vec<MemoryId>,
    /// Their places.
    pub places: Vec<[f64; 2]>,
}

impl Projection {
    /// The principal components of a sample; `None` for fewer than three vectors.
    pub fn of(sample: &[Vec<f32>]) -> Option<Self> {
        let dimension = sample.first()?.len();
        if sample.len() < 3 || dimension < 2 {
            return None;
        }
        let count = sample.len() as f64;
        let mut mean = vec![0.0; dimension];
        for vector in sample {
            for (sum, &value) in mean.iter_mut().zip(vector) {
                *sum += f64::from(value) / count;
            }
        }
        let covariance = covariance(sample, &mean);
        let total: f64 = (0..dimension)
            .map(|at| covariance[at * dimension + at])
            .sum();
        let (first, first_value) = component(&covariance, dimension, None);
        let (second, second_value) = component(&covariance, dimension, Some(&first));
        let share = |value: f64| {
            if total > 0.0 {
                (value / total).clamp(0.0, 1.0)
            } else {
                0.0
            }
        };
        Some(Self {
            mean,
            axes: [first, second],
            explained: [share(first_value), share(second_value)],
        })
    }

    /// Where a vector lies in the picture.
    pub fn place(&self, vector: &[f32]) -> [f64; 2] {
        let along = |axis: &[f64]| {
            axis.iter()
                .zip(vector)
                .zip(&self.mean)
                .map(|((axis, &value), mean)| axis * (f64::from(value) - mean))
                .sum()
        };
        [along(&self.axes[0]), along(&self.axes[1])]
    }
}

impl Mirror {
    /// The picture of all memories that have a vector of this model.
    pub fn picture(&self, model: &ModelIdentity) -> Option<Picture> {
        let ids = self.memories(model)?;
        let step = ids.len().div_ceil(SAMPLE).max(1);
        let sampled: Vec<MemoryId> = ids.iter().copied().step_by(step).collect();
        let sample: Vec<Vec<f32>> = self
            .directions(model, &sampled)
            .into_iter()
            .flatten()
            .collect();
        let projection = Projection::of(&sample)?;
        let mut shown = Vec::with_capacity(ids.len());
        let mut places = Vec::with_capacity(ids.len());
        // In pieces, so that no second copy of all vectors is made.
        for piece in ids.chunks(1024) {
            for (&id, vector) in piece.iter().zip(self.directions(model, piece)) {
                let Some(vector) = vector else { continue };
                shown.push(id);
                places.push(projection.place(&vector));
            }
        }
        Some(Picture {
            projection,
            ids: shown,
            places,
        })
    }
}

/// The covariance matrix, row by row.
fn covariance(sample: &[Vec<f32>], mean: &[f64]) -> Vec<f64> {
    let dimension = mean.len();
    let mut matrix = vec![0.0; dimension * dimension];
    let mut centred = vec![0.0; dimension];
    for vector in sample {
        for ((centred, &value), mean) in centred.iter_mut().zip(vector).zip(mean) {
            *centred = f64::from(value) - mean;
        }
        for (row, &one) in centred.iter().enumerate() {
            let cells = &mut matrix[row * dimension..(row + 1) * dimension];
            for (cell, &other) in cells[row..].iter_mut().zip(&centred[row..]) {
                *cell += one * other;
            }
        }
    }
    let count = sample.len() as f64;
    for row in 0..dimension {
        for column in row..dimension {
            let value = matrix[row * dimension + column] / count;
            matrix[row * dimension + column] = value;
            matrix[column * dimension + row] = value;
        }
    }
    matrix
}

/// The eigenvector with the largest eigenvalue, at right angles to `beside`, and that eigenvalue.
fn component(matrix: &[f64], dimension: usize, beside: Option<&[f64]>) -> (Vec<f64>, f64) {
    // No start that data could be at right angles to by accident.
    let mut axis: Vec<f64> = (0..dimension)
        .map(|at| 1.0 + (at as f64 * 0.754_877_666).fract())
        .collect();
    straighten(&mut axis, beside);
    let mut value = 0.0;
    for _ in 0..ROUNDS {
        let mut next: Vec<f64> = matrix
            .chunks_exact(dimension)
            .map(|row| dot(row, &axis))
            .collect();
        value = dot(&next, &axis);
        if !straighten(&mut next, beside) {
            break;
        }
        let turn = (1.0 - dot(&next, &axis).powi(2)).max(0.0).sqrt();
        axis = next;
        if turn < STILL {
            break;
        }
    }
    // An axis and its opposite are the same component: the larger side points up.
    let largest = axis
        .iter()
        .copied()
        .max_by(|a, b| a.abs().total_cmp(&b.abs()));
    if largest.is_some_and(|value| value < 0.0) {
        for value in &mut axis {
            *value = -*value;
        }
    }
    (axis, value.max(0.0))
}

/// Takes out what lies along `beside` and makes the rest one long; false when nothing is left.
fn straighten(axis: &mut [f64], beside: Option<&[f64]>) -> bool {
    if let Some(other) = beside {
        let along = dot(axis, other);
        axis.iter_mut()
            .zip(other)
            .for_each(|(value, other)| *value -= along * other);
    }
    let length = dot(axis, axis).sqrt();
    if length < 1e-150 {
        return false;
    }
    for value in axis {
        *value /= length;
    }
    true
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Vectors that spread 5, 2 and 0.3 along three given directions of twelve.
    fn stretched() -> Vec<Vec<f32>> {
        (0..400)
            .map(|at| {
                let t = f64::from(at);
                let (a, b, c) = ((t * 0.37).sin(), (t * 0.911).cos(), (t * 1.7).sin());
                (0..12)
                    .map(|d| match d {
                        3 => 5.0 * a,
                        7 => 2.0 * b,
                        9 => 0.3 * c,
                        _ => 0.0,
                    } as f32)
                    .collect()
            })
            .collect()
    }

    #[test]
    fn the_widest_directions_are_found_and_named_in_order() {
        let projection = Projection::of(&stretched()).unwrap();
        assert!((projection.axes[0][3] - 1.0).abs() < 1e-3, "{projection:?}");
        assert!((projection.axes[1][7] - 1.0).abs() < 1e-3, "{projection:?}");
        assert!(projection.explained[0] > 0.8 && projection.explained[1] > 0.1);
        let mut far = vec![0.0_f32; 12];
        far[3] = 5.0;
        assert!(projection.place(&far)[0] > 4.0);
    }

    #[test]
    fn few_or_equal_vectors_are_no_error() {
        assert!(Projection::of(&[]).is_none());
        assert!(Projection::of(&vec![vec![1.0, 0.0]; 2]).is_none());
        let flat = Projection::of(&vec![vec![0.6_f32, 0.8]; 9]).unwrap();
        let place = flat.place(&[0.6, 0.8]);
        assert!(place.iter().all(|value| value.abs() < 1e-6), "{place:?}");
        assert_eq!(flat.explained, [0.0, 0.0]);
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

        #[test]
        fn no_other_direction_shows_more(
            vectors in proptest::collection::vec(proptest::collection::vec(-1.0..1.0_f32, 8), 6..40),
            other in proptest::collection::vec(-1.0..1.0_f64, 8),
        ) {
            let projection = Projection::of(&vectors).unwrap();
            let [first, second] = &projection.axes;
            prop_assert!((dot(first, first) - 1.0).abs() < 1e-9);
            prop_assert!(dot(first, second).abs() < 1e-6);
            let spread = |axis: &[f64]| {
                let along: Vec<f64> = vectors
                    .iter()
                    .map(|v| axis.iter().zip(v).map(|(a, &b)| a * f64::from(b)).sum())
                    .collect();
                let mean = along.iter().sum::<f64>() / along.len() as f64;
                along.iter().map(|x| (x - mean).powi(2)).sum::<f64>()
            };
            let mut other = other;
            prop_assume!(straighten(&mut other, None));
            // The iteration stops short where two directions spread alike; that costs little.
            prop_assert!(spread(first) >= spread(&other) * (1.0 - 1e-3));
            prop_assume!(straighten(&mut other, Some(first)));
            prop_assert!(spread(second) >= spread(&other) * (1.0 - 1e-3));
        }
    }
}
