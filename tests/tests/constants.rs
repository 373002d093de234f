//! What the documents say of the constants is what the table says; the page of constants itself is
//! compared line by line in `book.rs`.

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
fn the_architecture_names_every_constant_where_its_formula_stands() {
    let text = read("ARCHITECTURE.md");
    for row in ConstantView::all() {
        let named = if row.kind == ConstantKind::Fixed {
            format!("{} = {}", row.name.replace("k1", "k₁"), row.standard_text())
        } else {
            format!("`{}`", row.name)
        };
        assert!(text.contains(&named), "ARCHITECTURE.md has no {named}");
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
