//! What the documents say of the constants is what the table says.

use std::fs;

use inspector::constants::Constants;
use inspector::tuning;
use inspector::view::{ConstantKind, ConstantView};
use regex::Regex;

use crate::support::root;

fn read(name: &str) -> String {
    fs::read_to_string(root().join(name)).unwrap()
}

#[test]
fn the_tables_of_the_architecture_name_every_constant_with_its_standard_and_its_range() {
    let text = read("ARCHITECTURE.md");
    let thousands = Regex::new(r"(\d),(\d{3})").unwrap();
    let rows: Vec<(Vec<&str>, String)> = text
        .lines()
        .filter(|line| line.starts_with("| `"))
        .filter_map(|line| {
            let mut cells = line.trim_matches('|').split('|').map(str::trim);
            let names = cells.next()?.split('`').skip(1).step_by(2).collect();
            let mut said = cells.next()?.replace('`', "");
            while thousands.is_match(&said) {
                said = thousands.replace_all(&said, "$1$2").into_owned();
            }
            Some((names, said))
        })
        .collect();
    for row in ConstantView::all() {
        let said: Vec<(&str, Option<&str>)> = rows
            .iter()
            .filter_map(|(names, said)| {
                let at = names.iter().position(|name| *name == row.name)?;
                let (standards, range) = match said.split_once('[') {
                    Some((standards, range)) => (standards, Some(range.trim_end_matches(']'))),
                    None => (said.as_str(), None),
                };
                Some((standards.split(',').map(str::trim).nth(at)?, range))
            })
            .collect();
        if row.kind == ConstantKind::Fixed {
            let sign = row.name.replace("k1", "k₁");
            let built_in = format!("{sign} = {}", row.standard_text());
            assert!(text.contains(&built_in), "ARCHITECTURE.md: {built_in}");
            continue;
        }
        assert!(!said.is_empty(), "ARCHITECTURE.md has no `{}`", row.name);
        let standard = match row.standard_text().as_str() {
            "true" => "on".to_owned(),
            "false" => "off".to_owned(),
            text => text.to_owned(),
        };
        let range = row.range.map(|(low, high)| format!("{low}–{high}"));
        for found in said {
            assert_eq!(found, (standard.as_str(), range.as_deref()), "{}", row.name);
        }
    }
}

#[test]
fn the_examples_of_the_documents_can_be_set() {
    let assignment = Regex::new(r"--set ([a-z_0-9]+=[^\s'`]+)").unwrap();
    let mut seen = 0;
    let documents = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"].map(str::to_owned);
    let book = fs::read_dir(root().join("docs")).unwrap();
    let pages = book.map(|page| format!("docs/{}", page.unwrap().file_name().to_string_lossy()));
    for name in documents.into_iter().chain(pages) {
        for found in assignment.captures_iter(&read(&name)) {
            tuning::set(&mut Constants::default(), &found[1])
                .unwrap_or_else(|error| panic!("{name}: {}: {error}", &found[1]));
            seen += 1;
        }
    }
    assert!(seen >= 3, "{seen} examples");
}
