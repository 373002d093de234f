//! A vault in a temporary folder and what is in it.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use ingest::{Options, Report, backfill};
use memory::{KdfCost, Kind, ListQuery, Memory, Passphrase, Role, Sort, Vault};

/// 2026-09-01T00:00:00Z: after every sample, before the files of the test itself are "old".
pub const NOW: i64 = 1_788_220_800_000;

pub struct Bench {
    pub vault: Vault,
    pub folder: tempfile::TempDir,
    _home: tempfile::TempDir,
}

impl Bench {
    pub fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        let pass = Passphrase::new("invented for a test".to_owned()).unwrap();
        Self {
            vault: Vault::create(&home.path().join("vault"), &pass, KdfCost::TEST).unwrap(),
            folder: tempfile::tempdir().unwrap(),
            _home: home,
        }
    }

    /// A file of this test.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, bytes).unwrap();
        date(&path);
        path
    }

    pub fn append(&self, name: &str, bytes: impl AsRef<[u8]>) {
        use std::io::Write as _;
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let mut file = std::fs::OpenOptions::new()
            .append(true)
            .create(true)
            .open(&path)
            .unwrap();
        file.write_all(bytes.as_ref()).unwrap();
        date(&path);
    }

    pub fn take(&self, path: &Path) -> Report {
        self.take_with(&[path.to_path_buf()], &Options::default())
    }

    pub fn take_all(&self) -> Report {
        self.take(self.folder.path())
    }

    pub fn take_with(&self, paths: &[PathBuf], options: &Options) -> Report {
        let report = backfill(
            &self.vault,
            None,
            paths,
            options,
            // Beyond any file's time, so that every file counts as quiet.
            &|| i64::MAX / 2,
            &mut |_| {},
            &AtomicBool::new(false),
        )
        .unwrap();
        assert_eq!(
            report.records,
            report.stored + report.skipped.values().sum::<u32>(),
            "the counts add up: {report:?}"
        );
        report
    }

    /// The living memories in the order in which they were stored.
    pub fn memories(&self) -> Vec<Memory> {
        let query = ListQuery {
            sort: Sort::LastStored,
            limit: 100_000,
            now: NOW,
            ..ListQuery::default()
        };
        let (_, mut all) = self
            .vault
            .read(|reader| reader.memories().list(&query))
            .unwrap();
        all.reverse();
        all
    }

    pub fn texts(&self) -> Vec<String> {
        self.memories()
            .into_iter()
            .map(|memory| memory.content)
            .collect()
    }

    pub fn texts_of(&self, role: Role, kind: Kind) -> Vec<String> {
        self.memories()
            .into_iter()
            .filter(|memory| memory.role == role && memory.kind == kind)
            .map(|memory| memory.content)
            .collect()
    }

    /// The memory whose text contains this.
    pub fn one(&self, part: &str) -> Memory {
        let mut found: Vec<Memory> = self
            .memories()
            .into_iter()
            .filter(|memory| memory.content.contains(part))
            .collect();
        assert_eq!(
            found.len(),
            1,
            "one memory with {part:?} in {:?}",
            self.texts()
        );
        found.remove(0)
    }
}

/// Gives a file a date after everything that any of them says, one second later than the one before:
/// what is read must not hang on when a test runs.
fn date(path: &Path) {
    static LATER: AtomicU64 = AtomicU64::new(1);
    // 2027-01-01.
    let at = 1_798_761_600 + LATER.fetch_add(1, Ordering::Relaxed);
    let at = std::time::UNIX_EPOCH + std::time::Duration::from_secs(at);
    std::fs::File::open(path).unwrap().set_modified(at).unwrap();
}

fn date_all(path: &Path) {
    if path.is_file() {
        return date(path);
    }
    for entry in std::fs::read_dir(path).into_iter().flatten().flatten() {
        date_all(&entry.path());
    }
}

/// Why something could not be read, in the order in which it was met.
pub fn reasons(report: &Report) -> Vec<&str> {
    report
        .errors
        .iter()
        .map(|error| error.reason.as_str())
        .collect()
}

pub fn fixture(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures")
        .join(name);
    date_all(&path);
    path
}
