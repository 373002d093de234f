//! The knowledge graph of the MCP memory server: `memory.jsonl`, entities with observations and
//! relations between them. The file is rewritten with every change and carries no times.

use std::collections::HashSet;
use std::path::Path;

use memory::{Kind, Millis, Role, Scope};
use serde_json::{Map, Value};

use super::{
    FileContext, Format, Head, Line, Outcome, Parser, Place, content, digest, draft, json, moment,
    reason,
};

/// See the module.
pub struct McpMemory;

impl Format for McpMemory {
    fn name(&self) -> &'static str {
        "mcp-memory"
    }

    fn detect(&self, _path: &Path, head: &Head) -> u8 {
        let graph = head.share(|object| match text(object, "type") {
            Some("entity") => object.contains_key("observations"),
            Some("relation") => object.contains_key("relationType"),
            _ => false,
        });
        if graph >= 0.5 { 97 } else { 0 }
    }

    fn rewritten(&self) -> bool {
        true
    }

    fn parser(&self, file: &FileContext) -> Box<dyn Parser> {
        Box::new(Graph {
            file: file.clone(),
            seen: HashSet::new(),
        })
    }
}

struct Graph {
    file: FileContext,
    seen: HashSet<String>,
}

fn text<'a>(object: &'a Map<String, Value>, key: &str) -> Option<&'a str> {
    object.get(key).and_then(Value::as_str)
}

impl Parser for Graph {
    fn line(&mut self, line: &Line<'_>, out: &mut Vec<Outcome>) {
        for object in json::objects(line, out) {
            self.record(&object, line.place, out);
        }
    }

    fn takes_unterminated(&self, text: &str) -> bool {
        json::is_whole_object(text)
    }

    fn touched(&mut self, modified: Option<Millis>) {
        self.file.modified = modified;
    }

    fn scope(&self) -> Scope {
        Scope {
            org: String::new(),
            agent: "mcp-memory".to_owned(),
            session: None,
        }
    }
}

impl Graph {
    fn record(&mut self, object: &Map<String, Value>, place: Place, out: &mut Vec<Outcome>) {
        let part = |key: &str| text(object, key).unwrap_or_default();
        let before = out.len();
        if part("type") == "relation" {
            let (from, to, kind) = (part("from"), part("to"), part("relationType"));
            let content = format!("{from} {kind} {to}");
            self.give(
                digest(&["relation", from, kind, to]),
                content,
                kind,
                place,
                out,
            );
        } else {
            let (name, kind) = (part("name"), part("entityType"));
            let observations = object.get("observations").and_then(Value::as_array);
            for observation in observations.into_iter().flatten() {
                let flat = content::flat(observation);
                let observation = flat.counted(out);
                if observation.trim().is_empty() {
                    continue;
                }
                let observation = observation.as_str();
                let key = digest(&["observation", name, observation]);
                self.give(key, format!("{name}: {observation}"), kind, place, out);
            }
        }
        if out.len() == before {
            out.push(Outcome::Skip(reason::EMPTY.into()));
        }
    }

    fn give(
        &mut self,
        key: String,
        content: String,
        tag: &str,
        place: Place,
        out: &mut Vec<Outcome>,
    ) {
        if !self.seen.insert(key.clone()) {
            return out.push(Outcome::Skip(reason::DUPLICATE.into()));
        }
        let mut memory = draft(self.scope(), place, &self.file.path, content);
        (memory.role, memory.kind) = (Role::Memory, Kind::Fact);
        (memory.created_at, memory.created_at_quality) = moment(None, None, self.file.modified);
        memory.source_key = key;
        if !tag.is_empty() {
            memory.tags.push(tag.to_owned());
        }
        out.push(Outcome::Memory(Box::new(memory)));
    }
}
