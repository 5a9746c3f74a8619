//! The cache of compiled kernels on disk. A hit costs one file read and does not need NVRTC.
//!
//! The name of an entry contains a hash of the whole compiler input: sources, headers, options and
//! architecture. The compiler version is not part of the name, because it is known only after the
//! library has been opened. Opening the library takes 0.1 s, and a hit must neither take this time
//! nor require the library. Leaving the version out is sound: whichever version compiled an entry,
//! the result is a valid translation of these sources for this architecture. Arithmetic follows
//! IEEE 754 except in fused units ([`Unit::is_fused`]). In units that are not fused, compiler
//! versions differ in speed and in at most the last bit of functions such as `erf`. Each entry
//! records its compiler version. `zeroset devices --compile` recompiles and replaces entries
//! ([`renew`]).
//!
//! An entry consists of `MAGIC`, the blake3 hash of the remaining bytes, the length of the compiler
//! version as a little-endian u32, the version, and the cubin. An entry that does not match its
//! hash is recompiled. If the folder cannot be read or written, kernels are compiled without a
//! cache, and no error is reported.

use std::env;
use std::path::{Path, PathBuf};

use super::nvrtc::{Compiled, Nvrtc, options};
use super::sources::Unit;
use zeroset_core::atomic;
use zeroset_core::error::{Error, Result};

/// The first bytes of every entry. The digit is the version of the layout.
const MAGIC: &[u8; 8] = b"ZSCUBIN1";
/// The extension of every entry.
const EXTENSION: &str = "cubin";

/// Returns the machine code of a unit from the cache. If the cache has no intact entry, compiles
/// the unit and stores the result.
///
/// # Errors
/// Returns [`Error::Device`] if compilation is needed and fails.
pub fn cubin(unit: &Unit, arch: &str) -> Result<Vec<u8>> {
    match folder().and_then(|folder| load(&folder, unit, arch)) {
        Some(cubin) => Ok(cubin),
        None => renew(unit, arch).map(|compiled| compiled.cubin),
    }
}

/// Compiles a unit and replaces its entry. `zeroset devices --compile` calls this function to
/// update the cache.
///
/// # Errors
/// Returns [`Error::Device`] if the unit cannot be compiled.
pub fn renew(unit: &Unit, arch: &str) -> Result<Compiled> {
    let nvrtc = Nvrtc::get()?;
    let compiled = nvrtc.compile(unit, arch)?;
    if let Some(folder) = folder() {
        let (major, minor) = nvrtc.version();
        keep(&folder, unit, arch, &format!("{major}.{minor}"), &compiled.cubin);
    }
    Ok(compiled)
}

/// Returns true if the cache has an intact entry for a unit.
pub fn contains(unit: &Unit, arch: &str) -> bool {
    folder().and_then(|folder| load(&folder, unit, arch)).is_some()
}

/// Returns the cache folder: `$ZEROSET_CACHE` or, if that is not set, `zeroset` in the cache folder
/// of the system. Returns `None` if the environment defines neither.
pub fn folder() -> Option<PathBuf> {
    let set = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let system = if cfg!(windows) {
        set("LOCALAPPDATA")
    } else {
        let absolute = set("XDG_CACHE_HOME").filter(|path| path.is_absolute());
        absolute.or_else(|| set("HOME").map(|home| home.join(".cache")))
    };
    set("ZEROSET_CACHE").or_else(|| system.map(|system| system.join("zeroset")))
}

/// A summary of a cache folder.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Contents {
    /// The number of entries.
    pub entries: usize,
    /// The total size of the entries in bytes.
    pub bytes: u64,
    /// The versions of the compilers that created the entries, without duplicates, sorted as text.
    pub versions: Vec<String>,
}

/// Summarizes the entries of a folder. A folder that cannot be read counts as empty.
pub fn contents(folder: &Path) -> Contents {
    let mut contents = Contents::default();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.extension().is_none_or(|extension| extension != EXTENSION) {
            continue;
        }
        let Ok(bytes) = std::fs::read(&path) else { continue };
        contents.entries += 1;
        contents.bytes += bytes.len() as u64;
        if let Some((version, _)) = parts(&bytes) {
            contents.versions.push(version.to_string());
        }
    }
    contents.versions.sort();
    contents.versions.dedup();
    contents
}

fn load(folder: &Path, unit: &Unit, arch: &str) -> Option<Vec<u8>> {
    let path = path_in(folder, unit, arch);
    let bytes = std::fs::read(&path).ok()?;
    let cubin = parts(&bytes).map(|(_, cubin)| cubin.to_vec());
    if cubin.is_none() {
        tracing::debug!("{}: damaged, will be recompiled", path.display());
    }
    cubin
}

fn path_in(folder: &Path, unit: &Unit, arch: &str) -> PathBuf {
    let name = unit.name.replace('/', "_");
    folder.join(format!("{name}-{arch}-{}.{EXTENSION}", key(unit, arch)))
}

/// Returns the hash of the compiler input. The length of each text is also hashed, so that
/// different inputs cannot form the same byte sequence.
fn key(unit: &Unit, arch: &str) -> String {
    let mut hasher = blake3::Hasher::new();
    let mut add = |text: &str| {
        hasher.update(&(text.len() as u64).to_le_bytes());
        hasher.update(text.as_bytes());
    };
    add(unit.name);
    add(&unit.source);
    for (name, text) in zeroset_kernels::headers() {
        add(name);
        add(text);
    }
    for (name, text) in &unit.extra {
        add(name);
        add(text);
    }
    options(unit, arch).iter().for_each(|option| add(option));
    hasher.finalize().to_hex()[..32].to_string()
}

fn entry(version: &str, cubin: &[u8]) -> Vec<u8> {
    let length = (version.len() as u32).to_le_bytes();
    let body = [&length[..], version.as_bytes(), cubin].concat();
    [&MAGIC[..], blake3::hash(&body).as_bytes(), &body].concat()
}

/// Splits an entry into compiler version and cubin. Returns `None` if the entry is not intact.
fn parts(entry: &[u8]) -> Option<(&str, &[u8])> {
    let rest = entry.strip_prefix(MAGIC)?;
    let (hash, body) = rest.split_first_chunk::<32>()?;
    if blake3::hash(body).as_bytes() != hash {
        return None;
    }
    let (length, rest) = body.split_first_chunk::<4>()?;
    let (version, cubin) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
    Some((std::str::from_utf8(version).ok()?, cubin))
}

/// Stores an entry under a temporary name and then renames it, so that other processes never see
/// incomplete entries. A failure is only logged at debug level.
fn keep(folder: &Path, unit: &Unit, arch: &str, version: &str, cubin: &[u8]) {
    let path = path_in(folder, unit, arch);
    let entry = entry(version, cubin);
    let made =
        std::fs::create_dir_all(folder).map_err(|e| Error::output(folder, &e, "").because(e));
    let written = made.and_then(|()| atomic::write(&path, |file| file.write_all(&entry)));
    if let Err(error) = written {
        tracing::debug!("compiled kernel was not cached: {error}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit() -> Unit {
        Unit::new("self_test", &[("REAL", "double")]).unwrap()
    }

    #[test]
    fn an_entry_comes_back_whole_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let below = folder.path().join("made").join("on the way");
        let (unit, arch) = (unit(), "sm_90");
        assert_eq!(load(&below, &unit, arch), None);
        let path = path_in(&below, &unit, arch);
        keep(&below, &unit, arch, "13.0", b"machine code");
        let whole = std::fs::read(&path).unwrap();
        assert_eq!(load(&below, &unit, arch).unwrap(), b"machine code");
        let found = contents(&below);
        let versions = vec!["13.0".to_string()];
        assert_eq!(found, Contents { entries: 1, bytes: whole.len() as u64, versions });
        for n in 0..whole.len() {
            std::fs::write(&path, &whole[..n]).unwrap();
            assert_eq!(load(&below, &unit, arch), None, "cut to {n} bytes");
            let mut changed = whole.clone();
            changed[n] ^= 1;
            std::fs::write(&path, &changed).unwrap();
            assert_eq!(load(&below, &unit, arch), None, "byte {n} changed");
        }
    }

    #[test]
    fn whatever_the_compiler_is_given_changes_the_key() {
        let (unit, arch) = (unit(), "sm_90");
        let mut others = vec![unit.clone(); 5];
        others[0].source.to_mut().push(' ');
        others[1].defines[0].1 = "float".into();
        others[2].defines.push(("MORE", "1".into()));
        others[3].extra.push(("a.cuh".into(), "bc".into()));
        others[4].extra.push(("a.cuhb".into(), "c".into()));
        let mut keys: Vec<String> = others.iter().map(|unit| key(unit, arch)).collect();
        keys.extend([key(&unit, arch), key(&unit, "sm_80")]);
        let n = keys.len();
        keys.sort();
        keys.dedup();
        assert_eq!(keys.len(), n);
        let mut ordered = unit.clone();
        ordered.defines = vec![("A", "1".into()), ("B", "2".into())];
        let mut turned = ordered.clone();
        turned.defines.reverse();
        assert_eq!(key(&ordered, arch), key(&turned, arch));
    }

    #[test]
    fn a_folder_that_cannot_be_made_means_no_cache() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let below = file.path().join("below");
        keep(&below, &unit(), "sm_90", "13.0", b"x");
        assert_eq!(load(&below, &unit(), "sm_90"), None);
        assert_eq!(contents(&below), Contents::default());
    }
}
