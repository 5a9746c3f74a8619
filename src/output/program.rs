//! The program that produced a result: its version, its commit and the hash of its executable.

use std::io::Read;
use std::sync::OnceLock;

/// The git commit from which the program was built, or "unknown".
///
/// It is the value of the environment variable `ZEROSET_COMMIT` at build time. No build script asks
/// git for it, so a new commit does not cause the library to be rebuilt.
pub const COMMIT: &str = match option_env!("ZEROSET_COMMIT") {
    Some(commit) => commit,
    None => "unknown",
};

/// Returns the BLAKE3 hash of the running executable in hexadecimal digits, or "unknown" if its
/// file cannot be read.
///
/// The hash distinguishes programs that state the same commit, for example if one was built with
/// uncommitted changes.
pub fn executable() -> &'static str {
    static HASH: OnceLock<String> = OnceLock::new();
    HASH.get_or_init(|| {
        let hash = || -> std::io::Result<String> {
            let mut file = std::fs::File::open(std::env::current_exe()?)?;
            let (mut hasher, mut block) = (blake3::Hasher::new(), vec![0; 1 << 18]);
            loop {
                match file.read(&mut block)? {
                    0 => return Ok(hasher.finalize().to_hex().to_string()),
                    n => hasher.update(&block[..n]),
                };
            }
        };
        hash().unwrap_or_else(|_| "unknown".to_string())
    })
}

/// Returns the version, the commit and the first digits of the executable's hash in the form that
/// checkpoints and benchmarks use: "0.1.0 (unknown, executable 0123456789ab)".
pub fn build() -> String {
    let hash = executable();
    let hash = &hash[..hash.len().min(12)];
    format!("{} ({COMMIT}, executable {hash})", env!("CARGO_PKG_VERSION"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_running_file_has_a_hash() {
        assert_eq!(executable().len(), 64);
        assert!(executable().chars().all(|c| c.is_ascii_hexdigit()));
    }
}
