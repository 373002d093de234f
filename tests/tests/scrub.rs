//! `lethescope scrub`: text streams through without the memory blocks in it.

use std::io::{Read as _, Write as _};
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::support::{Sandbox, stop};

/// The program without a vault, a passphrase or a model: it needs none of them.
fn scrub(sandbox: &Sandbox, arguments: &[&str]) -> Command {
    let mut command = sandbox.command();
    command
        .env_remove("LETHESCOPE_PASSPHRASE_FILE")
        .arg("scrub")
        .args(arguments)
        .stdin(Stdio::piped());
    command
}

/// What comes out when the pieces go in one after another, and what is said on stderr.
fn through(sandbox: &Sandbox, arguments: &[&str], pieces: &[&[u8]]) -> (Vec<u8>, String) {
    let mut child = scrub(sandbox, arguments).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    for piece in pieces {
        stdin.write_all(piece).unwrap();
        stdin.flush().unwrap();
        // Long enough for the program to see most of them as pieces.
        std::thread::sleep(Duration::from_millis(2));
    }
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    (
        output.stdout,
        String::from_utf8_lossy(&output.stderr).into_owned(),
    )
}

const LEAK: &str = "Sure: <memory-context note=\"项目\">the 秘密 word</memory-context> done, \
    and `<memory-archive>` is a tag. 項目🔴 ＜memory-archive＞<entry>秘密</entry>＜/memory-archive＞end";
const CLEAN: &str = "Sure:  done, and `<memory-archive>` is a tag. 項目🔴 end";

#[test]
fn every_way_of_cutting_the_stream_gives_the_same() {
    let sandbox = Sandbox::new();
    let bytes = LEAK.as_bytes();
    for size in [1, 2, 3, 5, 7, bytes.len()] {
        let pieces: Vec<&[u8]> = bytes.chunks(size).collect();
        let (out, said) = through(&sandbox, &[], &pieces);
        assert_eq!(String::from_utf8_lossy(&out), CLEAN, "pieces of {size}");
        assert_eq!(said, "");
    }
}

#[test]
fn counts_go_to_stderr_and_bytes_that_are_no_text_come_through() {
    let sandbox = Sandbox::new();
    let text: &[&[u8]] = &[
        b"a\xff\xe9",
        b"\xa1<memory-context>\xfe",
        b"</memory-context>\xf0\x9f",
    ];
    let (out, said) = through(&sandbox, &["--json"], text);
    assert_eq!(out, b"a\xff\xe9\xa1\xf0\x9f");
    let counts: serde_json::Value = serde_json::from_str(said.trim()).unwrap();
    assert_eq!(counts["blocks"], 1, "{counts}");
    assert_eq!(counts["unclosed"], false);
    assert_eq!(counts["bytes_in"], text.concat().len());
    assert_eq!(counts["bytes_out"], out.len());
}

#[test]
fn an_unclosed_block_is_removed_and_said() {
    let sandbox = Sandbox::new();
    let (out, said) = through(&sandbox, &[], &[b"kept <memory-context>quinkfern"]);
    assert_eq!(out, b"kept ");
    assert!(said.contains("open at the end"), "{said}");
    assert!(!said.contains("quinkfern"));
}

#[test]
fn text_comes_out_while_the_stream_is_still_open() {
    let sandbox = Sandbox::new();
    let mut child = scrub(&sandbox, &[]).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(b"first <memory-cont").unwrap();
    let mut got = [0; 6];
    // Blocks for ever if the program keeps what it could pass on.
    child.stdout.as_mut().unwrap().read_exact(&mut got).unwrap();
    assert_eq!(&got, b"first ");
    stop(&mut child);
}

#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    let sandbox = Sandbox::new();
    let mut child = scrub(&sandbox, &[]).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    drop(child.stdout.take());
    let line = "nobody reads this line any more\n".repeat(1000);
    // The program ends and stops reading; how much it took before is its own business.
    for _ in 0..50 {
        if stdin.write_all(line.as_bytes()).is_err() {
            break;
        }
    }
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}
