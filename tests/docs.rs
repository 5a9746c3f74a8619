//! What README and docs say is tried: commands, cases, links, names.
//!
//! Blocks of ```` ```sh ```` are run in a folder that holds copies of `configs/` and `meshes/`, in
//! their order, files made by one command being there for the next; long ones are only checked.
//! Blocks of ```` ```toml ```` that begin with `version` are whole cases and must be read.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use zeroset::config::Config;

/// Cases quick enough to be run here; the others are checked by `zeroset check`.
const QUICK: [&str; 2] = ["configs/regular_grid.toml", "configs/merging_circles.toml"];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// README, changelog, and all pages of docs/.
fn pages() -> Vec<PathBuf> {
    let mut pages: Vec<PathBuf> =
        ["README.md", "CHANGELOG.md", "THIRD_PARTY.md", "meshes/README.md"]
            .map(|name| root().join(name))
            .to_vec();
    let docs = std::fs::read_dir(root().join("docs")).unwrap();
    let mut found: Vec<PathBuf> = docs.map(|entry| entry.unwrap().path()).collect();
    found.retain(|path| path.extension().is_some_and(|e| e == "md"));
    found.sort();
    pages.extend(found);
    pages
}

/// A fenced block of a page: the line it starts at, its language, its text.
struct Block {
    line: usize,
    language: String,
    text: String,
}

fn blocks(page: &Path) -> Vec<Block> {
    let text = std::fs::read_to_string(page).unwrap();
    let (mut blocks, mut open) = (Vec::new(), None::<Block>);
    for (k, line) in text.lines().enumerate() {
        match (line.strip_prefix("```"), open.as_mut()) {
            (Some(language), None) => {
                let language = language.trim().to_string();
                open = Some(Block { line: k + 1, language, text: String::new() });
            }
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (None, Some(block)) => {
                block.text.push_str(line);
                block.text.push('\n');
            }
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "{}: a block is not closed", page.display());
    blocks
}

fn zeroset(folder: &Path, arguments: &[&str]) -> Output {
    let data = root().join("..").join("shared").join("data");
    let data = std::env::var_os("ZEROSET_DATA").map(PathBuf::from).unwrap_or(data);
    let mut command = Command::new(env!("CARGO_BIN_EXE_zeroset"));
    command.current_dir(folder).env("ZEROSET_DATA", data).args(arguments).output().unwrap()
}

/// The arguments of `zeroset` in a line, without and with cargo before it.
fn of_zeroset(line: &str) -> Option<Vec<&str>> {
    let rest = ["zeroset ", "cargo run --release -- "].iter().find_map(|p| line.strip_prefix(p))?;
    assert!(!rest.contains(['"', '\'', '|', '>']), "`{line}` needs a shell; keep it plain");
    Some(rest.split_whitespace().collect())
}

/// Copies `configs/` and `meshes/` to where commands are tried.
fn playground() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for name in ["configs", "meshes"] {
        let to = folder.path().join(name);
        std::fs::create_dir(&to).unwrap();
        for entry in std::fs::read_dir(root().join(name)).unwrap() {
            let from = entry.unwrap().path();
            std::fs::copy(&from, to.join(from.file_name().unwrap())).unwrap();
        }
    }
    folder
}

#[test]
fn commands_work() {
    let mut tried = 0;
    for page in pages() {
        let folder = playground();
        for block in blocks(&page).iter().filter(|block| block.language == "sh") {
            for line in block.text.lines().map(str::trim).filter(|l| !l.is_empty()) {
                let place = format!("{}:{}: `{line}`", page.display(), block.line);
                let line = line.split(" # ").next().unwrap_or(line).trim();
                if line.starts_with('#') {
                    continue;
                }
                let Some(arguments) = of_zeroset(line) else {
                    let known = ["cargo ", "git ", "cd ", "export ZEROSET_DATA="];
                    assert!(known.iter().any(|k| line.starts_with(k)), "{place}: unknown program");
                    continue;
                };
                let parsed = zeroset(folder.path(), &[&arguments[..], &["--help"]].concat());
                assert!(parsed.status.success(), "{place}: {parsed:?}");
                let mut arguments = arguments;
                let long = arguments[0] == "run" && !QUICK.contains(&arguments[1]);
                if long {
                    arguments[0] = "check";
                }
                let output = zeroset(folder.path(), &arguments);
                assert!(output.status.success(), "{place}: {output:?}");
                tried += 1;
            }
        }
    }
    assert!(tried >= 10, "only {tried} commands were found");
}

#[test]
fn whole_cases_are_read() {
    let mut read = 0;
    for page in pages() {
        for block in blocks(&page).iter().filter(|block| block.language == "toml") {
            if block.text.starts_with("version") {
                let place = root().join("configs").join("page.toml");
                let case = Config::parse(&block.text, &place, &[]);
                assert!(case.is_ok(), "{}:{}: {case:?}", page.display(), block.line);
                read += 1;
            } else {
                let part = block.text.parse::<toml::Table>();
                assert!(part.is_ok(), "{}:{}: {part:?}", page.display(), block.line);
            }
        }
    }
    assert!(read >= 2, "only {read} cases were found");
}

#[test]
fn the_head_of_each_case_names_a_command_that_is_there() {
    for entry in std::fs::read_dir(root().join("configs")).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        for line in text.lines().filter_map(|line| line.strip_prefix("#     ")) {
            let arguments = of_zeroset(line).unwrap_or_else(|| panic!("{line}"));
            let output = zeroset(root(), &[&arguments[..], &["--help"]].concat());
            assert!(output.status.success(), "{}: {output:?}", path.display());
            assert!(root().join(arguments[1]).is_file(), "{}: {line}", path.display());
        }
    }
}

#[test]
fn links_lead_somewhere() {
    for page in pages() {
        let text = std::fs::read_to_string(&page).unwrap();
        for (k, part) in text.split("](").skip(1).enumerate() {
            let target = part.split(')').next().unwrap();
            let file = target.split('#').next().unwrap();
            if file.is_empty() || file.contains("://") {
                continue;
            }
            let path = page.parent().unwrap().join(file);
            assert!(path.exists(), "{}: link {}: {target}", page.display(), k + 1);
        }
    }
}

/// Keys of the tables of a case, two levels deep.
fn keys(case: &str) -> BTreeSet<String> {
    let config = Config::parse(case, Path::new("case.toml"), &[]).unwrap();
    let value = serde_json::to_value(config).unwrap();
    let mut keys = BTreeSet::new();
    for (table, entries) in value.as_object().unwrap() {
        keys.insert(table.clone());
        let inner = entries.get("mesh").unwrap_or(entries);
        if ["domain", "device", "evolve", "reinitialize", "distance", "output"]
            .contains(&table.as_str())
        {
            keys.extend(inner.as_object().into_iter().flatten().map(|(key, _)| key.clone()));
        }
    }
    keys
}

#[test]
fn the_reference_of_the_case_file_names_every_key() {
    let page = std::fs::read_to_string(root().join("docs").join("case-file.md")).unwrap();
    let mesh = "version = 1\ndomain.mesh.generate.square = {}\n";
    let evolve = format!(
        "{mesh}initial.ball = {{ center = [0, 0, 0], radius = 1 }}\n[evolve]\nend_time = 1.0"
    );
    let distance = format!("{mesh}[distance]\nfrom = [\"vertex:0\"]");
    let mut all = keys(&evolve);
    all.extend(keys(&distance));
    assert!(all.len() > 30, "{all:?}");
    for key in all {
        assert!(page.contains(&format!("`{key}`")), "docs/case-file.md says nothing of `{key}`");
    }
    // Unknown keys are answered with all that are allowed: the list of [expect].
    let wrong = format!("{evolve}\n[expect]\nno_such_key = 1");
    let message = Config::parse(&wrong, Path::new("c.toml"), &[]).unwrap_err().to_string();
    let allowed = message.split("allowed:").nth(1).unwrap_or_else(|| panic!("{message}"));
    for key in allowed.split([',', ' ', '`', ';', '"']).filter(|word| !word.is_empty()) {
        assert!(page.contains(&format!("`{key}`")), "docs/case-file.md says nothing of `{key}`");
    }
}

#[test]
fn the_list_of_crates_is_complete() {
    let page = std::fs::read_to_string(root().join("THIRD_PARTY.md")).unwrap();
    let words: BTreeSet<&str> =
        page.split(|c: char| c.is_whitespace() || c == ',' || c == '*').collect();
    let lock = std::fs::read_to_string(root().join("Cargo.lock")).unwrap();
    let lock: toml::Table = lock.parse().unwrap();
    for package in lock["package"].as_array().unwrap() {
        let name = package["name"].as_str().unwrap();
        let known = name == env!("CARGO_PKG_NAME") || words.contains(name);
        assert!(known, "THIRD_PARTY.md does not name {name}");
    }
}
