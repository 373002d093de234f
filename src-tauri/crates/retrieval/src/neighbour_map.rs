//! A flat picture of the memories in which near neighbours stay near: t-SNE.
//!
//! Sources: van der Maaten and Hinton, "Visualizing data using t-SNE" (2008), for what is minimised;
//! van der Maaten, "Accelerating t-SNE using tree-based algorithms" (2014), for how; Kobak and Berens,
//! "The art of using t-SNE for single-cell transcriptomics" (2019), for starting from the principal
//! components, which keeps the large pattern of the other picture.
//!
//! Inputs: one vector of length 1 per memory. Output: a place per memory. At most [`LAID_OUT`]
//! memories, evenly chosen, are laid out; the rest are put beside the neighbours they have among
//! those. Guarantee: the same vectors give the same picture (one thread, no chance).
//! What it is not: distances between groups, their sizes and their density mean nothing; only who
//! stands beside whom does, and [`NeighbourMap::kept`] says how far that can be trusted.

use std::cmp::Ordering;
use std::collections::HashSet;

use bhtsne::{Neighbor, tSNE};
use memory::MemoryId;
use models::ModelIdentity;

use crate::mirror::{Mirror, dot};
use crate::projection::Picture;
use crate::query::CancelFlag;

/// Memories that are laid out. Comparing all pairs of so many and moving them takes up to 40 seconds on
/// one busy core; both grow faster than their number.
pub const LAID_OUT: usize = 10_000;

/// About how many neighbours pull at a memory.
const PERPLEXITY: f32 = 30.0;

/// Rounds in which the pull is exaggerated, so that groups form, and rounds after those.
const ROUNDS: (usize, usize) = (250, 500);

/// Rounds between two looks at whether to go on.
const PIECE: usize = 25;

/// Accuracy of the tree: the width of a cell against its distance.
const THETA: f32 = 0.5;

/// Neighbours that say where a memory belongs that was not laid out.
const BESIDE: usize = 5;

/// How far from the nearest one the others may stand to have a say, as a share of the picture's
/// larger side: the middle between two groups is the place of neither.
const SAME_GROUP: f32 = 0.05;

/// Neighbours that are looked at to say how far the picture can be trusted, and of how many memories.
const TRUST: (usize, usize) = (10, 400);

/// Share of the work that comparing all pairs is, for the progress.
const COMPARING: f64 = 0.3;

/// Every memory of a picture, where its neighbours are.
#[derive(Clone, Debug)]
pub struct NeighbourMap {
    /// The memories, by id.
    pub ids: Vec<MemoryId>,
    /// Their places.
    pub places: Vec<[f32; 2]>,
    /// How many were laid out; the rest were put beside their neighbours.
    pub laid_out: usize,
    /// Of a memory's ten nearest by cosine, the share that is among its ten nearest here, 0..1.
    pub kept: f64,
    /// The same for the principal components, to compare with.
    pub kept_flat: f64,
}

impl Mirror {
    /// Lays the memories of a picture out. Says how far it is, 0..1; `None` when it was called off,
    /// there are fewer than a dozen vectors, or they were taken away meanwhile.
    pub fn neighbour_map(
        &self,
        model: &ModelIdentity,
        flat: &Picture,
        progress: &mut (dyn FnMut(f64) + Send),
        cancel: &CancelFlag,
    ) -> Option<NeighbourMap> {
        let step = flat.ids.len().div_ceil(LAID_OUT).max(1);
        let chosen: Vec<usize> = (0..flat.ids.len()).step_by(step).collect();
        let ids: Vec<MemoryId> = chosen.iter().map(|&at| flat.ids[at]).collect();
        let vectors: Vec<Vec<f32>> = self
            .directions(model, &ids)
            .into_iter()
            .collect::<Option<_>>()?;
        if vectors.len() < 12 {
            return None;
        }
        let start: Vec<[f64; 2]> = chosen.iter().map(|&at| flat.places[at]).collect();
        let laid = lay_out(&vectors, &start, progress, cancel)?;

        let mut places = vec![[0.0; 2]; flat.ids.len()];
        for (&at, &place) in chosen.iter().zip(&laid) {
            places[at] = place;
        }
        let reach = reach(&laid);
        let rest: Vec<usize> = (0..flat.ids.len()).filter(|at| at % step != 0).collect();
        for piece in rest.chunks(256) {
            if cancel.is_cancelled() {
                return None;
            }
            let wanted: Vec<MemoryId> = piece.iter().map(|&at| flat.ids[at]).collect();
            for (&at, vector) in piece.iter().zip(self.directions(model, &wanted)) {
                let vector = vector?;
                let cosines = vectors.iter().map(|held| dot(&vector, held)).enumerate();
                places[at] = weighted(&nearest(cosines, BESIDE), &laid, reach)?;
            }
        }
        let flat_places: Vec<[f32; 2]> = start
            .iter()
            .map(|place| [place[0] as f32, place[1] as f32])
            .collect();
        progress(1.0);
        Some(NeighbourMap {
            ids: flat.ids.clone(),
            places,
            laid_out: vectors.len(),
            kept: kept(&vectors, &laid),
            kept_flat: kept(&vectors, &flat_places),
        })
    }
}

impl NeighbourMap {
    /// Where a vector that is not on the map belongs: beside the memories nearest to it, given the
    /// cosine with each of them in order of [`Self::ids`].
    pub fn beside(&self, cosines: &[f64]) -> Option<[f32; 2]> {
        let near = nearest(cosines.iter().copied().enumerate(), BESIDE);
        weighted(&near, &self.places, reach(&self.places))
    }
}

fn lay_out(
    vectors: &[Vec<f32>],
    start: &[[f64; 2]],
    progress: &mut (dyn FnMut(f64) + Send),
    cancel: &CancelFlag,
) -> Option<Vec<[f32; 2]>> {
    let perplexity = PERPLEXITY.min((vectors.len() - 1) as f32 / 3.0);
    let count = ((3.0 * perplexity) as usize).clamp(1, vectors.len() - 1);
    let neighbours = neighbours(vectors, count, progress, cancel)?;
    // A small start lets the pulls shape it; equal places would never part.
    let spread = start
        .iter()
        .map(|place| place[0].abs().max(place[1].abs()))
        .fold(1e-12, f64::max);
    let mut places: Vec<f32> = start
        .iter()
        .zip(0_u32..)
        .flat_map(|(place, at)| {
            let apart = f64::from(at) * 1e-9;
            [
                (place[0] / spread * 1e-2 + apart) as f32,
                (place[1] / spread * 1e-2 - apart) as f32,
            ]
        })
        .collect();
    let samples: Vec<u32> = (0..vectors.len() as u32).collect();
    // One thread: sums come in the same order every time, and the window keeps the other cores.
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build()
        .ok()?;
    let total = ROUNDS.0 + ROUNDS.1;
    pool.install(|| {
        let mut tsne: tSNE<f32, u32, 2> = tSNE::new(&samples);
        tsne.perplexity(perplexity).epochs(PIECE);
        for done in (0..total).step_by(PIECE) {
            if cancel.is_cancelled() {
                return None;
            }
            let forming = done < ROUNDS.0;
            let momentum = if forming { 0.5 } else { 0.8 };
            tsne.momentum(momentum)
                .final_momentum(momentum)
                .stop_lying_epoch(if forming { PIECE + 1 } else { 0 })
                .initial_embedding(std::mem::take(&mut places))
                .barnes_hut_with_neighbors(THETA, &neighbours);
            places = tsne.embedding();
            let share = (done + PIECE) as f64 / total as f64;
            progress(COMPARING + (1.0 - COMPARING) * share);
        }
        Some(())
    })?;
    if places.iter().any(|value| !value.is_finite()) {
        return None;
    }
    Some(
        places
            .chunks_exact(2)
            .map(|pair| [pair[0], pair[1]])
            .collect(),
    )
}

/// The nearest others of each vector, nearest first, with their distances.
fn neighbours(
    vectors: &[Vec<f32>],
    count: usize,
    progress: &mut (dyn FnMut(f64) + Send),
    cancel: &CancelFlag,
) -> Option<Vec<Vec<Neighbor<f32>>>> {
    let mut rows = Vec::with_capacity(vectors.len());
    for (at, vector) in vectors.iter().enumerate() {
        if at % 64 == 0 {
            if cancel.is_cancelled() {
                return None;
            }
            progress(COMPARING * at as f64 / vectors.len() as f64);
        }
        let others = vectors.iter().enumerate().filter(|(other, _)| *other != at);
        let near = nearest(
            others.map(|(other, held)| (other, dot(vector, held))),
            count,
        );
        rows.push(
            near.into_iter()
                .map(|(index, cosine)| Neighbor {
                    index,
                    // Of vectors of length 1.
                    distance: (2.0 - 2.0 * cosine).max(0.0).sqrt() as f32,
                })
                .collect(),
        );
    }
    Some(rows)
}

/// The places with the greatest values, greatest first; equal ones by place.
fn nearest(values: impl Iterator<Item = (usize, f64)>, count: usize) -> Vec<(usize, f64)> {
    let order = |a: &(usize, f64), b: &(usize, f64)| -> Ordering {
        b.1.total_cmp(&a.1).then(a.0.cmp(&b.0))
    };
    let mut all: Vec<(usize, f64)> = values.collect();
    if all.len() > count {
        all.select_nth_unstable_by(count, order);
        all.truncate(count);
    }
    all.sort_unstable_by(order);
    all
}

/// How far apart memories of one group may stand.
fn reach(places: &[[f32; 2]]) -> f32 {
    let side = |along: usize| {
        let values = places.iter().map(|place| place[along]);
        let (low, high) = values.fold((f32::INFINITY, f32::NEG_INFINITY), |(low, high), value| {
            (low.min(value), high.max(value))
        });
        (high - low).max(0.0)
    };
    SAME_GROUP * side(0).max(side(1))
}

/// The mean of the places within reach of the nearest one, which counts most: the weight is halved
/// with every 0.05 of cosine that is missing.
fn weighted(near: &[(usize, f64)], places: &[[f32; 2]], reach: f32) -> Option<[f32; 2]> {
    let (first, best) = *near.first()?;
    let centre = *places.get(first)?;
    let (mut sum, mut x, mut y) = (0.0, 0.0, 0.0);
    for (at, cosine) in near {
        let place = places.get(*at)?;
        if (place[0] - centre[0]).hypot(place[1] - centre[1]) > reach {
            continue;
        }
        let weight = ((cosine - best) / 0.05).exp2();
        sum += weight;
        x += weight * f64::from(place[0]);
        y += weight * f64::from(place[1]);
    }
    Some([(x / sum) as f32, (y / sum) as f32])
}

/// Of the nearest by cosine, the share that is among the nearest in the picture, for an even sample.
fn kept(vectors: &[Vec<f32>], places: &[[f32; 2]]) -> f64 {
    let count = TRUST.0.min(vectors.len() - 1);
    let step = vectors.len().div_ceil(TRUST.1).max(1);
    let (mut shared, mut looked) = (0, 0);
    for at in (0..vectors.len()).step_by(step) {
        let others = |of: &dyn Fn(usize) -> f64| -> HashSet<usize> {
            let all = (0..vectors.len()).filter(|other| *other != at);
            let near = nearest(all.map(|other| (other, of(other))), count);
            near.into_iter().map(|(other, _)| other).collect()
        };
        let truly = others(&|other| dot(&vectors[at], &vectors[other]));
        let shown = others(&|other| {
            let (dx, dy) = (
                places[at][0] - places[other][0],
                places[at][1] - places[other][1],
            );
            -f64::from(dx * dx + dy * dy)
        });
        shared += truly.intersection(&shown).count();
        looked += count;
    }
    shared as f64 / looked.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Directions in eight groups that lie at right angles to each other, with some noise.
    fn grouped(count: usize) -> Vec<Vec<f32>> {
        (0..count)
            .map(|at| {
                let mut vector: Vec<f32> = (0..24)
                    .map(|d| 0.25 * ((at * 31 + d * 17) as f32 * 0.7).sin())
                    .collect();
                vector[at % 8] += 1.0;
                let length = vector.iter().map(|v| v * v).sum::<f32>().sqrt();
                vector.iter().map(|v| v / length).collect()
            })
            .collect()
    }

    fn laid(vectors: &[Vec<f32>]) -> Vec<[f32; 2]> {
        let start: Vec<[f64; 2]> = vectors
            .iter()
            .map(|v| [f64::from(v[0]), f64::from(v[1])])
            .collect();
        lay_out(vectors, &start, &mut |_| {}, &CancelFlag::new()).unwrap()
    }

    #[test]
    fn groups_stand_together_and_better_than_in_the_flat_picture() {
        let vectors = grouped(320);
        let places = laid(&vectors);
        let flat: Vec<[f32; 2]> = vectors.iter().map(|v| [v[0], v[1]]).collect();
        let (near, far) = (kept(&vectors, &places), kept(&vectors, &flat));
        assert!(near > 0.4 && near > 2.0 * far, "{near} {far}");
        let distance = |a: usize, b: usize| {
            ((places[a][0] - places[b][0]).powi(2) + (places[a][1] - places[b][1]).powi(2)).sqrt()
        };
        // The nearest in the picture is of the same group.
        let strangers = (0..320)
            .filter(|&at| {
                let best = (0..320)
                    .filter(|other| *other != at)
                    .min_by(|a, b| distance(at, *a).total_cmp(&distance(at, *b)));
                best.is_some_and(|other| other % 8 != at % 8)
            })
            .count();
        assert!(strangers < 10, "{strangers} of 320");
    }

    #[test]
    fn the_same_vectors_give_the_same_picture() {
        let vectors = grouped(120);
        assert_eq!(laid(&vectors), laid(&vectors));
    }

    #[test]
    fn equal_vectors_and_few_of_them_are_no_error() {
        let equal = vec![grouped(1)[0].clone(); 40];
        let places = laid(&equal);
        assert!(places.iter().flatten().all(|value| value.is_finite()));
        assert_eq!(laid(&grouped(12)).len(), 12);
    }

    #[test]
    fn it_can_be_called_off_and_says_how_far_it_is() {
        let vectors = grouped(200);
        let start = vec![[0.0, 0.0]; 200];
        let cancel = CancelFlag::new();
        let mut seen = Vec::new();
        let done = lay_out(
            &vectors,
            &start,
            &mut |share| {
                seen.push(share);
                if share > 0.5 {
                    cancel.cancel();
                }
            },
            &cancel,
        );
        assert!(done.is_none());
        assert!(seen.windows(2).all(|pair| pair[0] <= pair[1]), "{seen:?}");
        assert!(seen.iter().all(|share| *share < 0.6));
    }

    #[test]
    fn what_was_not_laid_out_stands_beside_its_neighbours() {
        let map = NeighbourMap {
            ids: (1..=4).map(MemoryId).collect(),
            places: vec![[0.0, 0.0], [1.0, 0.0], [50.0, 50.0], [60.0, 50.0]],
            laid_out: 4,
            kept: 0.0,
            kept_flat: 0.0,
        };
        let [x, y] = map.beside(&[0.9, 0.9, 0.1, 0.1]).unwrap();
        assert!((x - 0.5).abs() < 0.01 && y.abs() < 0.01, "{x} {y}");
        // Half-way to another group would be nobody's place.
        let [x, y] = map.beside(&[0.9, 0.1, 0.89, 0.1]).unwrap();
        assert!(x < 0.1 && y < 0.1, "{x} {y}");
        assert_eq!(map.beside(&[]), None);
    }
}
