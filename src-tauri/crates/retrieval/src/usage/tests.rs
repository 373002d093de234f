use std::collections::HashMap;
use std::convert::Infallible;

use super::*;

/// A vault of a thousand memories in which these words stand often.
const COMMON: [&str; 9] = [
    "through",
    "server",
    "uses",
    "error",
    "project",
    "github",
    "file",
    "src/main.rs",
    "test",
];

fn held(term: &Term) -> u32 {
    if COMMON.contains(&term.folded.as_str()) {
        400
    } else {
        2
    }
}

fn judged(memory: &str, known: &[&str], after: &[(bool, &str)]) -> Judgement {
    let said = after
        .iter()
        .map(|&(by_agent, text)| Said { by_agent, text });
    Answer::new(known.iter().copied(), said)
        .judge(memory, 1000, &mut |term| Ok::<_, Infallible>(held(term)))
        .unwrap()
}

/// The same for one question and one answer.
fn verdict(memory: &str, question: &str, answer: &str) -> Verdict {
    judged(memory, &[question], &[(true, answer)]).verdict
}

#[test]
fn a_name_that_only_the_memory_held_is_use() {
    let judgement = judged(
        "The gateway reads config/gateway_limits.toml and stops after 250 ms.",
        &["why does the gateway stop?"],
        &[
            (true, "Let me look."),
            (
                true,
                "It gives up after 250ms, see `config/gateway_limits.toml:12`.",
            ),
        ],
    );
    assert_eq!(judgement.verdict, Verdict::Used);
    assert_eq!(judgement.names, ["config/gateway_limits.toml", "250 ms"]);
    assert_eq!(judgement.first, Some(1));
    for (memory, answer) in [
        ("error was E0308 in the parser", "That is E0308 again."),
        (
            "call getShippingMethodId first",
            "getShippingMethodId comes first",
        ),
        ("set RETRY_BUDGET", "export RETRY_BUDGET=5"),
        ("we run v1.4.2", "Still 1.4.2 here"),
        ("listens on port 4002", "curl localhost:4002"),
        ("mail kim@example.com", "I asked kim@example.com."),
        (
            "see https://example.com/a/b",
            "from https://example.com/a/b.",
        ),
        ("fixed in 9fceb02d", "commit 9fceb02d"),
    ] {
        assert_eq!(verdict(memory, "?", answer), Verdict::Used, "{memory}");
    }
}

#[test]
fn a_name_that_stands_everywhere_is_none() {
    assert_ne!(
        verdict("look into src/main.rs", "?", "I changed src/main.rs"),
        Verdict::Used
    );
}

#[test]
fn rare_words_are_use_when_they_are_enough() {
    let memory = "Descale the kettle with citric acid every spring";
    let judgement = judged(
        memory,
        &["how do I clean the kettle?"],
        &[(
            true,
            "Use citric acid for descaling; it dissolves the lime.",
        )],
    );
    assert_eq!(judgement.verdict, Verdict::Used);
    assert_eq!(judgement.words, ["Descale", "citric", "acid"]);
    assert_eq!((judgement.rare, judgement.rare_and_more), (5, false));
    // One of five is chance.
    assert_eq!(
        verdict(memory, "how?", "I would wait for spring."),
        Verdict::Unclear
    );
    // Unless there is only one that was not known.
    assert_eq!(
        verdict(
            "Kim likes oolong",
            "which tea does Kim like?",
            "Kim likes oolong."
        ),
        Verdict::Used
    );
}

#[test]
fn a_long_memory_needs_more_than_two_words_and_less_than_a_quarter() {
    let letters = "abcdefghijklmnopqrstuvwxyz";
    let long: String = letters
        .chars()
        .flat_map(|a| ["lum", "tok"].map(|end| format!("z{a}{end}o ")))
        .collect();
    let judgement = judged(&long, &["?"], &[(true, "zalumo zbtoko")]);
    assert_eq!(judgement.verdict, Verdict::Unclear);
    assert_eq!((judgement.rare, judgement.rare_and_more), (24, true));
    assert_eq!(
        verdict(&long, "?", "zalumo zatoko zblumo zbtoko zclumo zctoko"),
        Verdict::Used
    );
}

#[test]
fn what_is_not_shared_is_ignored_and_common_words_are_nothing() {
    let judgement = judged(
        "The oolong lies on the second shelf",
        &["where is the tea?"],
        &[(true, "The server uses another project file.")],
    );
    assert_eq!(judgement.verdict, Verdict::Ignored);
    assert!(judgement.words.is_empty() && judgement.first.is_none());
    assert_eq!(
        verdict("the server uses it", "?", "the server uses it"),
        Verdict::Unclear
    );
}

#[test]
fn the_words_of_the_question_and_of_a_tool_do_not_count() {
    let memory = "Marigold deploys through Heron";
    assert_eq!(
        verdict(
            memory,
            "does marigold deploy with heron?",
            "Marigold deploys by Heron."
        ),
        Verdict::Known
    );
    let from_tool = [
        (true, "Reading the file."),
        (false, "marigold: heron, deploys"),
        (true, "Marigold deploys by Heron."),
    ];
    assert_eq!(judged(memory, &["?"], &from_tool).verdict, Verdict::Known);
    // What the agent said before the tool did was its own.
    let looked_for = [
        (true, "grep -r 'marigold.*heron' ."),
        (false, "marigold: heron"),
    ];
    assert_eq!(judged(memory, &["?"], &looked_for).verdict, Verdict::Used);
}

#[test]
fn a_memory_that_the_conversation_held_already_is_no_evidence() {
    let memory = "The oolong lies on\nthe second shelf in box_17.";
    let before = "Note: the oolong lies on the second shelf in box_17. Remember that.";
    let judgement = judged(
        memory,
        &["where?", before],
        &[(true, "Second shelf, box_17.")],
    );
    assert_eq!(judgement.verdict, Verdict::Known);
    assert_eq!(judgement.names, [""; 0]);
}

#[test]
fn another_value_of_the_same_thing_is_a_question() {
    let memory = "The dev server of Marigold listens on port 4002.";
    let judgement = judged(
        memory,
        &["start marigold"],
        &[(true, "The dev server of Marigold runs on port 5173 now.")],
    );
    assert_eq!(judgement.verdict, Verdict::Contradicted);
    let clash = judgement.clash.unwrap();
    assert_eq!(
        (
            clash.key.as_str(),
            clash.remembered.as_str(),
            clash.said.as_str()
        ),
        ("port", "4002", "5173")
    );
    for (memory, answer) in [
        // It says both.
        (
            memory,
            "The dev server of Marigold left port 4002 for port 5173.",
        ),
        // Another subject.
        (memory, "Postgres listens on port 5432."),
        // Another sort of number.
        (
            memory,
            "The dev server of Marigold closes the port after 5173 ms.",
        ),
        // Numbers that count.
        (
            "Marigold fails in line 120 of the parser",
            "The parser of Marigold fails in line 340",
        ),
        // The memory holds several.
        (
            "Marigold: dev server on port 4002, test server on port 4003",
            "the dev server of Marigold: port 5173",
        ),
    ] {
        assert_ne!(
            verdict(memory, "?", answer),
            Verdict::Contradicted,
            "{answer}"
        );
    }
    assert_eq!(
        verdict(
            "The gateway's retry timeout is 30 s",
            "?",
            "The gateway has a retry timeout of 45s"
        ),
        Verdict::Contradicted
    );
}

#[test]
fn text_without_blanks_is_compared_by_pieces() {
    let memory = "花の水やりは毎週火曜日の朝に行う";
    let judgement = judged(memory, &["花はいつ?"], &[(true, "毎週火曜日の朝です。")]);
    assert_eq!(judgement.verdict, Verdict::Used);
    assert_eq!(judgement.words, ["毎週火曜日の朝"]);
    assert_eq!(
        verdict(memory, "花はいつ?", "分かりません。"),
        Verdict::Ignored
    );
    assert_eq!(
        verdict(
            memory,
            "水やりは毎週火曜日の朝に行うのか、花の水やり",
            "毎週火曜日の朝です"
        ),
        Verdict::Known
    );
}

#[test]
fn without_an_answer_nothing_is_said() {
    for after in [&[][..], &[(true, " \n")], &[(false, "kettle")]] {
        assert_eq!(judged("kettle", &["?"], after).verdict, Verdict::Unseen);
    }
}

#[test]
fn a_call_alone_is_an_answer() {
    let call = "cat /srv/marigold/limits.toml";
    let memory = "Limits are kept in /srv/marigold/limits.toml";
    assert_eq!(
        judged(memory, &["?"], &[(true, call)]).verdict,
        Verdict::Used
    );
}

#[test]
fn names_are_told_from_words() {
    let found = |text: &str| {
        let names = names::names(text);
        names
            .into_iter()
            .map(|name| name.written)
            .collect::<Vec<_>>()
    };
    for (text, wanted) in [
        ("and/or, e.g. the 2nd of 12 tests, well-known", vec![]),
        (
            "utf-8 in ~/notes and src/a_b.rs.",
            vec!["utf-8", "~/notes", "src/a_b.rs"],
        ),
        (
            "30 % of 1,204 rows in 2.5 s",
            vec!["30 %", "1,204", "2.5 s"],
        ),
        (
            r#"{"port":4002,"host":"example.com"}"#,
            vec!["4002", "example.com"],
        ),
        ("在config.toml里设置 4002", vec!["config.toml", "4002"]),
        ("std::fs and 2026-05-01", vec!["std::fs", "2026-05-01"]),
    ] {
        assert_eq!(found(text), wanted, "{text}");
    }
}

#[test]
fn any_text_is_judged() {
    let seen: HashMap<&str, u32> = HashMap::new();
    for text in [
        "",
        "\0",
        "🔴🔴🔴",
        "é́́",
        "............",
        "1.2.3.",
        "v",
        "°",
        "ก็ที่",
        "///",
        "::",
    ] {
        let said = Said {
            by_agent: true,
            text,
        };
        let judgement = Answer::new([text], [said])
            .judge(text, 0, &mut |term| {
                Ok::<_, Infallible>(seen.get(term.folded.as_str()).copied().unwrap_or(0))
            })
            .unwrap();
        assert_ne!(judgement.verdict, Verdict::Used, "{text}");
    }
}

#[test]
fn a_line_of_very_many_numbers_is_looked_at_once() {
    // As a tool prints it; looking around each number anew would take hours.
    let values: Vec<String> = (10_000..40_000).map(|at| format!("value {at}")).collect();
    let memory = format!(
        "The kiosk of Marigold listens on port 4002, {}",
        values.join(", ")
    );
    let judgement = judged(
        &memory,
        &["where is the kiosk?"],
        &[(true, "The kiosk of Marigold listens on port 5173.")],
    );
    assert_eq!(judgement.verdict, Verdict::Contradicted);
    assert_eq!(judgement.clash.unwrap().remembered, "4002");
}
