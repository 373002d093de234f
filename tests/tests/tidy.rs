//! Rules of the house that a machine can check: sizes, names, words, paths.

use std::fs;
use std::path::{Path, PathBuf};

use regex::Regex;
use walkdir::WalkDir;

use crate::support::root;

/// Folders that hold what was generated or downloaded.
const NOT_OURS: [&str; 9] = [
    "target",
    "node_modules",
    "dist",
    ".git",
    ".local",
    "gen",
    "icons",
    "screens",
    "__pycache__",
];

/// A file of ours, with its path from the top.
struct Source {
    name: String,
    text: String,
}

fn sources(endings: &[&str]) -> Vec<Source> {
    let top = root();
    let ours = |path: &Path| {
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        !NOT_OURS.contains(&name.as_str())
    };
    let mut found: Vec<PathBuf> = WalkDir::new(&top)
        .into_iter()
        .filter_entry(|entry| entry.depth() == 0 || ours(entry.path()))
        .filter_map(Result::ok)
        .filter(|entry| entry.file_type().is_file())
        .map(walkdir::DirEntry::into_path)
        .filter(|path| {
            path.extension()
                .is_some_and(|e| endings.iter().any(|ending| e == *ending))
        })
        .collect();
    found.sort();
    found
        .into_iter()
        .filter_map(|path| {
            let name = path
                .strip_prefix(&top)
                .ok()?
                .to_string_lossy()
                .replace('\\', "/");
            // The bindings are written by a program, the demo's logs by nobody.
            let left_out =
                name.ends_with("bindings.ts") || name.starts_with("src-tauri/demo/logs/");
            (!left_out)
                .then(|| fs::read_to_string(&path).ok())
                .flatten()
                .map(|text| Source { name, text })
        })
        .collect()
}

/// Lines of a file without the tests inside it; `None` for a file of tests.
fn lines_of_code(source: &Source) -> Option<usize> {
    let test_file = source.name.contains(".test.")
        || source.name.starts_with("tests/")
        || source.name.contains("/tests/")
        || source.name.ends_with("/tests.rs");
    if test_file {
        return None;
    }
    let code = source
        .text
        .split("\n#[cfg(test)]\nmod tests {")
        .next()
        .unwrap_or_default();
    Some(code.lines().count())
}

#[test]
fn files_are_about_one_thing() {
    let files = sources(&["rs", "ts", "tsx", "mjs", "css"]);
    let mut sizes: Vec<(usize, &str)> = files
        .iter()
        .filter_map(|source| Some((lines_of_code(source)?, source.name.as_str())))
        .collect();
    assert!(
        sizes.len() > 50,
        "the search for sources is broken: {}",
        sizes.len()
    );
    sizes.sort_unstable();
    let (median, _) = sizes[sizes.len() / 2];
    assert!(median <= 150, "the median file has {median} lines");
    let (large, name) = sizes[sizes.len() * 9 / 10];
    assert!(
        large <= 400,
        "more than a tenth of the files have over 400 lines, for example {name} with {large}"
    );
    let (largest, name) = sizes[sizes.len() - 1];
    assert!(largest <= 600, "{name} has {largest} lines");
}

#[test]
fn the_map_for_newcomers_is_read_in_one_sitting() {
    let text = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let lines = text.lines().count();
    assert!(
        lines <= 350,
        "ARCHITECTURE.md has {lines} lines: what a module says of itself goes there"
    );
}

#[test]
fn nothing_is_left_for_later() {
    // Put together here, so that this file does not contain them.
    let words = ["TO", "FIX", "XX"]
        .iter()
        .zip(["DO", "ME", "X"])
        .map(|(a, b)| format!(r"\b{a}{b}\b"));
    let forbidden = Regex::new(&words.collect::<Vec<_>>().join("|")).unwrap();
    let mut found = Vec::new();
    for source in sources(&["rs", "ts", "tsx", "mjs", "css", "py", "md", "toml", "html"]) {
        for (line, text) in source.text.lines().enumerate() {
            // The tests of ingestion may well contain a person's own list of things to do.
            if forbidden.is_match(text) {
                found.push(format!("{}:{}", source.name, line + 1));
            }
        }
    }
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn names_say_what_a_thing_is() {
    let declared = Regex::new(
        r"\b(?:struct|enum|trait|mod|fn|class|interface|type|function)\s+(\w*(?:Manager|Service|Helper|Util|Utils|Processor)\b|(?:manager|service|helper|helpers|util|utils|processor)\b)",
    )
    .unwrap();
    let file = Regex::new(r"(?i)(?:^|/)(?:new|v2|legacy|[a-z_-]*(?:manager|helper|helpers|util|utils|processor))(?:\.|/)").unwrap();
    let mut found = Vec::new();
    for source in sources(&["rs", "ts", "tsx", "mjs"]) {
        if file.is_match(&source.name) {
            found.push(source.name.clone());
        }
        for name in declared
            .captures_iter(&source.text)
            .map(|captures| captures[1].to_owned())
        {
            // The field's own word for the thing that holds an agent's memory providers.
            if name != "MemoryManager" {
                found.push(format!("{}: {name}", source.name));
            }
        }
    }
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn no_path_of_one_machine_is_written_down() {
    let machine = Regex::new(r"(?:^|[^\w.~/-])(/root/|/work/|/Users/\w|[A-Z]:\\+Users)").unwrap();
    let mut found = Vec::new();
    for source in sources(&[
        "rs", "ts", "tsx", "mjs", "css", "py", "md", "toml", "json", "html", "sh",
    ]) {
        // Unit tests of path handling invent such paths.
        let code = source
            .text
            .split("\n#[cfg(test)]\nmod tests {")
            .next()
            .unwrap_or_default();
        for (line, text) in code.lines().enumerate() {
            if machine.is_match(text)
                && !source.name.starts_with("tests/")
                && !source.name.contains(".test.")
            {
                found.push(format!("{}:{}", source.name, line + 1));
            }
        }
    }
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn the_rules_notice_a_breach() {
    let source = Source {
        name: "src/a.rs".into(),
        text: format!(
            "{}\n#[cfg(test)]\nmod tests {{\n{}}}\n",
            "x\n".repeat(9),
            "y\n".repeat(900)
        ),
    };
    assert_eq!(lines_of_code(&source), Some(9));
    let test = Source {
        name: "ui/src/a.test.tsx".into(),
        text: String::new(),
    };
    assert_eq!(lines_of_code(&test), None);
}
