//! The map of the memories by their neighbours: laid out in the background, once per session.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use memory::MemoryId;
use models::Embedder;
use retrieval::CancelFlag;
use retrieval::neighbour_map::NeighbourMap;

use crate::error::EdgeError;
use crate::inspector::Inspector;
use crate::neighbours::{Neighbours, PARTS};
use crate::request::{NeighbourMapAction, NeighbourMapRequest};
use crate::session::Session;
use crate::use_case::map::fine;
use crate::view::{MapQuery, NeighbourMapState, NeighbourMapView};

/// When more than one memory in so many has come since, all are laid out anew.
const GROWTH: usize = 10;

impl Inspector {
    /// The memories laid out so that near neighbours stay near, or how far that is.
    pub fn neighbour_map(
        &self,
        request: &NeighbourMapRequest,
    ) -> Result<NeighbourMapView, EdgeError> {
        // Looking is what the window does by itself: that must not keep the vault open.
        let session = match request.action {
            NeighbourMapAction::Look => self.inner.session()?,
            NeighbourMapAction::Start => self.inner.session_searching()?,
            NeighbourMapAction::Stop => self.inner.session_in_use()?,
        };
        let Some(embedder) = session.engine.embedder() else {
            return Ok(NeighbourMapView::default());
        };
        match request.action {
            NeighbourMapAction::Look => {}
            NeighbourMapAction::Start => start(&session, &embedder)?,
            NeighbourMapAction::Stop => session.neighbours.lock().stop(),
        }
        let ready = match &*session.neighbours.lock() {
            Neighbours::Running { done, .. } => {
                return Ok(NeighbourMapView {
                    state: NeighbourMapState::Running,
                    done: f64::from(done.load(Ordering::Relaxed)) / PARTS,
                    ..NeighbourMapView::default()
                });
            }
            Neighbours::Ready(map, model) if model == embedder.identity() => Arc::clone(map),
            // Vectors of another model lie elsewhere.
            Neighbours::None | Neighbours::Ready(..) => return Ok(NeighbourMapView::default()),
        };
        view(
            &session,
            &ready,
            embedder.as_ref(),
            request.recall.as_deref(),
        )
    }
}

/// Begins, unless it is done or being done.
fn start(session: &Arc<Session>, embedder: &Arc<dyn Embedder>) -> Result<(), EdgeError> {
    // Right after unlocking the vectors may not be in memory yet.
    session.engine.refresh_mirror()?;
    let model = embedder.identity().clone();
    let there = session.engine.mirror().memories(&model).unwrap_or_default();
    let mut held = session.neighbours.lock();
    match &*held {
        Neighbours::Running { .. } => return Ok(()),
        Neighbours::Ready(map, of) if *of == model => {
            let known = there
                .iter()
                .filter(|id| map.ids.binary_search(id).is_ok())
                .count();
            if (there.len() - known) * GROWTH <= there.len() {
                return Ok(());
            }
        }
        _ => {}
    }
    let done = Arc::new(AtomicU32::new(0));
    let cancel = CancelFlag::new();
    *held = Neighbours::Running {
        done: Arc::clone(&done),
        cancel: cancel.clone(),
    };
    drop(held);
    let workers = session.workers.clone();
    let session = Arc::clone(session);
    workers.start(move || {
        let mirror = session.engine.mirror();
        let map = mirror.picture(&model).and_then(|flat| {
            let mut tell = |share: f64| done.store((share * PARTS) as u32, Ordering::Relaxed);
            mirror.neighbour_map(&model, &flat, &mut tell, &cancel)
        });
        let mut held = session.neighbours.lock();
        // Who called it off has already said what is to stand here.
        if !cancel.is_cancelled() {
            *held = match map {
                Some(map) => Neighbours::Ready(Arc::new(map), model),
                None => Neighbours::None,
            };
        }
    });
    Ok(())
}

fn view(
    session: &Session,
    map: &NeighbourMap,
    embedder: &dyn Embedder,
    recall: Option<&str>,
) -> Result<NeighbourMapView, EdgeError> {
    let now = session.now();
    let (mirror, model) = (session.engine.mirror(), embedder.identity());
    let points = session.vault.read(|r| r.memories().map_points(now))?;
    let places: HashMap<MemoryId, [f32; 2]> = map
        .ids
        .iter()
        .copied()
        .zip(map.places.iter().copied())
        .collect();
    let beside = |vector: &[f32]| {
        let cosine = |id: &MemoryId| mirror.similarity(model, vector, *id).unwrap_or(-1.0);
        map.beside(&map.ids.iter().map(cosine).collect::<Vec<_>>())
    };
    let mut view = NeighbourMapView {
        state: NeighbourMapState::Ready,
        done: 1.0,
        laid_out: u32::try_from(map.laid_out).unwrap_or(u32::MAX),
        kept: map.kept,
        kept_flat: map.kept_flat,
        ..NeighbourMapView::default()
    };
    for point in points {
        // What came since stands beside what it resembles.
        let place = places.get(&point.id).copied().or_else(|| {
            let vector = mirror.directions(model, &[point.id]).pop().flatten()?;
            beside(&vector)
        });
        let Some([x, y]) = place else { continue };
        view.ids.push(point.id.to_string());
        view.x.push(fine(f64::from(x)));
        view.y.push(fine(f64::from(y)));
    }
    let standing = recall.and_then(|name| session.recall(name));
    view.query = standing.as_ref().and_then(|gathered| {
        let [x, y] = beside(gathered.query_vector()?)?;
        Some(MapQuery {
            text: gathered.query.text.clone(),
            x: fine(f64::from(x)),
            y: fine(f64::from(y)),
        })
    });
    Ok(view)
}
