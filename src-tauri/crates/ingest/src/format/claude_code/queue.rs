//! Messages typed while the agent works. They wait in a queue; one that the running turn absorbs
//! may be written nowhere but in the queue's own records.

use std::collections::HashMap;

use memory::Millis;
use serde_json::{Map, Value};

use crate::format::{Place, content, digest};

/// A message that waits.
#[derive(Debug, PartialEq)]
pub(super) struct Waiting {
    pub content: String,
    pub time: Option<Millis>,
    pub place: Place,
}

/// The queue as far as it was read.
#[derive(Debug, Default)]
pub(super) struct Queue {
    waiting: Vec<Waiting>,
    /// Messages that were taken from the queue and may follow as a record, or the other way round.
    taken: HashMap<String, u32>,
}

impl Queue {
    /// Takes a record of the queue. Returns the message that the agent's turn took in.
    pub(super) fn operation(
        &mut self,
        object: &Map<String, Value>,
        time: Option<Millis>,
        place: Place,
    ) -> Option<Waiting> {
        let text = |key: &str| object.get(key).and_then(Value::as_str);
        let content = object
            .get("content")
            .map(|content| content::flat(content).text);
        let content = content.as_deref().filter(|content| !content.is_empty());
        match text("operation")? {
            "enqueue" => {
                self.waiting.push(Waiting {
                    content: content?.to_owned(),
                    time,
                    place,
                });
                None
            }
            // It follows as a record of its own.
            "dequeue" => {
                self.leave(content);
                None
            }
            "remove" => {
                let left = self.leave(content)?;
                // Taken back to be edited, or thrown away: it was never said.
                let absorbed = text("reason").is_none_or(|reason| reason.contains("absorbed"));
                (absorbed && self.is_first(&left.content)).then_some(left)
            }
            "popAll" | "clear" => {
                self.waiting.clear();
                None
            }
            _ => None,
        }
    }

    /// The waiting message with this text; without a text the oldest one.
    fn leave(&mut self, content: Option<&str>) -> Option<Waiting> {
        let index = match content {
            Some(content) => self
                .waiting
                .iter()
                .position(|waiting| waiting.content == content)?,
            None if self.waiting.is_empty() => return None,
            None => 0,
        };
        Some(self.waiting.remove(index))
    }

    fn is_first(&mut self, content: &str) -> bool {
        let key = digest(&[content.trim()]);
        let first = self.taken.remove(&key).is_none();
        if first {
            self.taken.insert(key, 1);
        }
        first
    }

    /// Whether a message stands in a record that the queue's own records have given already.
    pub(super) fn is_known(&mut self, content: &str) -> bool {
        !self.taken.is_empty() && self.taken.remove(&digest(&[content.trim()])).is_some()
    }

    /// A message that was queued stands in an attachment. True when it is the first to give it.
    pub(super) fn attached(&mut self, content: &str) -> bool {
        self.is_first(content)
    }
}
