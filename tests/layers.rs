//! Tests the layers of the workspace: the table in docs/architecture.md matches the manifests, each
//! crate has a documentation test that tries a forbidden import, and modules and kernels use only
//! those that the page permits.

use std::collections::BTreeSet;
use std::fs::read_to_string;
use std::path::PathBuf;

use zeroset_testing::checkout::root;

/// A row of the table.
struct Layer {
    name: String,
    /// The folder of the crate.
    folder: PathBuf,
    may_use: BTreeSet<String>,
}

impl Layer {
    /// Parses a table row with four cells: crate, folder, allowed dependencies, and purpose.
    fn parse(row: &str) -> Self {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        let [name, folder, may_use, _job] = cells[..] else {
            panic!("the row does not have four cells: {row}")
        };
        let names = may_use.split(',').map(|name| name.trim().trim_matches('`'));
        Layer {
            name: name.trim_matches('`').into(),
            folder: root().join(folder.trim_matches('`')),
            may_use: names.filter(|name| !name.is_empty()).map(String::from).collect(),
        }
    }

    fn manifest(&self) -> toml::Table {
        // The sources of the root package are in `src/`.
        let folder = if self.name == "zeroset" { root() } else { self.folder.clone() };
        toml::from_str(&read_to_string(folder.join("Cargo.toml")).unwrap()).unwrap()
    }

    /// Returns the text of the `lib.rs` of the crate.
    fn page(&self) -> String {
        let places = [self.folder.join("src/lib.rs"), self.folder.join("lib.rs")];
        read_to_string(places.iter().find(|place| place.exists()).unwrap()).unwrap()
    }
}

/// Returns the rows of the table on the page, lowest layer first.
fn layers() -> Vec<Layer> {
    let page = read_to_string(root().join("docs/architecture.md")).unwrap();
    let (_, section) = page.split_once("\n## Layers\n").expect("the page has a section on layers");
    let section = section.split("\n## ").next().unwrap();
    let rows = section.lines().filter(|line| line.starts_with("| ")).skip(1);
    rows.map(Layer::parse).collect()
}

/// Returns the workspace crates that the given tables of a manifest list, including
/// platform-specific tables.
fn ours(manifest: &toml::Table, tables: &[&str]) -> BTreeSet<String> {
    let targets = manifest.get("target").and_then(toml::Value::as_table).into_iter().flatten();
    let places = targets.filter_map(|(_, target)| target.as_table()).chain([manifest]);
    let names = places.flat_map(|place| {
        let tables = tables.iter().filter_map(|table| place.get(*table)?.as_table());
        tables.flat_map(|table| table.keys())
    });
    names.filter(|name| name.starts_with("zeroset")).cloned().collect()
}

#[test]
fn the_manifests_are_as_the_page_says() {
    let layers = layers();
    let mut below = BTreeSet::new();
    for layer in &layers {
        let manifest = layer.manifest();
        assert_eq!(manifest["package"]["name"].as_str(), Some(&*layer.name));
        let used = ours(&manifest, &["dependencies", "build-dependencies"]);
        assert_eq!(
            used, layer.may_use,
            "{}: the manifest (left) and the page (right) differ",
            layer.name
        );
        assert!(used.is_subset(&below), "{} may only use layers below it", layer.name);
        below.insert(layer.name.clone());
    }
    // A crate is published if and only if it is a layer. Other crates are for tests.
    let folders = std::fs::read_dir(root().join("crates")).unwrap().map(|f| f.unwrap().path());
    let mut seen = 0;
    for folder in folders.chain([root().join("kernels"), root()]) {
        let text = read_to_string(folder.join("Cargo.toml")).unwrap();
        let package = &toml::from_str::<toml::Table>(&text).unwrap()["package"];
        let name = package["name"].as_str().unwrap();
        let is_published = package.get("publish").is_none();
        assert_eq!(
            below.contains(name),
            is_published,
            "{name}: exactly the published crates need a row"
        );
        seen += usize::from(is_published);
    }
    assert_eq!(seen, layers.len());
}

/// The documentation test of each layer tries a forbidden import. `cargo test --doc` checks that it
/// does not compile.
#[test]
fn each_layer_tries_a_forbidden_import() {
    for layer in layers().iter().filter(|layer| layer.name != "zeroset") {
        let page = layer.page();
        let (_, test) = page
            .split_once("//! ```compile_fail,E0432\n//! use ")
            .unwrap_or_else(|| panic!("{} tries no forbidden import", layer.name));
        let tried = test.split("::").next().unwrap().replace('_', "-");
        let tables = ["dependencies", "build-dependencies", "dev-dependencies"];
        let known = ours(&layer.manifest(), &tables);
        assert!(layers().iter().any(|other| other.name == tried), "{tried} is not a layer");
        assert!(!known.contains(&tried) && tried != layer.name, "{} may use {tried}", layer.name);
    }
}

/// Returns the modules of the root package in the order given on the page. Modules of the same step
/// must not use each other.
fn order_of_modules() -> Vec<Vec<String>> {
    let page = read_to_string(root().join("docs/architecture.md")).unwrap();
    let start = page.find("`grid`, `patches` <-").expect("the page gives the order of the modules");
    let order = page[start..].split("\n\n").next().unwrap().split(". ").next().unwrap();
    let names = |step: &str| -> Vec<String> {
        step.split('`').skip(1).step_by(2).map(String::from).collect()
    };
    order.split("<-").map(names).collect()
}

/// Returns the Rust files in a folder and its subfolders.
fn sources(folder: PathBuf) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let (folders, files): (Vec<_>, Vec<_>) = entries.partition(|path| path.is_dir());
    let is_rust = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "rs");
    let below = folders.into_iter().flat_map(sources);
    files.into_iter().filter(is_rust).chain(below).collect()
}

/// Returns the modules that a source names after `prefix`, ignoring comments.
fn modules_used<'a>(text: &'a str, prefix: &str) -> BTreeSet<&'a str> {
    let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    let paths = code.flat_map(|line| line.split(prefix).skip(1));
    let word = |path: &'_ str| path.find(|c: char| !c.is_alphanumeric() && c != '_');
    paths.map(|path| &path[..word(path).unwrap_or(path.len())]).collect()
}

/// Returns the code of the files of a module, without its unit tests.
fn code(module: PathBuf) -> Vec<(PathBuf, String)> {
    let is_test =
        |file: &PathBuf| file.ends_with("tests.rs") || file.iter().any(|part| part == "tests");
    let files = sources(module).into_iter().filter(|file| !is_test(file));
    let read = |file: PathBuf| {
        let text = read_to_string(&file).unwrap();
        let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
        (file, code.to_string())
    };
    files.map(read).collect()
}

#[test]
fn modules_use_only_modules_before_them() {
    let order = order_of_modules();
    let rank = |name: &str| order.iter().position(|step| step.iter().any(|known| known == name));
    assert!(order.len() >= 8, "{order:?}");
    let mut seen = 0;
    for (own, step) in order.iter().enumerate() {
        for module in step {
            let folder = root().join("src").join(module);
            let files = if folder.is_dir() { code(folder) } else { Vec::new() };
            for (file, text) in files {
                for used in modules_used(&text, "crate::") {
                    let place = file.display();
                    assert!(!used.is_empty(), "{place}: name each module after its own `crate::`");
                    let allowed = used == module || rank(used).is_none_or(|other| other < own);
                    assert!(allowed, "{}: {module} must not use {used}", file.display());
                    seen += usize::from(rank(used).is_some());
                }
            }
        }
    }
    assert!(seen > 200, "{seen}");
}

/// Solvers are also ordered among themselves. Their modules name each other after `levelset::`, or
/// after `super::`.
#[test]
fn solvers_use_only_solvers_before_them() {
    let solvers = ["volume", "eikonal", "evolution", "tiled"];
    let mut seen = 0;
    for (own, solver) in solvers.into_iter().enumerate() {
        for (file, text) in code(root().join("src/levelset").join(solver)) {
            for prefix in ["levelset::", "super::"] {
                for used in modules_used(&text, prefix) {
                    let allowed = !solvers[own + 1..].contains(&used);
                    assert!(allowed, "{}: {solver} must not use {used}", file.display());
                    seen += usize::from(solvers[..own].contains(&used));
                }
            }
        }
    }
    assert!(seen > 5, "{seen}");
}

/// Returns the folder of a kernel source, by its path in `kernels/`. Files at the top level belong
/// to one of the subjects that the page states.
fn subject(path: &str) -> &str {
    match path.split_once('/') {
        Some(("evolution" | "eikonal", _)) => "motion",
        Some((folder, _)) => folder,
        None if path.ends_with("_generated.cuh") => "printed",
        None => match path {
            "volume.cuh" | "expression.cuh" | "enclosure.cuh" | "sampling.cuh" => "values",
            "measures.cu" => "measures",
            "self_test.cu" => "self_test",
            _ => "motion",
        },
    }
}

/// Returns whether a kernel or header may include another file (docs/architecture.md, "Layers").
fn may_include(path: &str, other: &str) -> bool {
    match (subject(path), subject(other)) {
        ("bench", _) => true,
        ("common", other) => matches!(other, "common" | "generated"),
        ("self_test", other) => other == "generated",
        ("values", other) => matches!(other, "common" | "generated" | "values"),
        ("generated", "render") => path == "generated/render.cuh",
        ("generated", "values") => other == "volume.cuh",
        ("generated", other) => matches!(other, "common" | "primitives" | "tiles"),
        (_, "common" | "generated" | "primitives" | "values" | "printed") => true,
        ("surface" | "reconstruct", "tiles") => true,
        (own, other) => own == other,
    }
}

#[test]
fn kernels_include_only_what_the_page_permits() {
    let kernels = root().join("kernels");
    let mut seen = 0;
    let mut folders = vec![kernels.clone()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let file = entry.unwrap().path();
            if file.is_dir() {
                folders.push(file);
                continue;
            }
            if !file.extension().is_some_and(|ending| ending == "cu" || ending == "cuh") {
                continue;
            }
            let path = file.strip_prefix(&kernels).unwrap().to_str().unwrap();
            for line in read_to_string(&file).unwrap().lines() {
                let Some(rest) = line.strip_prefix("#include \"") else { continue };
                let other = rest.split('"').next().unwrap();
                assert!(may_include(path, other), "{path} must not include {other}");
                seen += 1;
            }
        }
    }
    assert!(seen > 150, "{seen}");
    assert!(!may_include("common/types.cuh", "primitives/scan.cuh"));
    assert!(!may_include("render/rays.cuh", "tiles/storage.cuh"));
    assert!(!may_include("evolution.cu", "measures/cut.cuh"));
}
