//! The command that opens a log at a line. It is started as it is, without a shell: nothing in a
//! path can become a command.

use std::process::{Command, Stdio};

use crate::error::EdgeError;
use crate::view::EditorView;

/// Commands of editors that take a line. The page chooses one of them by what it is, and never brings
/// a command of its own: whoever took the page over could start anything otherwise.
const KNOWN: [(&str, &str); 8] = [
    ("Visual Studio Code", "code -g {file}:{line}"),
    ("Cursor", "cursor -g {file}:{line}"),
    ("Zed", "zed {file}:{line}"),
    ("Sublime Text", "subl {file}:{line}"),
    ("IntelliJ IDEA", "idea --line {line} {file}"),
    ("Emacs", "emacsclient -n +{line} {file}"),
    ("Vim", "gvim +{line} {file}"),
    ("Kate", "kate -l {line} {file}"),
];

/// What can be chosen: the known editors, and the person's own command where there is one.
pub(crate) fn choices(own: Option<&str>) -> Vec<EditorView> {
    let known = KNOWN.map(|(name, command)| (name.to_owned(), command));
    let own = own
        .filter(|own| words(own).is_some_and(|words| !words.is_empty()) && own.contains("{file}"))
        .map(|own| (format!("LETHESCOPE_EDITOR ({own})"), own));
    known
        .into_iter()
        .chain(own)
        .map(|(name, command)| EditorView {
            name,
            command: command.to_owned(),
        })
        .collect()
}

/// Refuses a command that is none of these.
pub(crate) fn check(command: &str, own: Option<&str>) -> Result<(), EdgeError> {
    let offered = choices(own);
    if offered.iter().any(|offered| offered.command == command) {
        return Ok(());
    }
    Err(EdgeError::bad_request(
        "editor",
        "one of the editors that are offered, or what LETHESCOPE_EDITOR holds: a program and its \
        arguments with {file} in them, for example hx {file}:{line}",
    ))
}

/// Starts the command on a file, and waits for nothing.
pub(crate) fn open(
    command: &str,
    own: Option<&str>,
    path: &str,
    line: u64,
) -> Result<(), EdgeError> {
    check(command, own)?;
    if !std::path::Path::new(path).exists() {
        let in_archive = std::path::Path::new(path)
            .ancestors()
            .skip(1)
            .any(std::path::Path::is_file);
        return Err(EdgeError::not_found(if in_archive {
            "file: it lies in an archive, unpack that first"
        } else {
            "file: the log was moved or deleted"
        }));
    }
    let filled: Vec<String> = words(command)
        .unwrap_or_default()
        .into_iter()
        // The line first: a path may hold anything, also braces.
        .map(|word| {
            word.replace("{line}", &line.to_string())
                .replace("{file}", path)
        })
        .collect();
    let [program, arguments @ ..] = filled.as_slice() else {
        return Err(EdgeError::internal("read the editor command"));
    };
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|_| {
            EdgeError::bad_request(
                "editor",
                "a program that is installed; it could not be started",
            )
        })?;
    // Whoever started a program has to hear of its end, or the system keeps its entry.
    std::thread::spawn(move || child.wait());
    Ok(())
}

/// The words of a command; a part in quotation marks is one. Nothing when a mark is left open.
fn words(command: &str) -> Option<Vec<String>> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for c in command.chars() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (None, '"' | '\'') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    quote.is_none().then_some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_read_in_words_and_quotation_marks() {
        let read = |text: &str| words(text).map(|words| words.join("|"));
        for (text, wanted) in [
            ("code -g {file}:{line}", Some("code|-g|{file}:{line}")),
            (
                "\"/opt/My Editor/run\" '{file}'",
                Some("/opt/My Editor/run|{file}"),
            ),
            ("  vi   +{line}  {file} ", Some("vi|+{line}|{file}")),
            ("vi '' x", Some("vi||x")),
            ("vi \"{file}", None),
        ] {
            assert_eq!(read(text).as_deref(), wanted, "{text}");
        }
    }

    #[test]
    fn only_what_is_offered_is_started() {
        assert!(check("zed {file}:{line}", None).is_ok());
        assert!(check("hx {file}:{line}", None).is_err());
        assert!(check("hx {file}:{line}", Some("hx {file}:{line}")).is_ok());
        assert!(check("sh -c id {file}", Some("hx {file}:{line}")).is_err());
        assert_eq!(choices(Some("hx {file}")).len(), KNOWN.len() + 1);
        for useless in ["hx", "  ", "hx '{file}"] {
            assert_eq!(choices(Some(useless)).len(), KNOWN.len(), "{useless}");
        }
        assert!(open("hx {file}", None, "/nowhere/at/all.jsonl", 1).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn the_program_gets_file_and_line_as_they_are() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("a log; touch x {line}.jsonl");
        let out = folder.path().join("out");
        std::fs::write(&log, "{}\n").unwrap();
        let command = format!(
            "sh -c 'printf %s \"$1:$2\" > \"$0\"' {} {{file}} {{line}}",
            out.display()
        );
        open(&command, Some(&command), &log.display().to_string(), 41).unwrap();
        let wanted = format!("{}:41", log.display());
        let read = || std::fs::read_to_string(&out).unwrap_or_default();
        for _ in 0..1000 {
            if read() == wanted {
                break;
            }
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        assert_eq!(read(), wanted);
        assert!(open(&command, Some(&command), "/nowhere/at/all.jsonl", 1).is_err());
    }
}
