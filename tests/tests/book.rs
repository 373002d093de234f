//! The book in `docs/` says what the program does: every command of every page is run, and what a
//! page shows is printed. The page of constants is the table of constants.
//!
//! Commands stand in blocks that begin with ```` ```console ````. A line that begins with `$ ` is a
//! command for the shell; the lines below it must be printed, in this order, with anything where
//! `…` stands. `console exit=1` is a block whose commands end with that code; `console skip: why` is
//! not run. The commands of a page run one after the other in one folder of their own, in which lie
//! the demo's vault (`demo`), its logs (`logs`) and a small retrieval set (`workshop`).

use std::fs;

use inspector::constants::Constants;
use inspector::view::{ConstantKind, ConstantView};
use regex::Regex;

use crate::support::{Run, Sandbox, copy, demo_sandbox, model_folder, root};

/// Longer pages are read by nobody.
const LONGEST: usize = 150;

/// A block of commands.
struct Block {
    /// Its first line, counted from 1.
    line: usize,
    /// What its commands end with; `None` when they are not run.
    exit: Option<i32>,
    commands: Vec<Command>,
}

/// A command with what it prints, as the page shows it.
struct Command {
    text: String,
    shown: Vec<String>,
}

/// The names and texts of all pages.
fn pages() -> Vec<(String, String)> {
    let mut pages: Vec<_> = fs::read_dir(root().join("docs"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "md"))
        .map(|path| {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            (name, fs::read_to_string(&path).unwrap())
        })
        .collect();
    pages.sort();
    assert!(pages.len() > 10, "the book is not where it was");
    pages
}

/// The blocks of a page that hold commands.
fn blocks(page: &str) -> Vec<Block> {
    let mut found = Vec::new();
    let mut lines = (1..).zip(page.lines());
    while let Some((line, opening)) = lines.next() {
        let Some(kind) = opening.strip_prefix("```") else {
            continue;
        };
        let body: Vec<&str> = lines
            .by_ref()
            .map(|(_, line)| line)
            .take_while(|line| *line != "```")
            .collect();
        if let Some(rest) = kind.strip_prefix("console") {
            found.push(Block {
                line,
                exit: exit_code(rest, line),
                commands: commands(&body, line),
            });
        }
    }
    found
}

/// What stands behind `console`: nothing, a code, or why the block is not run.
fn exit_code(rest: &str, line: usize) -> Option<i32> {
    if let Some(reason) = rest.strip_prefix(" skip: ") {
        assert!(reason.len() > 10, "line {line}: why is it not run?");
        return None;
    }
    if let Some(code) = rest.strip_prefix(" exit=") {
        return Some(code.parse().unwrap());
    }
    assert_eq!(rest, "", "line {line}");
    Some(0)
}

fn commands(body: &[&str], line: usize) -> Vec<Command> {
    let mut found: Vec<Command> = Vec::new();
    for &text in body {
        if let Some(text) = text.strip_prefix("$ ") {
            found.push(Command {
                text: text.to_owned(),
                shown: Vec::new(),
            });
        } else {
            let last = found.last_mut();
            let last = last.unwrap_or_else(|| panic!("line {line}: output before a command"));
            last.shown.push(text.to_owned());
        }
    }
    assert!(!found.is_empty(), "line {line}: no command");
    found
}

/// The first line shown that was not printed behind the one before it.
fn not_printed<'a>(shown: &'a [String], printed: &str) -> Option<&'a str> {
    let mut lines = printed.lines().map(str::trim_end);
    shown
        .iter()
        .map(|line| line.trim_end())
        .filter(|line| !line.is_empty() && *line != "…")
        .find(|line| {
            let parts: Vec<String> = line.split('…').map(regex::escape).collect();
            let pattern = Regex::new(&format!("^{}$", parts.join(".*"))).unwrap();
            !lines.any(|line| pattern.is_match(line))
        })
}

/// The folder in which a page's commands run.
fn room() -> Option<Sandbox> {
    let sandbox = demo_sandbox()?;
    let home = sandbox.path("home");
    copy(&sandbox.vault(), &home.join("demo"));
    copy(&root().join("src-tauri/demo/logs"), &home.join("logs"));
    let set = root().join("tests/fixtures/eval/workshop");
    copy(&set, &home.join("workshop"));
    fs::copy(sandbox.path("passphrase"), home.join(".lethescope-pass")).unwrap();
    Some(sandbox)
}

fn run(sandbox: &Sandbox, line: &str) -> Run {
    let home = sandbox.path("home");
    let passphrase = home.join(".lethescope-pass");
    sandbox.run_in_shell(
        line,
        &[
            ("LETHESCOPE_VAULT", home.join("demo")),
            ("LETHESCOPE_PASSPHRASE_FILE", passphrase),
            ("LETHESCOPE_MODEL_DIR", model_folder().unwrap()),
        ],
    )
}

/// Runs a page and gives what it says wrongly.
fn faults(name: &str) -> Vec<String> {
    let page = fs::read_to_string(root().join("docs").join(name)).unwrap();
    let Some(sandbox) = room() else {
        return Vec::new();
    };
    let mut faults = Vec::new();
    for block in blocks(&page) {
        let Some(exit) = block.exit else { continue };
        for command in block.commands {
            let ran = run(&sandbox, &command.text);
            let printed = format!("{}\n{}", ran.stdout, ran.stderr);
            let missing = not_printed(&command.shown, &printed);
            if ran.code != Some(exit) || missing.is_some() {
                faults.push(format!(
                    "{name}:{}: $ {}\nended with {:?} (not {exit}?), not printed: {missing:?}\n{printed}",
                    block.line, command.text, ran.code
                ));
            }
        }
    }
    faults
}

/// A test for each page, so that they run side by side.
macro_rules! pages_that_run {
    ($($test:ident = $page:literal;)*) => {
        /// The pages that hold commands.
        const RUN: &[&str] = &[$($page),*];
        $(
            #[test]
            fn $test() {
                let faults = faults($page);
                assert!(faults.is_empty(), "{}", faults.join("\n\n"));
            }
        )*
    };
}

pages_that_run! {
    the_first_page_runs = "README.md";
    why_did_it_miss_runs = "why-did-it-miss.md";
    clean_a_memory_runs = "clean-a-memory.md";
    tune_for_my_agent_runs = "tune-for-my-agent.md";
    give_my_agent_this_memory_runs = "give-my-agent-this-memory.md";
    was_it_used_runs = "was-it-used.md";
    move_a_vault_runs = "move-a-vault.md";
    measure_runs = "measure.md";
    formats_runs = "formats.md";
    query_language_runs = "query-language.md";
    constants_runs = "constants.md";
    troubleshooting_runs = "troubleshooting.md";
    privacy_runs = "privacy.md";
    installing_runs = "installing.md";
    figures_runs = "figures.md";
}

#[test]
fn no_page_with_commands_is_left_out_and_none_is_long() {
    for (name, page) in pages() {
        assert!(
            page.lines().count() <= LONGEST,
            "{name} has more than {LONGEST} lines"
        );
        let holds_some = !blocks(&page).is_empty();
        assert_eq!(holds_some, RUN.contains(&name.as_str()), "{name}");
    }
}

#[test]
fn every_page_is_reached_and_every_link_leads_somewhere() {
    let link = Regex::new(r"\]\(([^)#:]+)(#[^)]*)?\)").unwrap();
    let pages = pages();
    let first = &pages.iter().find(|page| page.0 == "README.md").unwrap().1;
    for (name, page) in &pages {
        assert!(
            name == "README.md" || first.contains(&format!("({name})")),
            "README.md does not lead to {name}"
        );
        for found in link.captures_iter(page) {
            let target = root().join("docs").join(&found[1]);
            assert!(target.exists(), "{name}: {}", &found[1]);
        }
    }
}

#[test]
fn a_line_that_is_not_printed_is_noticed() {
    let shown = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    let printed = "vault     /home/demo\nmemories  851 (0 in the trash)\n";
    for good in [
        "vault     …\nmemories  851…",
        "…\nmemories  …",
        "memories  851 (0 in the trash)",
    ] {
        assert_eq!(not_printed(&shown(good), printed), None, "{good}");
    }
    for wrong in [
        "memories  852…",
        "memories  …\nvault     …",
        "memories",
        "vault.*",
    ] {
        assert!(not_printed(&shown(wrong), printed).is_some(), "{wrong}");
    }
}

/// What a line of the page of constants says: stages, value and what is allowed, value in Balanced.
fn line_of(row: &ConstantView, balanced: &Constants) -> String {
    let stages: Vec<_> = row.stages.iter().map(|stage| stage.name()).collect();
    let standard = row.standard_text();
    let value = match row.kind {
        ConstantKind::Fixed => format!("{standard} built in"),
        ConstantKind::Number => format!("{standard} {}", row.allowed()),
        ConstantKind::Choice => {
            // The standard first.
            let names: Vec<_> = row.choices.iter().map(|choice| choice.name).collect();
            let others = names.iter().filter(|name| **name != standard);
            let all: Vec<&str> = [standard.as_str()]
                .into_iter()
                .chain(others.copied())
                .collect();
            all.join(" | ")
        }
        ConstantKind::Switch | ConstantKind::Rules => standard.clone(),
    };
    let line = format!("**`{}`** · {} · {value}", row.name, stages.join(", "));
    match serde_json::to_value(balanced).unwrap().get(row.name) {
        Some(other) if *other != row.standard => {
            // A number without a point where it is whole, a name without quotes.
            let number = other.as_f64().map(|number| number.to_string());
            let name = other.as_str().map(str::to_owned);
            format!("{line} · Balanced {}", number.or(name).unwrap())
        }
        _ => line,
    }
}

#[test]
fn the_page_of_constants_has_each_with_its_value_and_range() {
    let (_sandbox, inspector) = Sandbox::with_records(&["kettle"]);
    let balanced = inspector.preset(Some("Balanced")).unwrap();
    let page = fs::read_to_string(root().join("docs/constants.md")).unwrap();
    let lines: Vec<&str> = page
        .lines()
        .filter(|line| line.starts_with("**`"))
        // A line of its own, also where the page is drawn.
        .map(|line| line.strip_suffix('\\').unwrap_or(line))
        .collect();
    let all = ConstantView::all();
    for row in &all {
        let line = line_of(row, &balanced);
        assert!(lines.contains(&line.as_str()), "constants.md has no {line}");
    }
    assert_eq!(lines.len(), all.len(), "{lines:#?}");
}
