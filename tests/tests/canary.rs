//! A secret word goes through a whole session; afterwards no byte of it lies in any file.

use std::fs;
use std::path::Path;
use std::time::Duration;

use inspector::Inspector;
use inspector::constants::Constants;
use inspector::request::{
    DocumentRequest, EditRequest, FilterRequest, ListRequest, QueryRequest, ResearchRequest,
};
use inspector::trace::Mode;

use crate::support::{PASSPHRASE, Sandbox, model_folder, skip, stop};

/// Places where a word may have been left: files of any kind, and their names.
fn traces_of(word: &str, folder: &Path) -> Vec<String> {
    let little: Vec<u8> = word.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let big: Vec<u8> = word.encode_utf16().flat_map(u16::to_be_bytes).collect();
    let needles: [(&str, &[u8]); 3] = [
        ("UTF-8", word.as_bytes()),
        ("UTF-16LE", &little),
        ("UTF-16BE", &big),
    ];
    let mut found = Vec::new();
    for entry in walkdir::WalkDir::new(folder)
        .into_iter()
        .filter_map(Result::ok)
    {
        let path = entry.path();
        if path.to_string_lossy().contains(word) {
            found.push(format!("{} (name)", path.display()));
        }
        let Ok(bytes) = fs::read(path) else { continue };
        for (encoding, needle) in needles {
            if bytes.windows(needle.len()).any(|part| part == needle) {
                found.push(format!("{} ({encoding})", path.display()));
            }
        }
    }
    found
}

/// Everything the program may write to, except what the test itself put there.
fn assert_clean(sandbox: &Sandbox, words: &[&str], when: &str) {
    for folder in ["data", "tmp", "home"] {
        for word in words {
            let found = traces_of(word, &sandbox.path(folder));
            assert!(found.is_empty(), "{when}: {found:#?}");
        }
    }
}

/// Words that occur nowhere else; put together, so that no program contains them either.
fn secrets() -> [String; 3] {
    words_on("moth")
}

fn words_on(end: &str) -> [String; 3] {
    ["quer", "edit", "line"].map(|part| format!("zyl{part}{end}"))
}

fn log_with(word: &str) -> String {
    (0..200)
        .map(|n| {
            format!(
                "{{\"timestamp\":\"2026-06-01T08:{:02}:{:02}Z\",\"role\":\"user\",\"content\":\"note {n} on {word} and tea\"}}\n",
                n / 60,
                n % 60
            )
        })
        .collect()
}

#[test]
fn the_search_finds_a_word_in_every_form() {
    let sandbox = Sandbox::new();
    let word = "zylplainmoth";
    sandbox.write("data/a", format!("x{word}y"));
    sandbox.write(
        "data/b",
        word.encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect::<Vec<_>>(),
    );
    sandbox.write(
        "data/c",
        word.encode_utf16()
            .flat_map(u16::to_be_bytes)
            .collect::<Vec<_>>(),
    );
    sandbox.write(&format!("data/{word}"), "");
    assert_eq!(traces_of(word, &sandbox.path("data")).len(), 4);
}

#[test]
fn neither_a_program_nor_the_runtime_of_its_model_writes_beside_the_vault() {
    let Some(model) = model_folder() else {
        skip("the local model is not set up; `npm test` does it");
        return;
    };
    let sandbox = Sandbox::new();
    let log = sandbox.write("logs/a.jsonl", log_with("kettle"));
    sandbox.run(&["init"]).succeeded();
    for arguments in [["ingest", log.as_str()], ["query", "kettle"]] {
        let mut command = sandbox.command();
        let ran = command.env("LETHESCOPE_MODEL_DIR", &model).args(arguments);
        assert!(ran.output().unwrap().status.success(), "{arguments:?}");
    }
    for folder in ["home", "tmp"] {
        let files: Vec<_> = sandbox
            .snapshot(folder)
            .into_iter()
            .map(|(path, _)| path)
            .collect();
        assert!(files.is_empty(), "{files:?}");
    }
}

#[test]
fn a_session_on_the_command_line_leaves_nothing_behind() {
    let sandbox = Sandbox::new();
    let [asked, edited, line] = secrets();
    let log = sandbox.write("logs/a.jsonl", log_with(&line));
    let mut said = String::new();
    let mut run = |arguments: &[&str], input: Option<&str>| {
        let run = match input {
            Some(text) => sandbox.run_with_input(arguments, text),
            None => sandbox.run(arguments),
        }
        .succeeded();
        said.push_str(&run.stderr);
        run
    };
    run(&["init"], None);
    run(&["ingest", &log], None);
    run(&["query", &format!("{asked} {line} tea"), "--json"], None);
    let page = run(&["list", "--contains", &line, "--json"], None).json();
    let id = page["cards"][0]["id"].as_str().unwrap().to_owned();
    run(
        &["edit", &id, "--content-file", "-"],
        Some(&format!("now about {edited}")),
    );
    run(&["show", &id], None);
    run(&["query", &edited], None);
    run(&["undo"], None);
    run(&["delete", &id], None);
    let research = format!("{{\"query\": \"{asked} {line}\", \"findings\": \"{edited}\"}}");
    run(&["research", "put"], Some(&research));
    run(&["research", "get", &format!("{asked} {line}")], None);
    run(&["query", &format!("{asked} {line}")], None);
    run(&["research", "forget", "--all"], None);
    run(
        &["document", "ingest", &asked, "-", "--title", &line],
        Some(&format!("{edited} {line}")),
    );
    run(&["document", "query", &edited], None);
    run(&["query", &edited], None);
    run(
        &["document", "import", "-"],
        Some(&format!(
            "{{\"id\": \"{line}\", \"text\": \"{edited}\"}}\n{{\"{asked}\n"
        )),
    );
    run(&["document", "delete", &asked], None);
    run(&["status"], None);
    let words = [asked.as_str(), &edited, &line, PASSPHRASE];
    assert_clean(&sandbox, &words, "after the session");
    for word in words {
        assert!(
            !said.contains(word),
            "in the log on stderr, which was written in full detail"
        );
    }
}

#[test]
fn an_open_vault_leaves_nothing_behind_and_neither_does_a_locked_one() {
    let sandbox = Sandbox::new();
    let [asked, edited, line] = secrets();
    let log = sandbox.write("logs/a.jsonl", log_with(&line));
    let words = [asked.as_str(), &edited, &line, PASSPHRASE];
    let inspector = Inspector::for_scripts(sandbox.paths(true));
    inspector.create_vault(PASSPHRASE.into()).unwrap();
    crate::support::ingest(&inspector, &log);
    inspector.embed_pending(&mut |_, _| {}).unwrap();
    inspector
        .query(&QueryRequest {
            text: format!("{asked} {line}"),
            mode: Mode::Hybrid,
            filter: FilterRequest::default(),
            constants: Constants::default(),
            now: None,
            rerank: true,
        })
        .unwrap();
    let id = inspector
        .list_memories(&ListRequest {
            limit: 1,
            ..ListRequest::default()
        })
        .unwrap()
        .cards[0]
        .id
        .clone();
    inspector
        .edit_memory(&EditRequest {
            id: id.clone(),
            content: Some(format!("now about {edited}")),
            ..EditRequest::default()
        })
        .unwrap();
    inspector
        .save_research(&ResearchRequest {
            query: format!("{asked} {line}"),
            findings: edited.clone(),
            sources: Vec::new(),
            tokens: None,
        })
        .unwrap();
    inspector
        .ingest_document(&DocumentRequest {
            id: asked.clone(),
            title: line.clone(),
            content: format!("{edited} {line}"),
        })
        .unwrap();
    inspector.embed_pending(&mut |_, _| {}).unwrap();
    assert_clean(&sandbox, &words, "while the vault is open");
    inspector.delete_memories(&[id]).unwrap();
    inspector.lock().unwrap();
    assert_clean(&sandbox, &words, "after locking");
}

/// How often each word stands in memory that this process can write. Their bytes are turned round, so
/// that looking for them does not put them there.
#[cfg(target_os = "linux")]
fn in_memory(turned: &[Vec<u8>]) -> Vec<usize> {
    use std::os::unix::fs::FileExt as _;
    const PART: usize = 1 << 20;
    let memory = fs::File::open("/proc/self/mem").unwrap();
    let longest = turned.iter().map(Vec::len).max().unwrap();
    let mut buffer = vec![0_u8; PART + longest];
    let own = buffer.as_ptr() as usize..buffer.as_ptr() as usize + buffer.len();
    let mut counts = vec![0; turned.len()];
    let mut firsts = [false; 256];
    for word in turned {
        firsts[usize::from(!word[0])] = true;
    }
    let maps = fs::read_to_string("/proc/self/maps").unwrap();
    for line in maps.lines() {
        let mut fields = line.split_whitespace();
        let (range, rights) = (fields.next().unwrap(), fields.next().unwrap());
        if !rights.starts_with("rw") {
            continue;
        }
        let (from, to) = range.split_once('-').unwrap();
        let [from, to] = [from, to].map(|at| usize::from_str_radix(at, 16).unwrap());
        for start in (from..to).step_by(PART) {
            let length = (to - start).min(PART + longest);
            let Ok(read) = memory.read_at(&mut buffer[..length], start as u64) else {
                continue;
            };
            for at in 0..read.min(PART) {
                if !firsts[usize::from(buffer[at])] || own.contains(&(start + at)) {
                    continue;
                }
                for (count, word) in counts.iter_mut().zip(turned) {
                    let here = &buffer[at..read];
                    *count += usize::from(
                        word.len() <= here.len() && word.iter().zip(here).all(|(a, b)| !a == *b),
                    );
                }
            }
        }
    }
    counts
}

#[cfg(target_os = "linux")]
#[test]
fn a_locked_program_remembers_no_word() {
    // Other tests may run in this process: neither its words nor its passphrase are theirs.
    let words = words_on("wasp");
    let passphrase = "amber kettle rows uphill nine";
    let sandbox = Sandbox::new();
    let turned: Vec<Vec<u8>> = {
        let turn = |word: &str| word.bytes().map(|byte| !byte).collect();
        let mut turned: Vec<Vec<u8>> = words.iter().map(|word| turn(word)).collect();
        turned.push(turn(passphrase));
        turned
    };
    let inspector = Inspector::for_scripts(sandbox.paths(true));
    let unlocked = {
        let [asked, edited, line] = words;
        let log = sandbox.write("logs/a.jsonl", log_with(&line));
        inspector.create_vault(passphrase.into()).unwrap();
        crate::support::ingest(&inspector, &log);
        inspector.embed_pending(&mut |_, _| {}).unwrap();
        let page = inspector.list_memories(&ListRequest {
            limit: 5,
            ..ListRequest::default()
        });
        let id = page.unwrap().cards[0].id.clone();
        inspector
            .edit_memory(&EditRequest {
                id,
                content: Some(format!("now about {edited}")),
                ..EditRequest::default()
            })
            .unwrap();
        let request = QueryRequest {
            text: format!("{asked} {line} tea"),
            mode: Mode::Hybrid,
            filter: FilterRequest::default(),
            constants: Constants::default(),
            now: None,
            rerank: true,
        };
        let answer = inspector.query(&request).unwrap();
        inspector.results(&answer).unwrap();
        in_memory(&turned)
    };
    assert!(
        unlocked[..3].iter().all(|count| *count > 0),
        "the search finds what is there: {unlocked:?}"
    );
    inspector.lock().unwrap();
    assert_eq!(in_memory(&turned), [0, 0, 0, 0]);
}

#[test]
fn a_killed_program_leaves_nothing_behind_and_neither_does_the_one_that_recovers() {
    let sandbox = Sandbox::new();
    let [_, _, line] = secrets();
    sandbox.run(&["init"]).succeeded();
    for round in 0..3 {
        let log = sandbox.write(&format!("logs/{round}.jsonl"), log_with(&line).repeat(20));
        let mut child = sandbox
            .command()
            .args(["ingest", &log, "--no-embed"])
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(350 + 150 * round));
        stop(&mut child);
        assert_clean(&sandbox, &[&line, PASSPHRASE], "after the kill");
        let inspector = Inspector::for_scripts(sandbox.paths(false));
        inspector.unlock(PASSPHRASE.into()).unwrap();
        inspector
            .list_memories(&ListRequest {
                limit: 50,
                ..ListRequest::default()
            })
            .unwrap();
        assert_clean(
            &sandbox,
            &[&line, PASSPHRASE],
            "while another program recovers",
        );
        inspector.lock().unwrap();
    }
    assert_clean(&sandbox, &[&line, PASSPHRASE], "in the end");
}
