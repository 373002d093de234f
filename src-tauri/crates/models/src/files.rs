//! A folder with a model: what it must hold and how it is verified.
//!
//! `manifest.json` names every file with its size and SHA-256, and says what the graph needs to be
//! used right: pooling, window, prefixes, scripts. Another model is plugged in by putting its graph,
//! its tokenizer files and such a manifest into a folder.
//!
//! Sizes are checked when the folder is looked for; hashes when a file is read for use, on the very
//! bytes that are used.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use sha2::{Digest, Sha256};

use crate::{ModelError, Script};

const MANIFEST: &str = "manifest.json";

/// How token states become one vector per text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum PoolingKind {
    Mean,
    Cls,
}

/// One file of the folder.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct ModelFile {
    /// Its name inside the folder.
    pub file: String,
    /// Its size.
    pub bytes: u64,
    /// Its SHA-256 in hexadecimal.
    pub sha256: String,
    /// Where it came from, in words.
    #[serde(default)]
    pub origin: String,
    /// The licence it is under.
    #[serde(default)]
    pub licence: String,
}

/// The second model of the folder, which shares the first one's tokenizer files.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct ExpanderFiles {
    pub model: String,
    pub graph: String,
    pub max_tokens: usize,
}

#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Manifest {
    pub version: u32,
    pub model: String,
    pub dimension: u32,
    pub pooling: PoolingKind,
    pub max_tokens: usize,
    pub scripts: Vec<String>,
    #[serde(default)]
    pub query_prefix: String,
    #[serde(default)]
    pub passage_prefix: String,
    pub graphs: std::collections::BTreeMap<String, String>,
    pub default_graph: String,
    pub runtime_library: String,
    #[serde(default)]
    pub expander: Option<ExpanderFiles>,
    pub files: Vec<ModelFile>,
}

/// A model folder that was found and whose files have the sizes the manifest states.
#[derive(Debug, Clone)]
pub struct ModelFiles {
    folder: PathBuf,
    pub(crate) manifest: Manifest,
}

impl ModelFiles {
    /// The first of the folders that holds a manifest; its files are then checked by size.
    ///
    /// # Errors
    /// [`ModelError::Missing`] when no folder has a manifest, [`ModelError::Unusable`] when it
    /// cannot be understood, [`ModelError::Damaged`] naming the first file that is absent or has
    /// another size.
    pub fn locate(candidates: &[PathBuf]) -> Result<ModelFiles, ModelError> {
        let folder = candidates
            .iter()
            .find(|folder| folder.join(MANIFEST).is_file())
            .ok_or_else(|| ModelError::Missing {
                searched: candidates.to_vec(),
            })?;
        let text = std::fs::read(folder.join(MANIFEST)).map_err(|_| damaged(MANIFEST))?;
        let manifest: Manifest =
            serde_json::from_slice(&text).map_err(|_| unusable("it is not a model manifest"))?;
        check(&manifest)?;
        for file in &manifest.files {
            let found = std::fs::metadata(folder.join(&file.file))
                .map_err(|_| damaged(&file.file))?
                .len();
            if found != file.bytes {
                return Err(damaged(&file.file));
            }
        }
        Ok(ModelFiles {
            folder: folder.clone(),
            manifest,
        })
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The model's name without variant.
    pub fn model(&self) -> &str {
        &self.manifest.model
    }

    /// Everything in the folder, with origin and licence.
    pub fn files(&self) -> &[ModelFile] {
        &self.manifest.files
    }

    /// Reads every file and compares its SHA-256.
    ///
    /// # Errors
    /// [`ModelError::Damaged`] naming the first file that differs.
    pub fn verify(&self) -> Result<(), ModelError> {
        for file in &self.manifest.files {
            self.read(&file.file)?;
        }
        Ok(())
    }

    /// A file's bytes, verified.
    pub(crate) fn read(&self, name: &str) -> Result<Vec<u8>, ModelError> {
        let entry = self
            .manifest
            .files
            .iter()
            .find(|file| file.file == name)
            .ok_or_else(|| damaged(name))?;
        let bytes = std::fs::read(self.folder.join(name)).map_err(|_| damaged(name))?;
        if hex::encode(Sha256::digest(&bytes)) != entry.sha256 {
            return Err(damaged(name));
        }
        Ok(bytes)
    }

    /// The build of a graph: the first half of its SHA-256.
    pub(crate) fn build(&self, graph: &str) -> Result<&str, ModelError> {
        self.manifest
            .files
            .iter()
            .find(|file| file.file == graph)
            .and_then(|file| file.sha256.get(..16))
            .ok_or_else(|| damaged(graph))
    }

    /// The shared library beside the model.
    pub(crate) fn library(&self) -> PathBuf {
        self.folder.join(&self.manifest.runtime_library)
    }
}

fn check(manifest: &Manifest) -> Result<(), ModelError> {
    if manifest.version != 1 {
        return Err(unusable("its version is not known"));
    }
    if manifest.dimension == 0 || manifest.max_tokens < 8 {
        return Err(unusable("its dimension or window makes no sense"));
    }
    if manifest
        .scripts
        .iter()
        .any(|name| Script::from_name(name).is_none())
    {
        return Err(unusable("it names an unknown script"));
    }
    if !manifest.graphs.contains_key(&manifest.default_graph) {
        return Err(unusable("its default graph is not in its list of graphs"));
    }
    // A name with a path in it could make the app read, or load as a library, what is elsewhere.
    let plain = |name: &str| {
        Path::new(name)
            .file_name()
            .is_some_and(|last| last == std::ffi::OsStr::new(name))
    };
    let listed = |name: &str| manifest.files.iter().any(|file| file.file == name);
    if !manifest.files.iter().all(|file| plain(&file.file)) {
        return Err(unusable("it names a file outside its folder"));
    }
    let expander = manifest.expander.iter().map(|expander| &expander.graph);
    let mut graphs = manifest.graphs.values().chain(expander);
    if !listed(&manifest.runtime_library) || !graphs.all(|name| listed(name)) {
        return Err(unusable("it does not list a file that it refers to"));
    }
    Ok(())
}

fn damaged(file: &str) -> ModelError {
    ModelError::Damaged {
        file: file.to_owned(),
    }
}

fn unusable(reason: &'static str) -> ModelError {
    ModelError::Unusable {
        file: MANIFEST,
        reason,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(change: impl Fn(&mut serde_json::Value)) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let entry = |name: &str, content: &[u8]| {
            std::fs::write(folder.path().join(name), content).unwrap();
            serde_json::json!({
                "file": name,
                "bytes": content.len(),
                "sha256": hex::encode(Sha256::digest(content)),
            })
        };
        let mut manifest = serde_json::json!({
            "version": 1, "model": "tiny", "dimension": 4, "pooling": "mean", "max_tokens": 16,
            "scripts": ["latin"], "graphs": {"f32": "g.onnx"}, "default_graph": "f32",
            "runtime_library": "lib.so",
            "files": [entry("g.onnx", b"graph"), entry("lib.so", b"library")],
        });
        change(&mut manifest);
        std::fs::write(folder.path().join(MANIFEST), manifest.to_string()).unwrap();
        folder
    }

    fn locate(folder: &tempfile::TempDir) -> Result<ModelFiles, ModelError> {
        ModelFiles::locate(&[folder.path().join("absent"), folder.path().to_path_buf()])
    }

    #[test]
    fn the_first_folder_with_a_manifest_is_taken_and_verified() {
        let good = folder(|_| ());
        let files = locate(&good).unwrap();
        assert_eq!(files.folder(), good.path());
        files.verify().unwrap();
        assert_eq!(files.read("g.onnx").unwrap(), b"graph");
    }

    #[test]
    fn no_folder_names_the_places_searched() {
        let empty = tempfile::tempdir().unwrap();
        let places = [empty.path().to_path_buf(), empty.path().join("model")];
        match ModelFiles::locate(&places) {
            Err(ModelError::Missing { searched }) => assert_eq!(searched, places),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_truncated_file_is_found_by_size_and_a_changed_one_by_hash() {
        let truncated = folder(|_| ());
        std::fs::write(truncated.path().join("g.onnx"), b"gra").unwrap();
        assert!(
            matches!(locate(&truncated), Err(ModelError::Damaged { file }) if file == "g.onnx")
        );

        let changed = folder(|_| ());
        std::fs::write(changed.path().join("g.onnx"), b"grapH").unwrap();
        let files = locate(&changed).unwrap();
        assert!(matches!(files.verify(), Err(ModelError::Damaged { file }) if file == "g.onnx"));

        let absent = folder(|_| ());
        std::fs::remove_file(absent.path().join("lib.so")).unwrap();
        assert!(matches!(locate(&absent), Err(ModelError::Damaged { file }) if file == "lib.so"));
    }

    #[test]
    fn a_manifest_that_makes_no_sense_is_refused() {
        let changes: [fn(&mut serde_json::Value); 8] = [
            |m| m["version"] = 2.into(),
            |m| m["dimension"] = 0.into(),
            |m| m["scripts"] = serde_json::json!(["klingon"]),
            |m| m["default_graph"] = "int8".into(),
            |m| m["runtime_library"] = "other.so".into(),
            |m| m["files"][0]["file"] = "../g.onnx".into(),
            |m| m["pooling"] = "max".into(),
            |m| {
                m["expander"] =
                    serde_json::json!({"model": "e", "graph": "e.onnx", "max_tokens": 16});
            },
        ];
        for (number, change) in changes.into_iter().enumerate() {
            assert!(
                matches!(locate(&folder(change)), Err(ModelError::Unusable { .. })),
                "change {number}"
            );
        }
    }
}
