//! Tells the program which commit it was built from: the environment variable `ZEROSET_COMMIT`.

use std::path::Path;
use std::process::Command;

/// Where cargo notes the commit in a package.
const PACKAGED: &str = ".cargo_vcs_info.json";

fn main() {
    // In a package cargo leaves this file, which holds the commit; in a checkout git knows it.
    let packaged = std::fs::read_to_string(PACKAGED).ok();
    let commit = match &packaged {
        Some(json) => json.split("\"sha1\": \"").nth(1).and_then(|s| s.split('"').next()),
        None => None,
    };
    let commit = commit.map(str::to_string).or_else(|| git(&["rev-parse", "HEAD"]));
    println!("cargo::rustc-env=ZEROSET_COMMIT={}", commit.as_deref().unwrap_or("unknown"));
    // HEAD itself moves only with the branch; its log grows with every commit. A file that is not
    // there would make cargo build anew every time.
    let of_git = ["HEAD", "logs/HEAD"].map(|file| git(&["rev-parse", "--git-path", file]));
    let files = [Some("build.rs".to_string()), Some(PACKAGED.to_string())];
    for file in files.into_iter().chain(of_git).flatten().filter(|f| Path::new(f).exists()) {
        println!("cargo::rerun-if-changed={file}");
    }
}

fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?.trim().to_string();
    (output.status.success() && !text.is_empty()).then_some(text)
}
