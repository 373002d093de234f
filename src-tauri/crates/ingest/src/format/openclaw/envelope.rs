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

/// What a person said, without the blocks about sender and conversation before it.
pub(super) fn without_context(said: &str) -> &str {
    let (Some(context), Some(trailer)) = (CONTEXT.as_ref(), TRAILER.as_ref()) else {
        return said;
    };
    let mut words = said;
    while let Some(block) = context.find(words) {
        words = &words[block.end()..];
    }
    if let Some(last) = trailer.find(words) {
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
