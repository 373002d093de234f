//! What a person said in a message that Codex shares with them, and which of several writings of
//! the same words is the first.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::format::digest;
use crate::format::tags::{block, inside, without_blocks};

/// How a part begins that the program wrote as a whole.
const INJECTED: [&str; 4] = [
    "# AGENTS.md instructions for",
    "<permissions instructions>",
    "Warning: The maximum number of unified exec",
    "Another language model started to solve this problem",
];

/// Blocks that the program puts into a person's message.
const TAGS: [&str; 21] = [
    "environment_context",
    "user_instructions",
    "INSTRUCTIONS",
    "turn_aborted",
    "skill",
    "skills_instructions",
    "recommended_plugins",
    "plugins_instructions",
    "apps_instructions",
    "collaboration_mode",
    "personality_spec",
    "model_switch",
    "realtime_conversation",
    "hook_prompt",
    "hook_context",
    "subagent_notification",
    "subagents",
    "goal_context",
    "codex_internal_context",
    "image",
    "system_reminder",
];

/// How the context that an editor puts before a request begins.
const EDITOR: [&str; 3] = [
    "# Context from my IDE",
    "# Files mentioned by the user",
    "# Selected text",
];

/// The person's words in a part of a user message; `None` when there are none.
pub(super) fn of_person(said: &str) -> Option<Cow<'_, str>> {
    let begin = said.trim_start();
    if let Some(rest) = begin
        .strip_prefix(INJECTED[0])
        .and_then(|rest| rest.split_once("</INSTRUCTIONS>"))
        .map(|(_, rest)| rest)
    {
        return of_person(rest).map(|words| Cow::Owned(words.trim().to_owned()));
    }
    if INJECTED.iter().any(|mark| begin.starts_with(mark)) {
        return None;
    }
    let (kept, cut) = without_blocks(said, &TAGS);
    let begin = kept.trim_start();
    let asked = request(begin).filter(|_| begin.starts_with("# "));
    let words = if let Some(asked) = asked {
        Cow::Owned(asked.to_owned())
    } else if EDITOR.iter().any(|mark| begin.starts_with(mark)) {
        return None;
    } else if cut {
        Cow::Owned(kept.trim().to_owned())
    } else {
        Cow::Borrowed(said)
    };
    (!words.trim().is_empty()).then_some(words)
}

/// A command that a person ran themselves, and what it printed.
pub(super) fn shell(said: &str) -> Option<(&str, &str)> {
    let ran = block(said, "user_shell_command")?;
    let command = inside(ran.inner, "command")?.trim();
    let printed = inside(ran.inner, "result").unwrap_or_default();
    let printed = printed
        .split_once("Output:\n")
        .map_or(printed, |(_, text)| text);
    Some((command, printed.trim_matches('\n')))
}

/// What stands below the heading `## My request for Codex:`.
fn request(context: &str) -> Option<&str> {
    let mut at = 0;
    for line in context.split_inclusive('\n') {
        at += line.len();
        let title = line.trim_start_matches('#');
        if title.len() < line.len() && title.trim_start().starts_with("My request for Codex") {
            return Some(context[at..].trim());
        }
    }
    None
}

/// Where the same words can be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Channel {
    Response,
    Event,
    Item,
}

/// Counts what was said by channel: the n-th time that one channel says something is news unless
/// another one has said it n times before.
#[derive(Debug, Default)]
pub(super) struct Said(HashMap<String, [u32; 3]>);

/// Blanks aside, since one channel joins the parts that another keeps apart.
fn key(role: &str, words: &str) -> String {
    let compact: String = words.split_whitespace().collect();
    digest(&[role, &compact])
}

impl Said {
    /// Whether these words are news.
    pub(super) fn is_news(&mut self, channel: Channel, role: &str, words: &str) -> bool {
        let counts = self.0.entry(key(role, words)).or_default();
        let most = counts.iter().copied().max().unwrap_or(0);
        let own = &mut counts[channel as usize];
        *own += 1;
        *own > most
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_persons_words_stay() {
        for (part, words) in [
            ("rename it", Some("rename it")),
            ("<hook_prompt hook_run_id=\"h\">x</hook_prompt>", None),
            (
                "<environment_context>x</environment_context>\nrename it",
                Some("rename it"),
            ),
            (
                "# AGENTS.md instructions for /x\n\n<INSTRUCTIONS>\na\n</INSTRUCTIONS>",
                None,
            ),
            (
                "# AGENTS.md instructions for /x\n\n<INSTRUCTIONS>\na\n</INSTRUCTIONS>\nrename it",
                Some("rename it"),
            ),
            (
                "# Context from my IDE setup:\n\n## Open tabs:\n- a\n\n## My request for Codex:\nrename it",
                Some("rename it"),
            ),
            ("# Context from my IDE setup:\n\n## Open tabs:\n- a", None),
            (
                "# In app browser:\n- a page\n\n## My request for Codex:\nrename it",
                Some("rename it"),
            ),
            ("# My plan\n\nrename it", Some("# My plan\n\nrename it")),
            (
                "what does <hook_prompt> do?",
                Some("what does <hook_prompt> do?"),
            ),
        ] {
            assert_eq!(of_person(part).as_deref(), words, "{part}");
        }
    }

    #[test]
    fn a_command_of_the_person_comes_apart_from_what_it_printed() {
        let said = "<user_shell_command>\n<command>\nls a\n</command>\n<result>\nExit code: 0\nDuration: 1 s\nOutput:\nb\nc\n</result>\n</user_shell_command>";
        assert_eq!(shell(said), Some(("ls a", "b\nc")));
        assert_eq!(shell("what is <user_shell_command>?"), None);
    }

    #[test]
    fn each_channel_may_repeat_what_another_said() {
        let mut said = Said::default();
        assert!(said.is_news(Channel::Event, "user", "go on"));
        assert!(!said.is_news(Channel::Response, "user", "go  on\n"));
        assert!(!said.is_news(Channel::Item, "user", "go on"));
        assert!(
            said.is_news(Channel::Response, "user", "go on"),
            "said twice"
        );
        assert!(!said.is_news(Channel::Event, "user", "go on"));
        assert!(said.is_news(Channel::Event, "assistant", "go on"));
    }
}
