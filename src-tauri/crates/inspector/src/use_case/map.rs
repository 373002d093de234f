//! The map of the memories.

use std::collections::HashMap;

use memory::MapPoint;

use crate::error::EdgeError;
use crate::inspector::Inspector;
use crate::time;
use crate::view::{MapQuery, MapView};

/// Digits that a place on a screen can use.
const FINE: f64 = 1e4;

impl Inspector {
    /// All memories with a vector, flattened to two dimensions; with a standing query, its place
    /// and the true cosine of every memory with it.
    pub fn map(&self, recall: Option<&str>) -> Result<MapView, EdgeError> {
        let session = self.inner.session_searching()?;
        let Some(embedder) = session.engine.embedder() else {
            return Ok(MapView::default());
        };
        let now = self.inner.now();
        // Right after unlocking the vectors may not be in memory yet.
        session.engine.refresh_mirror()?;
        let points = session.vault.read(|r| r.memories().map_points(now))?;
        let identity = embedder.identity();
        let mirror = session.engine.mirror();
        let mut view = MapView {
            model: Some(identity.id.clone()),
            dimension: identity.dimension,
            ..MapView::default()
        };
        let Some(picture) = mirror.picture(identity) else {
            view.without = u32::try_from(points.len()).unwrap_or(u32::MAX);
            return Ok(view);
        };
        view.explained = picture.projection.explained.into();
        let standing = recall.and_then(|name| session.recall(name));
        let vector = standing
            .as_ref()
            .and_then(|gathered| gathered.query_vector().map(|vector| (gathered, vector)));
        let places: HashMap<_, _> = picture.ids.iter().zip(&picture.places).collect();
        let mut agents = Names::default();
        let mut kinds = Names::default();
        for point in points {
            let Some(place) = places.get(&point.id) else {
                view.without += 1;
                continue;
            };
            if let Some((_, vector)) = &vector {
                let cosine = mirror.similarity(identity, vector, point.id);
                view.cosine.push(fine(cosine.unwrap_or_default()));
            }
            let MapPoint {
                id,
                agent,
                kind,
                created_at,
            } = point;
            view.ids.push(id.to_string());
            view.x.push(fine(place[0]));
            view.y.push(fine(place[1]));
            view.agent.push(agents.number(agent));
            view.kind.push(kinds.number(kind));
            view.age_days
                .push(created_at.map(|at| (time::days_between(at, now) * 10.0).round() / 10.0));
        }
        view.query = vector.map(|(gathered, vector)| {
            let [x, y] = picture.projection.place(vector);
            MapQuery {
                text: gathered.query.text.clone(),
                x: fine(x),
                y: fine(y),
            }
        });
        view.agents = agents.known;
        view.kinds = kinds.known;
        Ok(view)
    }
}

pub(super) fn fine(value: f64) -> f64 {
    (value * FINE).round() / FINE
}

/// Numbers names in the order in which they come.
#[derive(Default)]
struct Names {
    known: Vec<String>,
    numbers: HashMap<String, u32>,
}

impl Names {
    fn number(&mut self, name: String) -> u32 {
        if let Some(&number) = self.numbers.get(&name) {
            return number;
        }
        let number = u32::try_from(self.known.len()).unwrap_or(u32::MAX);
        self.known.push(name.clone());
        self.numbers.insert(name, number);
        number
    }
}
