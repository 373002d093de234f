//! No Rust file reaches itself again through what it names. A module and those inside it are one
//! house: between them names go both ways.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use syn::visit::{self, Visit};
use syn::{Item, ItemMod, ItemUse, UseTree, Visibility};
use walkdir::WalkDir;

use crate::layers::{in_circles, workspace};

/// The names of a module from the crate down; none for the crate itself.
type Module = Vec<String>;

/// What one file names of its own crate, and what it passes on under which name.
#[derive(Default)]
struct File {
    named: Vec<Module>,
    passed_on: BTreeMap<String, Module>,
}

/// Reads the names in a file; those of its tests do not count.
struct Reader<'a> {
    module: &'a Module,
    file: File,
}

impl Reader<'_> {
    /// Where a path begins, seen from the crate; `None` for one that leads elsewhere.
    fn seen_from_the_crate(&self, path: &[String]) -> Option<Module> {
        let mut here = self.module.clone();
        let mut path = path;
        match path.first()?.as_str() {
            "crate" => return Some(path[1..].to_vec()),
            "self" => path = &path[1..],
            "super" => {
                while path.first().is_some_and(|part| part == "super") {
                    here.pop();
                    path = &path[1..];
                }
            }
            _ => return None,
        }
        here.extend_from_slice(path);
        Some(here)
    }

    fn read_tree(&mut self, before: &[String], tree: &UseTree, public: bool) {
        let with = |name: &syn::Ident| [before, &[name.to_string()]].concat();
        let (path, known_as) = match tree {
            UseTree::Path(path) => return self.read_tree(&with(&path.ident), &path.tree, public),
            UseTree::Group(group) => {
                for tree in &group.items {
                    self.read_tree(before, tree, public);
                }
                return;
            }
            UseTree::Name(name) if name.ident == "self" => (before.to_vec(), None),
            UseTree::Name(name) => (with(&name.ident), Some(&name.ident)),
            UseTree::Rename(name) => (with(&name.ident), Some(&name.rename)),
            UseTree::Glob(_) => (before.to_vec(), None),
        };
        // What is passed on may begin with a module inside this one.
        let inside = || [self.module.clone(), path.clone()].concat();
        let whole = self.seen_from_the_crate(&path);
        if public && let Some(name) = known_as {
            let target = whole.clone().unwrap_or_else(inside);
            self.file.passed_on.insert(name.to_string(), target);
        }
        self.file.named.extend(whole);
    }
}

fn for_tests(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg")
            && attribute
                .parse_args::<syn::Path>()
                .is_ok_and(|path| path.is_ident("test"))
    })
}

impl<'ast> Visit<'ast> for Reader<'_> {
    fn visit_item(&mut self, item: &'ast Item) {
        if let Item::Mod(ItemMod { attrs, .. }) | Item::Use(ItemUse { attrs, .. }) = item
            && for_tests(attrs)
        {
            return;
        }
        visit::visit_item(self, item);
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        let public = !matches!(item.vis, Visibility::Inherited);
        self.read_tree(&[], &item.tree, public);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let parts: Module = path
            .segments
            .iter()
            .map(|part| part.ident.to_string())
            .collect();
        self.file.named.extend(self.seen_from_the_crate(&parts));
        visit::visit_path(self, path);
    }
}

/// The files of a crate by their modules. Files that are there for tests alone are left out.
fn files(sources: &Path) -> BTreeMap<Module, File> {
    let mut files = BTreeMap::new();
    for entry in WalkDir::new(sources) {
        let path = entry.unwrap().into_path();
        let below = path.strip_prefix(sources).unwrap().with_extension("");
        let mut module: Module = below
            .iter()
            .map(|part| part.to_string_lossy().into_owned())
            .collect();
        let is_rust = path.extension().is_some_and(|ending| ending == "rs");
        let tests = ["tests", "testing", "in_memory"];
        if !is_rust || module.iter().any(|part| tests.contains(&part.as_str())) {
            continue;
        }
        if ["mod", "lib", "main"].contains(&module.last().unwrap().as_str()) {
            module.pop();
        }
        let parsed = syn::parse_file(&fs::read_to_string(&path).unwrap()).unwrap();
        let mut reader = Reader {
            module: &module,
            file: File::default(),
        };
        reader.visit_file(&parsed);
        let file = reader.file;
        files.insert(module, file);
    }
    files
}

/// The module in whose file a name is said, past those that only pass it on.
fn home(files: &BTreeMap<Module, File>, name: &Module) -> Module {
    let mut name = name.clone();
    // A name that is passed on in a circle compiles in no crate; the bound is for this reader alone.
    for _ in 0..16 {
        let known = (0..=name.len())
            .rev()
            .find(|length| files.contains_key(&name[..*length]))
            .unwrap_or(0);
        let passed_on = name
            .get(known)
            .and_then(|next| files.get(&name[..known])?.passed_on.get(next))
            // A macro is passed on under its own name from where it stands.
            .filter(|target| target.as_slice() != &name[..=known]);
        match passed_on {
            Some(target) => name = [target.as_slice(), &name[known + 1..]].concat(),
            None => return name[..known].to_vec(),
        }
    }
    panic!("{name:?} is passed on without end");
}

#[test]
fn no_rust_file_reaches_itself() {
    let mut circles = Vec::new();
    let mut read = 0;
    for package in &workspace().packages {
        let files = files(
            &package
                .manifest_path
                .with_file_name("src")
                .into_std_path_buf(),
        );
        let mut names = BTreeMap::new();
        for (module, file) in &files {
            let one_house = |other: &Module| other.starts_with(module) || module.starts_with(other);
            let targets: BTreeSet<String> = file
                .named
                .iter()
                .map(|name| home(&files, name))
                .filter(|other| !one_house(other))
                .map(|other| other.join("::"))
                .collect();
            read += targets.len();
            names.insert(module.join("::"), targets);
        }
        circles.extend(
            in_circles(&names)
                .iter()
                .map(|module| format!("{}: {module} -> {:?}", package.name, names[*module])),
        );
    }
    assert!(read > 1000, "the search for names is broken: {read}");
    assert!(circles.is_empty(), "these name each other: {circles:#?}");
}
