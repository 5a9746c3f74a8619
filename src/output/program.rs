//! Which program made a result: its commit, and a hash of its file.

use std::io::Read;
use std::sync::OnceLock;

/// The git commit that the program was built from, if the environment variable `ZEROSET_COMMIT`
/// named it at build time; "unknown" if not.
///
/// No build script asks git, so that a commit does not rebuild the library.
pub const COMMIT: &str = match option_env!("ZEROSET_COMMIT") {
    Some(commit) => commit,
    None => "unknown",
};

/// BLAKE3 hash of the running executable in hexadecimal digits; "unknown" if its file cannot be
/// read.
///
/// It tells programs apart whatever they say of their commit, changed files among them.
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

/// Version, commit and the beginning of the executable's hash, as checkpoints and benches name the
/// program: "0.1.0 (unknown, executable 0123456789ab)".
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
