//! Tests the README and the docs: commands and their output, cases, links and names.
//!
//! The commands of each page run in order, as a reader would run them. They run in a folder with
//! copies of `configs/` and `meshes/`, and later commands can use the files of earlier ones:
//!
//! - A shell runs the lines of ```` ```sh ````.
//! - In ```` ```console ````, lines after `$` are run, and the lines below are their output. `...`
//!   stands for any text in a line and, alone on a line, for any lines.
//! - ```` ```toml ```` whose first line is a file name, such as `# case.toml`, is written to that
//!   file. Cases, which begin with `version`, must be valid.
//!
//! Commands that cannot run here, for example because they need a GPU or another toolchain, are in
//! ```` ```text ````. In such blocks, the options of `zeroset` and the targets of `cargo` must
//! exist. The page says why a command is not run.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Instant;

use zeroset::config::Config;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Returns the README, similar files, and all pages of docs/.
fn pages() -> Vec<PathBuf> {
    const OTHERS: [&str; 6] = [
        "README.md",
        "CHANGELOG.md",
        "CONTRIBUTING.md",
        "SECURITY.md",
        "THIRD_PARTY.md",
        "meshes/README.md",
    ];
    let mut pages = OTHERS.map(|name| root().join(name)).to_vec();
    let docs = std::fs::read_dir(root().join("docs")).unwrap();
    let mut found: Vec<PathBuf> = docs.map(|entry| entry.unwrap().path()).collect();
    found.retain(|path| path.extension().is_some_and(|e| e == "md"));
    found.sort();
    pages.extend(found);
    pages
}

/// A fenced block of a page: the number of its first line, its language and its text.
struct Block {
    line: usize,
    language: String,
    text: String,
}

impl Block {
    /// Returns the name of the file to which the block is saved, if its first line states one.
    fn file(&self) -> Option<&str> {
        let name = self.text.lines().next()?.strip_prefix("# ")?;
        let is_file = self.language == "toml" && name.ends_with(".toml") && !name.contains(' ');
        is_file.then_some(name)
    }

    /// Returns whether the block is a complete case.
    fn is_case(&self) -> bool {
        let first = self.text.lines().find(|line| !line.is_empty() && !line.starts_with('#'));
        first.is_some_and(|line| line.starts_with("version"))
    }
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

/// Runs a line with a shell. `zeroset` is in the path, and no GPU is visible.
fn shell(folder: &Path, line: &str) -> Output {
    let program = Path::new(env!("CARGO_BIN_EXE_zeroset")).parent().unwrap();
    let others = std::env::var_os("PATH").unwrap_or_default();
    let path = [program.to_path_buf()].into_iter().chain(std::env::split_paths(&others));
    let mut command = Command::new("sh");
    command.current_dir(folder).env("PATH", std::env::join_paths(path).unwrap());
    command.env("CUDA_VISIBLE_DEVICES", "");
    command.args(["-c", &format!("{{ {line}\n}} 2>&1")]).output().unwrap()
}

/// Replaces a call to the program through cargo with a call to the installed program.
fn installed(line: &str) -> String {
    match line.strip_prefix("cargo run --release -- ") {
        Some(rest) => format!("zeroset {rest}"),
        None => line.to_string(),
    }
}

/// Creates a folder with copies of `configs/` and `meshes/`, in which commands are run.
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

/// A command on a page, and its output if the page shows it.
struct Shown {
    command: String,
    prints: Option<Vec<String>>,
}

/// Returns the commands of a block. A line that ends in a backslash continues on the next line.
fn commands(block: &Block) -> Vec<Shown> {
    let text = block.text.replace("\\\n", " ");
    let mut found = Vec::<Shown>::new();
    for line in text.lines() {
        let command = match block.language.as_str() {
            "sh" => Some(line.trim()).filter(|l| !l.is_empty() && !l.starts_with('#')),
            "console" => line.strip_prefix("$ "),
            _ => None,
        };
        match (command, found.last_mut()) {
            (Some(command), _) => {
                let prints = (block.language == "console").then(Vec::new);
                found.push(Shown { command: installed(command), prints });
            }
            (None, Some(Shown { prints: Some(prints), .. })) => prints.push(line.to_string()),
            _ => {}
        }
    }
    found
}

/// Returns whether lines match those of a page, where `...` stands for any number of lines.
fn as_shown(lines: &[&str], page: &[String]) -> bool {
    let Some((shown, rest)) = page.split_first() else { return lines.is_empty() };
    if shown == "..." {
        return (0..=lines.len()).any(|k| as_shown(&lines[k..], rest));
    }
    let first = lines.split_first();
    first.is_some_and(|(line, lines)| alike(line, shown) && as_shown(lines, rest))
}

/// Returns whether a line matches a line of a page, where `...` stands for any text.
fn alike(line: &str, shown: &str) -> bool {
    let (line, shown) = (line.trim_end(), shown.trim_end());
    let Some((first, others)) = shown.split_once("...") else { return line == shown };
    let Some(rest) = line.strip_prefix(first) else { return false };
    (0..=rest.len()).filter(|&k| rest.is_char_boundary(k)).any(|k| alike(&rest[k..], others))
}

#[test]
#[cfg(unix)]
fn commands_work_and_print_what_the_pages_show() {
    let mut tried = 0;
    for page in pages() {
        let (folder, start) = (playground(), Instant::now());
        for block in blocks(&page) {
            if let Some(name) = block.file() {
                std::fs::write(folder.path().join(name), &block.text).unwrap();
            }
            for Shown { command, prints } in commands(&block) {
                let place = format!("{}:{}: `{command}`", page.display(), block.line);
                let first = command.split(' ').next().unwrap();
                let other = ["cargo", "git", "cd", "export", "pip", "fuzz/run"].contains(&first);
                assert!(!other, "{place} is not run: move it to a block of text and say why");
                let output = shell(folder.path(), &command);
                let said = String::from_utf8_lossy(&output.stdout);
                assert!(output.status.success(), "{place}: {}\n{said}", output.status);
                if let Some(prints) = prints {
                    let lines: Vec<&str> = said.lines().collect();
                    assert!(as_shown(&lines, &prints), "{place} prints\n{said}");
                }
                tried += 1;
            }
        }
        eprintln!("{}: {:.1} s", page.display(), start.elapsed().as_secs_f64());
    }
    assert!(tried >= 60, "only {tried} commands were found");
}

/// Commands that are not run here have valid options and name existing targets.
#[test]
#[cfg(unix)]
fn commands_that_are_not_run_could_be() {
    let folder = playground();
    let mut tried = 0;
    for page in pages() {
        for block in blocks(&page).iter().filter(|block| block.language == "text") {
            for line in block.text.lines().map(|line| line.trim_start_matches("$ ")) {
                let place = format!("{}:{}: `{line}`", page.display(), block.line);
                if line.starts_with("zeroset ") {
                    let line = line.split(['|', '>']).next().unwrap();
                    let output = shell(folder.path(), &format!("{line} --help"));
                    assert!(output.status.success(), "{place}: {output:?}");
                    tried += 1;
                }
                let words: Vec<&str> = line.split(' ').collect();
                let package = words.windows(2).find(|pair| pair[0] == "-p").map(|pair| pair[1]);
                let home = match package.and_then(|name| name.strip_prefix("zeroset-")) {
                    Some(name) => root().join("crates").join(name),
                    None => root().to_path_buf(),
                };
                for pair in words.windows(2) {
                    let folder = match pair[0] {
                        "--test" => "tests",
                        "--bench" => "benches",
                        "--example" => "examples",
                        _ => continue,
                    };
                    let file = home.join(folder).join(format!("{}.rs", pair[1]));
                    let main = home.join(folder).join(pair[1]).join("main.rs");
                    assert!(file.exists() || main.exists(), "{place}: no {}", pair[1]);
                    tried += 1;
                }
            }
        }
    }
    assert!(tried >= 5, "only {tried} commands were found");
}

#[test]
fn dots_stand_for_anything_and_nothing_else_does() {
    assert!(alike("steps  20 to time 0.1", "steps  20 ... 0.1"));
    assert!(alike("seconds  1.51: read", "seconds ..."));
    assert!(alike("as it is", "as it is") && !alike("as it was", "as it is"));
    assert!(!alike("steps 21", "steps 2") && !alike("a b", "... c") && !alike("a b c", "a ... b"));
    let page = ["a".to_string(), "...".into(), "d".into()];
    assert!(as_shown(&["a", "b", "c", "d"], &page) && as_shown(&["a", "d"], &page));
    assert!(!as_shown(&["a", "b"], &page) && !as_shown(&["a", "d", "e"], &page));
}

#[test]
fn whole_cases_are_read() {
    let mut read = 0;
    for page in pages() {
        for block in blocks(&page).iter().filter(|block| block.language == "toml") {
            if block.is_case() {
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
#[cfg(unix)]
fn the_head_of_each_case_names_a_command_that_is_there() {
    for entry in std::fs::read_dir(root().join("configs")).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        for line in text.lines().filter_map(|line| line.strip_prefix("#     ")) {
            let output = shell(root(), &format!("{line} --help"));
            assert!(output.status.success(), "{}: {output:?}", path.display());
            let case = line.split(' ').nth(2).unwrap();
            assert!(root().join(case).is_file(), "{}: {line}", path.display());
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

/// The mark in docs/case-file.md. The program generates the text that follows it.
const GENERATED: &str = "<!-- zeroset schema --markdown -->\n";

#[test]
fn the_reference_of_the_case_file_is_that_of_the_program() {
    let place = root().join("docs").join("case-file.md");
    let page = std::fs::read_to_string(&place).unwrap();
    let (written, generated) = page.split_once(GENERATED).expect("the page contains the mark");
    let reference = zeroset::config::reference();
    if std::env::var_os("ZEROSET_BLESS").is_some() {
        return std::fs::write(&place, format!("{written}{GENERATED}\n{reference}")).unwrap();
    }
    let pairs = generated.trim_start().lines().zip(reference.lines());
    for (found, expected) in pairs {
        assert_eq!(found, expected, "ZEROSET_BLESS=1 cargo test --test docs rewrites it");
    }
    assert_eq!(generated.trim_start().lines().count(), reference.lines().count());
}

#[test]
fn the_contents_name_every_page() {
    let contents = std::fs::read_to_string(root().join("docs").join("README.md")).unwrap();
    for page in pages().iter().filter(|page| page.starts_with(root().join("docs"))) {
        let name = page.file_name().unwrap().to_str().unwrap();
        assert!(name == "README.md" || contents.contains(&format!("]({name})")), "{name}");
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
        // The packages of this repository have no source.
        let known = package.get("source").is_none() || words.contains(name);
        assert!(known, "THIRD_PARTY.md does not name {name}");
    }
}
