//! The command that opens a log at a line. It is started as it is, without a shell: nothing in a
//! path can become a command.

use std::process::{Command, Stdio};

use crate::error::EdgeError;

/// Refuses a command that could not open anything.
pub(crate) fn check(command: &str) -> Result<(), EdgeError> {
    if words(command).is_none_or(|words| words.is_empty()) || !command.contains("{file}") {
        return Err(EdgeError::bad_request(
            "editor",
            "a program and its arguments with {file} in them, for example code -g {file}:{line}",
        ));
    }
    Ok(())
}

/// Starts the command on a file, and waits for nothing.
pub(crate) fn open(command: &str, path: &str, line: u64) -> Result<(), EdgeError> {
    check(command)?;
    if !std::path::Path::new(path).exists() {
        return Err(EdgeError::not_found("file: the log was moved or deleted"));
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
        assert!(check("code -g").is_err(), "it names no file");
        assert!(check("  ").is_err());
        assert!(check("code {file}").is_ok());
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
        open(&command, &log.display().to_string(), 41).unwrap();
        let wanted = format!("{}:41", log.display());
        let read = || std::fs::read_to_string(&out).unwrap_or_default();
        for _ in 0..1000 {
            if read() == wanted {
                break;
            }
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        assert_eq!(read(), wanted);
        assert!(open(&command, "/nowhere/at/all.jsonl", 1).is_err());
    }
}
