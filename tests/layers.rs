//! The layers of the workspace: the table of docs/architecture.md is what the manifests say, and each
//! crate has a documentation test that tries an import from a layer it may not use.

use std::collections::BTreeSet;
use std::fs::read_to_string;
use std::path::PathBuf;

use zeroset_testing::places::root;

/// A row of the table.
struct Layer {
    name: String,
    /// The folder of its sources.
    folder: PathBuf,
    may_use: BTreeSet<String>,
}

impl Layer {
    /// Cells of a row: crate, folder, what it may depend on, job.
    fn parse(row: &str) -> Self {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        let [name, folder, may_use, _job] = cells[..] else { panic!("not four cells: {row}") };
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

    /// The text of its `lib.rs`.
    fn page(&self) -> String {
        let places = [self.folder.join("src/lib.rs"), self.folder.join("lib.rs")];
        read_to_string(places.iter().find(|place| place.exists()).unwrap()).unwrap()
    }
}

/// The rows of the page, lowest layer first.
fn layers() -> Vec<Layer> {
    let page = read_to_string(root().join("docs/architecture.md")).unwrap();
    let (_, section) = page.split_once("\n## Layers\n").expect("the page has a section on layers");
    let section = section.split("\n## ").next().unwrap();
    let rows = section.lines().filter(|line| line.starts_with("| ")).skip(1);
    rows.map(Layer::parse).collect()
}

/// Our own crates in some tables of a manifest, those for one platform included.
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
        assert_eq!(used, layer.may_use, "{} uses the first, the page says the second", layer.name);
        assert!(used.is_subset(&below), "{} uses a layer that stands below it", layer.name);
        below.insert(layer.name.clone());
    }
    // What is published is a layer, and what is not is for tests.
    let folders = std::fs::read_dir(root().join("crates")).unwrap().map(|f| f.unwrap().path());
    let mut seen = 0;
    for folder in folders.chain([root().join("kernels"), root()]) {
        let text = read_to_string(folder.join("Cargo.toml")).unwrap();
        let package = &toml::from_str::<toml::Table>(&text).unwrap()["package"];
        let name = package["name"].as_str().unwrap();
        let is_published = package.get("publish").is_none();
        assert_eq!(below.contains(name), is_published, "{name}: a row for what is published");
        seen += usize::from(is_published);
    }
    assert_eq!(seen, layers.len());
}

/// The import that a documentation test of each layer tries is forbidden; that it does not compile is
/// what `cargo test --doc` finds.
#[test]
fn each_layer_tries_a_forbidden_import() {
    for layer in layers().iter().filter(|layer| layer.name != "zeroset") {
        let page = layer.page();
        let (_, test) = page
            .split_once("//! ```compile_fail,E0432\n//! use ")
            .unwrap_or_else(|| panic!("{} has no such test", layer.name));
        let tried = test.split("::").next().unwrap().replace('_', "-");
        let tables = ["dependencies", "build-dependencies", "dev-dependencies"];
        let known = ours(&layer.manifest(), &tables);
        assert!(layers().iter().any(|other| other.name == tried), "{tried} is no layer");
        assert!(!known.contains(&tried) && tried != layer.name, "{} may use {tried}", layer.name);
    }
}
