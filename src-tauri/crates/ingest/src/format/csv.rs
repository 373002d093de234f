//! Tables of records, `.csv` and `.tsv`: the first row names the columns, and each other row is read
//! as a record of generic JSONL with these keys. A cell in quotes may have commas, line ends and
//! doubled quotes.

use std::path::Path;

use memory::{Millis, Scope};
use serde_json::{Map, Value};

use super::jsonl::{Records, holds_exchange, names_record};
use super::{FileContext, Format, Head, Line, Outcome, Parser, Place};

/// See the module.
pub struct Csv;

/// A row longer than this had a quote that is never closed.
const LONGEST: usize = 4 * 1024 * 1024;
const SEPARATORS: [char; 4] = [',', ';', '\t', '|'];
const OPEN: &str = "a quote that is never closed";
const CELLS: &str = "more cells than columns";

impl Format for Csv {
    fn name(&self) -> &'static str {
        "csv"
    }

    fn detect(&self, path: &Path, head: &Head) -> u8 {
        let Some(first) = head.lines.first().filter(|_| self.keeps(path)) else {
            return 0;
        };
        let (_, columns) = header(first);
        let sample: Map<String, Value> = columns
            .into_iter()
            .map(|column| (column, Value::from("x")))
            .collect();
        if names_record(&sample) || holds_exchange(&sample) {
            80
        } else {
            0
        }
    }

    fn keeps(&self, path: &Path) -> bool {
        path.extension().is_some_and(|ending| {
            ending.eq_ignore_ascii_case("csv") || ending.eq_ignore_ascii_case("tsv")
        })
    }

    fn parser(&self, file: &FileContext) -> Box<dyn Parser> {
        Box::new(Table {
            records: Records::of("csv", file),
            separator: ',',
            columns: None,
            open: None,
        })
    }
}

/// The separator and the names of the columns, as keys of records are written.
fn header(line: &str) -> (char, Vec<String>) {
    let line = line.trim_start_matches('\u{feff}');
    let separator = SEPARATORS
        .into_iter()
        .max_by_key(|separator| (line.matches(*separator).count(), *separator == ','))
        .unwrap_or(',');
    let columns = cells(line, separator).into_iter().map(|name| key(&name));
    (separator, columns.collect())
}

/// `Created At` is `created_at`; `createdAt` stays.
fn key(name: &str) -> String {
    let name = name.trim();
    let camel = name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(|c| c.is_ascii_alphanumeric());
    if camel {
        return name.to_owned();
    }
    name.to_lowercase().replace([' ', '-'], "_")
}

fn cells(row: &str, separator: char) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut quoted = false;
    let mut characters = row.chars().peekable();
    while let Some(c) = characters.next() {
        let last = cells.len() - 1;
        let cell = &mut cells[last];
        match c {
            '"' if quoted && characters.peek() == Some(&'"') => {
                characters.next();
                cell.push('"');
            }
            '"' if quoted => quoted = false,
            // A quote inside a cell that has none around it is a character.
            '"' if cell.is_empty() => quoted = true,
            _ if c == separator && !quoted => cells.push(String::new()),
            _ => cell.push(c),
        }
    }
    cells
}

/// Whether a row ends inside a quoted cell.
fn is_open(row: &str, separator: char) -> bool {
    let mut quoted = false;
    let mut begins = true;
    for c in row.chars() {
        match c {
            '"' if quoted => quoted = false,
            // Two in a row inside quotes: closed and opened again.
            '"' if begins => quoted = true,
            _ => {}
        }
        begins = !quoted && (c == separator || c == '"');
    }
    quoted
}

struct Table {
    records: Records,
    separator: char,
    columns: Option<Vec<String>>,
    /// The last row, which may go on in the next line.
    open: Option<Row>,
}

struct Row {
    place: Place,
    text: String,
    given: bool,
}

impl Parser for Table {
    fn line(&mut self, line: &Line<'_>, out: &mut Vec<Outcome>) {
        if let Some(row) = &mut self.open
            && is_open(&row.text, self.separator)
            && row.text.len() + line.text.len() < LONGEST
        {
            row.text.push('\n');
            row.text.push_str(line.text);
            row.given = false;
            return;
        }
        self.close(out);
        if line.text.trim().is_empty() {
            return;
        }
        self.open = Some(Row {
            place: line.place,
            text: line.text.to_owned(),
            given: false,
        });
    }

    fn finish(&mut self, out: &mut Vec<Outcome>) {
        self.give(out);
    }

    fn still_open(&self) -> Option<Place> {
        self.open.as_ref().map(|row| row.place)
    }

    fn takes_half(&self, _text: &str) -> bool {
        true
    }

    fn keeps_open(&self) -> bool {
        true
    }

    fn settle(&mut self) {
        // What it gives was given before.
        self.close(&mut Vec::new());
    }

    fn touched(&mut self, modified: Option<Millis>) {
        self.records.touched(modified);
    }

    fn scope(&self) -> Scope {
        self.records.scope()
    }

    fn mapping(&self) -> Option<String> {
        self.records.mapping()
    }
}

impl Table {
    fn close(&mut self, out: &mut Vec<Outcome>) {
        self.give(out);
        let row = self.open.take();
        // Only now are all names there: the first line may have been half of it.
        if let Some(row) = row.filter(|_| self.columns.is_none()) {
            let (separator, columns) = header(&row.text);
            (self.separator, self.columns) = (separator, Some(columns));
            out.push(Outcome::Skip("the names of the columns".into()));
        }
    }

    fn give(&mut self, out: &mut Vec<Outcome>) {
        let Some(columns) = &self.columns else {
            return;
        };
        let Some(row) = self.open.as_mut().filter(|row| !row.given) else {
            return;
        };
        row.given = true;
        let place = row.place;
        if is_open(&row.text, self.separator) {
            return out.push(Outcome::Malformed(place.line, OPEN));
        }
        let cells = cells(&row.text, self.separator);
        if cells.len() > columns.len() {
            out.push(Outcome::Note(CELLS));
        }
        let record: Map<String, Value> = columns
            .iter()
            .zip(cells)
            .filter(|(column, cell)| !column.is_empty() && !cell.trim().is_empty())
            .map(|(column, cell)| (column.clone(), Value::String(cell)))
            .collect();
        self.records.record(&record, place, out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_come_apart_at_separators_outside_of_quotes() {
        for (row, separator, expected) in [
            ("a,b,c", ',', vec!["a", "b", "c"]),
            ("\"a,b\",c", ',', vec!["a,b", "c"]),
            ("\"say \"\"hi\"\"\",x", ',', vec!["say \"hi\"", "x"]),
            ("\"two\nlines\",", ',', vec!["two\nlines", ""]),
            ("5\" pipe,x", ',', vec!["5\" pipe", "x"]),
            ("a\tb, c", '\t', vec!["a", "b, c"]),
            ("", ',', vec![""]),
        ] {
            assert_eq!(cells(row, separator), expected, "{row}");
            assert!(!is_open(row, separator), "{row}");
        }
        for row in ["\"two", "a,\"say \"\"hi", "a,\""] {
            assert!(is_open(row, ','), "{row}");
        }
    }

    #[test]
    fn columns_get_the_names_of_keys() {
        assert_eq!(
            header("\u{feff}Role;Created At;messageId"),
            (
                ';',
                vec![
                    "role".to_owned(),
                    "created_at".to_owned(),
                    "messageId".to_owned()
                ]
            )
        );
    }
}
