//! `lethescope context --hook`: the block as the answer to an agent's hook.
//!
//! The hook's JSON comes on standard input, and what the agent takes for context goes out in the
//! form that it asks for. Whatever goes wrong, and whatever takes too long, the agent goes on
//! without a block: the reason goes to standard error, and the program ends well.
//!
//! Loading the model costs more than everything else together. So it is only begun where the limit
//! leaves time for it, at once and behind the opening of the vault, and where it is not ready in time
//! keywords alone answer. `--mode` takes that decision away.

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use inspector::Inspector;
use serde::Deserialize;
use serde_json::json;

use crate::arguments::{Context, Mode};
use crate::asking::block;
use crate::failure::Failure;
use crate::opening::open_unasked;
use crate::output::print;

/// How long the account of a question may keep the agent waiting after the block, which it has by then.
const SETTLING: Duration = Duration::from_millis(100);

/// How long the system's keychain may take to give its answer.
const KEYCHAIN: Duration = Duration::from_millis(200);

/// The limit from which on the model is worth loading: it takes half of this where nothing else runs.
const MODEL_PAYS: Duration = Duration::from_secs(1);

/// The share of the limit, one in so many, that is left for asking by keywords when the model is no
/// longer waited for.
const BY_KEYWORDS: u32 = 4;

/// Bytes of context that the agents take as they are. A longer one Claude Code (from 10,000 characters
/// on) and Codex (from 2,500 tokens of four bytes on) put into a file and show a part of, which would
/// leave the fence open.
const MOST: usize = 10_000;

/// Bytes of a hook's JSON: a prompt of this length is no question any more.
const LONGEST: u64 = 4 << 20;

/// What Claude Code and Codex say on standard input, as far as it is needed here.
#[derive(Deserialize)]
struct Said {
    hook_event_name: String,
    prompt: Option<String>,
    cwd: Option<PathBuf>,
    session_id: Option<String>,
}

impl Said {
    /// What to look for: the prompt, or at the start of a session the name of the folder.
    fn question(&self) -> Result<String, String> {
        match self.hook_event_name.as_str() {
            "UserPromptSubmit" => Ok(self.prompt.clone().unwrap_or_default()),
            "SessionStart" => {
                let folder = self.cwd.as_deref().and_then(Path::file_name);
                Ok(folder.map_or_else(String::new, |name| name.to_string_lossy().into_owned()))
            }
            _ => Err(
                "the event is none that takes context: expected UserPromptSubmit or SessionStart"
                    .to_owned(),
            ),
        }
    }
}

/// Answers a hook. Never fails: an agent must not stop over its memory.
pub fn answer(inspector: Inspector, asked: Context, secret: Option<PathBuf>) {
    let within = Duration::from_millis(asked.within);
    let until = Instant::now() + within;
    let (sender, receiver) = mpsc::channel();
    let inspector = Arc::new(inspector);
    let working = Arc::clone(&inspector);
    std::thread::spawn(move || {
        // Nobody listens any more when time is over.
        let _ = sender.send(work(&working, asked, secret.as_deref(), until));
    });
    let why = match receiver.recv_timeout(within) {
        Ok(Ok(text)) => {
            print::raw(text.as_bytes());
            inspector.settle(SETTLING);
            if inspector.model_settles(Duration::ZERO) {
                return;
            }
            end()
        }
        Ok(Err(why)) => why,
        Err(mpsc::RecvTimeoutError::Timeout) => {
            format!("there was no block within {} ms", within.as_millis())
        }
        Err(mpsc::RecvTimeoutError::Disconnected) => "the work broke off".to_owned(),
    };
    eprintln!("lethescope: no context: {}", why.trim_end_matches('.'));
    end()
}

/// Ends at once. The work may still go on inside a library: taking that library down under it, as an
/// ordinary end does, now and then ends in a crash, which an agent shows as a failed hook.
fn end() -> ! {
    signal_hook::low_level::exit(0)
}

/// The hook's answer; empty when nothing fits.
fn work(
    inspector: &Inspector,
    mut asked: Context,
    secret: Option<&Path>,
    until: Instant,
) -> Result<String, String> {
    let said = read()?;
    let question = said.question()?;
    if question.trim().is_empty() {
        return Ok(String::new());
    }
    if let Some(session) = said.session_id.as_deref().filter(|name| !name.is_empty()) {
        inspector.ask_in(session);
    }
    let within = Duration::from_millis(asked.within);
    let chosen = asked.ranking.mode;
    let with_model = chosen.map_or(within >= MODEL_PAYS, |mode| !matches!(mode, Mode::Lexical));
    if with_model {
        inspector.load_model_ahead();
    }
    let sentence = |failure: Failure| failure.sentence();
    open_unasked(inspector, secret, Some(KEYCHAIN.min(within))).map_err(sentence)?;
    if chosen.is_none() {
        let left = until.saturating_duration_since(Instant::now());
        let ready =
            with_model && inspector.model_settles(left.saturating_sub(within / BY_KEYWORDS));
        if with_model && !ready {
            print::complain("keywords alone: the model was not ready in time");
        }
        if !ready {
            by_keywords(&mut asked);
        }
    }
    let view = block(inspector, &question, &asked, MOST).map_err(sentence)?;
    if view.block.is_empty() {
        return Ok(String::new());
    }
    let answer = json!({
        "hookSpecificOutput": {
            "hookEventName": said.hook_event_name,
            "additionalContext": view.block,
        }
    });
    Ok(format!("{answer}\n"))
}

/// Asks by keywords and lets nobody read what they find, unless that was asked for: a model or a
/// service that does takes longer than a hook may.
fn by_keywords(asked: &mut Context) {
    asked.ranking.mode = Some(Mode::Lexical);
    asked.ranking.set.insert(0, "rerank=off".to_owned());
}

fn read() -> Result<Said, String> {
    let mut text = Vec::new();
    std::io::stdin()
        .take(LONGEST)
        .read_to_end(&mut text)
        .map_err(|error| {
            format!(
                "standard input cannot be read: {}",
                inspector::reason(error.kind())
            )
        })?;
    serde_json::from_slice(&text).map_err(|_| "standard input is not the JSON of a hook".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(said: serde_json::Value) -> Result<String, String> {
        serde_json::from_value::<Said>(said).unwrap().question()
    }

    #[test]
    fn a_prompt_asks_for_itself_and_a_session_for_its_folder() {
        let prompt =
            json!({"hook_event_name": "UserPromptSubmit", "prompt": "Why?", "cwd": "/a/b"});
        assert_eq!(question(prompt), Ok("Why?".to_owned()));
        let start = json!({"hook_event_name": "SessionStart", "cwd": "/home/demo/lantern"});
        assert_eq!(question(start), Ok("lantern".to_owned()));
        let start = json!({"hook_event_name": "SessionStart", "cwd": "/"});
        assert_eq!(question(start), Ok(String::new()));
        assert!(question(json!({"hook_event_name": "PreToolUse"})).is_err());
    }
}
