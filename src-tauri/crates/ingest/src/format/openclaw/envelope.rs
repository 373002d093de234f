//! What the gateway wraps around a message from a chat channel, and into an answer to one.

use std::sync::LazyLock;

use regex::Regex;

/// `Conversation info (untrusted metadata):` and its kin, each followed by a block of JSON.
static CONTEXT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"\A\s*[A-Z][^\n(]{0,80} \(untrusted[^\n)]{0,60}\):[ \t]*\n```(?:json)?[ \t]*\n(?s:.*?)\n```[ \t]*(?:\n|\z)")
        .ok()
});

/// `[[reply_to_current]]`, `[[reply_to: 77]]`, `[[audio_as_voice]]`.
static DIRECTIVE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"\[\[\s*(?:reply_to_current|reply_to\s*:\s*[^\]\n]{1,80}|audio_as_voice)\s*\]\]")
        .ok()
});

/// The line that names the message, behind its text.
static TRAILER: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"\n\s*\[message_id: [^\]\n]{1,80}\]\s*\z").ok());

/// `[Telegram Mira id:123 +5m 2026-10-01 12:00 GMT+2] `, `[Thu 2026-10-01 12:00 UTC] `: where a message
/// comes from and when it came.
static FROM: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"\A\s*\[(?:(?:WhatsApp|Telegram|Discord|Slack|Signal|iMessage|BlueBubbles|SMS|Matrix|MSTeams|Microsoft Teams|Google Chat|Mattermost|LINE|Feishu|Zalo|Nostr|Twitch|Webchat|WebChat|IRC|Nextcloud Talk)\b[^\]\n]{0,160} )?(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) )?[0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9]{2}:[0-9]{2}[^\]\n]{0,20}\][ \t]*")
        .ok()
});

/// `System: [2026-10-01 12:00:00] Node connected`, a line each.
static NOTICE: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"\A\s*System: \[[0-9][^\]\n]{4,40}\][^\n]*(?:\n|\z)").ok());

/// A file that came with the message.
static MEDIA: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"\A\s*\[media attached[^\]\n]*\][ \t]*(?:\n|\z)(?:To send an image back,[^\n]*(?:\n|\z))?",
    )
    .ok()
});

/// The messages of others that a group's message comes with end where this begins.
const CURRENT: &str = "[Current message - respond to this]";
const BEFORE: [&str; 2] = ["[Chat messages since", "[Thread history"];

/// How an order begins that the gateway gives at its own hours.
const ORDERS: [&str; 3] = [
    "Read HEARTBEAT.md if it exists",
    "Pre-compaction memory flush",
    "A new session was started via /new or /reset",
];

/// Messages that were typed while the agent worked, each alone; `None` when these are none.
pub(super) fn queued(said: &str) -> Option<Vec<&str>> {
    let rest = said
        .trim_start()
        .strip_prefix("[Queued messages while agent was busy]")?;
    let messages = rest.split("\n---\nQueued #").skip(1).map(|message| {
        let (number, words) = message.split_once('\n').unwrap_or((message, ""));
        if number.trim().bytes().all(|digit| digit.is_ascii_digit()) {
            words.trim()
        } else {
            message
        }
    });
    let messages: Vec<&str> = messages.filter(|words| !words.is_empty()).collect();
    (!messages.is_empty()).then_some(messages)
}

/// What a person said, without the blocks about sender and conversation before it.
pub(super) fn without_context(said: &str) -> &str {
    let mut words = said;
    if ORDERS
        .iter()
        .any(|order| words.trim_start().starts_with(order))
    {
        return "";
    }
    // A block may stand before or behind another one.
    loop {
        let before = words;
        for block in [&CONTEXT, &NOTICE, &FROM, &MEDIA] {
            let found = block.as_ref().and_then(|block| block.find(words));
            words = found.map_or(words, |block| &words[block.end()..]);
        }
        if BEFORE
            .iter()
            .any(|mark| words.trim_start().starts_with(mark))
        {
            words = words
                .split_once(CURRENT)
                .map_or(words, |(_, current)| current);
        }
        if words.len() == before.len() {
            break;
        }
    }
    if let Some(last) = TRAILER.as_ref().and_then(|trailer| trailer.find(words)) {
        words = &words[..last.start()];
    }
    if words.len() == said.len() {
        said
    } else {
        words.trim()
    }
}

/// An answer without the directives to the gateway at its beginning and end.
pub(super) fn without_directives(said: &str) -> &str {
    let Some(directive) = DIRECTIVE.as_ref() else {
        return said;
    };
    let mut words = said.trim();
    if let Some(last) = words
        .strip_prefix("<final>")
        .and_then(|words| words.strip_suffix("</final>"))
    {
        words = last.trim();
    }
    while let Some(found) = directive.find(words).filter(|found| found.start() == 0) {
        words = words[found.end()..].trim_start();
    }
    while let Some(found) = directive
        .find_iter(words)
        .last()
        .filter(|found| found.end() == words.len())
    {
        words = words[..found.start()].trim_end();
    }
    if words.len() == said.trim().len() {
        said
    } else {
        words
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_said_stays() {
        let block =
            |title: &str| format!("{title} (untrusted metadata):\n```json\n{{\"a\": 1}}\n```\n\n");
        let wrapped = block("Conversation info") + &block("Sender") + "please book\n\nthe sauna";
        assert_eq!(without_context(&wrapped), "please book\n\nthe sauna");
        assert_eq!(without_context(&block("Sender")), "");
        assert_eq!(without_context("hello\n[message_id: 77]"), "hello");
        for (said, words) in [
            (
                "[Telegram Mira id:123 2026-10-01 12:00 GMT+2] book it\n[message_id: 77]",
                "book it",
            ),
            ("[WhatsApp +491234 2026-10-01 12:00] book it", "book it"),
            ("[Thu 2026-10-01 12:00 UTC] book it", "book it"),
            (
                "System: [2026-10-01 12:00:00] Node connected\n\nbook it",
                "book it",
            ),
            (
                "[media attached: /a.jpg (image/jpeg)]\nTo send an image back, use the tool\nbook it",
                "book it",
            ),
            (
                "[Chat messages since your last reply - for context]\nA: hi\n\n[Current message - respond to this]\nB: book it",
                "B: book it",
            ),
            ("Read HEARTBEAT.md if it exists (workspace context).", ""),
            ("[2 apples] book it", "[2 apples] book it"),
            (
                "[Telegram] is down since 2026-10-01 12:00",
                "[Telegram] is down since 2026-10-01 12:00",
            ),
        ] {
            assert_eq!(without_context(said), words);
        }
        assert_eq!(
            queued(
                "[Queued messages while agent was busy]\n\n---\nQueued #1\nbook it\n\n---\nQueued #2\nor not"
            ),
            Some(vec!["book it", "or not"])
        );
        assert_eq!(queued("Queued #1"), None);
        let about = format!("what is this?\n{}", block("Sender"));
        for said in [
            about.as_str(),
            "Sender (untrusted metadata): is odd",
            "  a \n",
        ] {
            assert_eq!(without_context(said), said);
        }
    }

    #[test]
    fn directives_go_where_the_gateway_reads_them() {
        for (said, words) in [
            ("[[reply_to_current]] Booked.", "Booked."),
            ("[[ reply_to: 77 ]][[audio_as_voice]]\nBooked.", "Booked."),
            ("Booked. [[reply_to_current]]", "Booked."),
            ("[[reply_to_current]]", ""),
            ("<final>Booked.</final>", "Booked."),
            (
                "write [[reply_to_current]] first",
                "write [[reply_to_current]] first",
            ),
            ("[[a link]] stays", "[[a link]] stays"),
        ] {
            assert_eq!(without_directives(said), words);
        }
    }
}
