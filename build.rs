//! Tells the program which commit it was built from: the environment variable `ZEROSET_COMMIT`.

use std::process::Command;

fn main() {
    // In a package cargo leaves this file, which holds the commit; in a checkout git knows it.
    let packaged = std::fs::read_to_string(".cargo_vcs_info.json").ok();
    let commit = match &packaged {
        Some(json) => json.split("\"sha1\": \"").nth(1).and_then(|s| s.split('"').next()),
        None => None,
    };
    let commit = commit.map(str::to_string).or_else(|| git(&["rev-parse", "HEAD"]));
    println!("cargo::rustc-env=ZEROSET_COMMIT={}", commit.as_deref().unwrap_or("unknown"));
    println!("cargo::rerun-if-changed=.cargo_vcs_info.json");
    // HEAD itself moves only with the branch; its log grows with every commit.
    for file in ["HEAD", "logs/HEAD"] {
        if let Some(path) = git(&["rev-parse", "--git-path", file]) {
            println!("cargo::rerun-if-changed={path}");
        }
    }
}

fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?.trim().to_string();
    (output.status.success() && !text.is_empty()).then_some(text)
}
