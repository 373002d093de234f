//! A private key whose lines are entries of their own is never stored, however its file is read.

use crate::support::Bench;

/// Lines that look like a key's and were invented.
const BODY: [&str; 3] = [
    "MIIEinventedAAAAAAAAAAAAAAAAAAAAAAAAA1234567890abcdefghijklmnopqr",
    "InventedBBBBBBBBBBBBBBBBBBBBBBBBBB0987654321/zyxwvutsrqponm+lkjih",
    "InventedCCCCC3d=",
];

fn lines(kind: &str) -> Vec<String> {
    let mut lines = vec![format!("-----BEGIN {kind}-----")];
    lines.extend(BODY.map(str::to_owned));
    lines.push(format!("-----END {kind}-----"));
    lines.push("the deployment is over".to_owned());
    lines
}

fn assert_hidden(bench: &Bench, what: &str) {
    let texts = bench.texts();
    for line in BODY {
        assert!(!texts.concat().contains(line), "{what}: {texts:#?}");
    }
    bench.one("the deployment is over");
}

#[test]
fn in_every_format_each_line_is_masked() {
    for kind in [
        "PRIVATE KEY",
        "OPENSSH PRIVATE KEY",
        "PGP PRIVATE KEY BLOCK",
    ] {
        let lines = lines(kind);
        let stamped =
            |(at, line): (usize, &String)| format!("2026-09-20 10:00:0{at} INFO {line}\n");
        let record = |line: &String| {
            let record = serde_json::json!({"role": "tool", "content": line});
            format!("{record}\n")
        };
        for (name, text) in [
            ("unstamped.log", lines.join("\n") + "\n"),
            (
                "stamped.log",
                lines.iter().enumerate().map(stamped).collect(),
            ),
            ("records.jsonl", lines.iter().map(record).collect()),
            ("bullets.md", format!("- {}\n", lines.join("\n- "))),
            ("headed.md", format!("# Keys\n\n- {}\n", lines.join("\n- "))),
        ] {
            let bench = Bench::new();
            bench.write(name, text);
            let report = bench.take_all();
            assert!(report.notes["secret masked"] >= 1, "{name}: {report:?}");
            assert_hidden(&bench, name);
        }
    }
}

#[test]
fn putty_s_lines_are_masked() {
    let bench = Bench::new();
    let file = format!(
        "PuTTY-User-Key-File-3: ssh-ed25519\nPrivate-Lines: 3\n{}\nPrivate-MAC: 00ff\nthe deployment is over\n",
        BODY.join("\n")
    );
    bench.write("deploy.log", file);
    bench.take_all();
    assert_hidden(&bench, "PuTTY");
}

#[test]
fn wherever_reading_stops_the_rest_is_masked() {
    let text = lines("PRIVATE KEY").join("\n") + "\n";
    let record = |line: &str| format!("{}\n", serde_json::json!({"role": "tool", "content": line}));
    for cut in 1..text.len() {
        // Around each line end and within lines; every place would only take longer.
        if cut % 7 != 0 && !text[cut - 1..].starts_with('\n') && !text[..cut].ends_with('\n') {
            continue;
        }
        let bench = Bench::new();
        bench.write("deploy.log", &text[..cut]);
        bench.take_all();
        bench.append("deploy.log", &text[cut..]);
        bench.take_all();
        assert_hidden(&bench, &format!("cut at {cut}"));
    }
    for cut in 1..6 {
        let lines = lines("PRIVATE KEY");
        let (first, rest) = lines.split_at(cut);
        let bench = Bench::new();
        bench.write(
            "a.jsonl",
            first.iter().map(|line| record(line)).collect::<String>(),
        );
        bench.take_all();
        bench.append(
            "a.jsonl",
            rest.iter().map(|line| record(line)).collect::<String>(),
        );
        bench.take_all();
        assert_hidden(&bench, &format!("cut after {cut} records"));
    }
}
