//! Search for the NVRTC library.
//!
//! The search order is: the file named by the environment variable ZEROSET_NVRTC (if it is set,
//! nothing else is searched), the Python packages `nvidia-cuda-nvrtc` of the available
//! environments, CUDA_HOME and CUDA_PATH, /usr/local/cuda, and the system loader.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The environment variable that names the library file.
const OVERRIDE: &str = "ZEROSET_NVRTC";
/// The library names for the system loader.
#[cfg(not(windows))]
const LOADER_NAMES: [&str; 3] = ["libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"];
#[cfg(windows)]
const LOADER_NAMES: [&str; 2] = ["nvrtc64_130_0.dll", "nvrtc64_120_0.dll"];

/// Returns the first existing library file without opening it. If there is none, the system loader
/// may still find a library.
pub fn locate() -> Option<PathBuf> {
    candidates().into_iter().find(|path| path.is_file())
}

/// Returns the candidate library files, best first. If ZEROSET_NVRTC names a file, it is the only
/// candidate, even if it does not exist.
pub(super) fn candidates() -> Vec<PathBuf> {
    match named() {
        Some(path) => vec![path.into()],
        None => folders().iter().filter_map(|folder| newest(folder)).collect(),
    }
}

/// Returns the library names for the system loader. There are none if ZEROSET_NVRTC names a file.
pub(super) fn loader_names() -> &'static [&'static str] {
    match named() {
        Some(_) => &[],
        None => &LOADER_NAMES,
    }
}

/// Returns the libraries of built-in functions in the folder of `library`.
pub(super) fn builtins_beside(library: &Path) -> Vec<PathBuf> {
    let Some(folder) = library.parent().filter(|folder| !folder.as_os_str().is_empty()) else {
        return Vec::new();
    };
    let is_builtins = |name: &str| {
        let (begin, middle) = ("libnvrtc-builtins.so", "nvrtc-builtins64_");
        name.starts_with(begin) || name.starts_with(middle) && name.ends_with(".dll")
    };
    entries(folder).into_iter().filter(|path| is_builtins(&name(path))).collect()
}

fn named() -> Option<OsString> {
    env::var_os(OVERRIDE).filter(|path| !path.is_empty())
}

/// Returns the folders that may contain the library.
fn folders() -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> =
        site_packages().iter().flat_map(|site| in_package(site)).collect();
    let homes = ["CUDA_HOME", "CUDA_PATH"].iter().filter_map(env::var_os).map(PathBuf::from);
    for home in homes.chain([PathBuf::from("/usr/local/cuda")]) {
        folders.extend(["lib64", "lib", "bin", "bin/x64"].map(|below| home.join(below)));
    }
    folders
}

/// Returns the library folders in the Python wheels of CUDA 13 and CUDA 12.
fn in_package(site: &Path) -> [PathBuf; 4] {
    ["cu13/lib", "cu13/bin/x86_64", "cuda_nvrtc/lib", "cuda_nvrtc/bin"]
        .map(|below| site.join("nvidia").join(below))
}

/// Returns the package folders of the active Python environments, of the environments in `PATH`,
/// and of the user.
fn site_packages() -> Vec<PathBuf> {
    let mut prefixes: Vec<PathBuf> =
        ["VIRTUAL_ENV", "CONDA_PREFIX"].iter().filter_map(env::var_os).map(PathBuf::from).collect();
    for folder in env::split_paths(&env::var_os("PATH").unwrap_or_default()) {
        if ["python3", "python", "python.exe"].iter().any(|name| folder.join(name).is_file()) {
            prefixes.extend(folder.parent().map(Path::to_path_buf));
            prefixes.push(folder);
        }
    }
    prefixes.extend(env::var_os("HOME").map(|home| Path::new(&home).join(".local")));
    let mut sites = Vec::new();
    for prefix in prefixes {
        let pythons = entries(&prefix.join("lib"));
        for python in pythons.into_iter().filter(|path| name(path).starts_with("python3")) {
            sites.extend(["site-packages", "dist-packages"].map(|below| python.join(below)));
        }
        if cfg!(windows) {
            sites.push(prefix.join("Lib").join("site-packages"));
        }
    }
    sites
}

/// Returns the library with the highest version in a folder, or `None` if the folder has no library
/// with a version.
fn newest(folder: &Path) -> Option<PathBuf> {
    let numbered = |path: PathBuf| version_in(&name(&path)).map(|version| (version, path));
    entries(folder).into_iter().filter_map(numbered).max().map(|(_, path)| path)
}

/// Returns the version numbers in the name of a library file, or `None` for other files. Examples
/// are `libnvrtc.so.12.8.93` and `nvrtc64_130_0.dll`.
fn version_in(name: &str) -> Option<Vec<u32>> {
    let numbers = match name.strip_prefix("libnvrtc.so") {
        Some("") => return Some(Vec::new()),
        Some(rest) => rest.strip_prefix('.')?,
        None => name.strip_prefix("nvrtc64_")?.strip_suffix(".dll")?,
    };
    numbers.split(['.', '_']).map(|number| number.parse().ok()).collect()
}

/// Returns the sorted entries of a folder, or none if it cannot be read.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let listed = std::fs::read_dir(folder).into_iter().flatten();
    let mut paths: Vec<PathBuf> = listed.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_library_of_a_folder_is_taken_and_no_other_file() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(newest(folder.path()), None);
        for name in [
            "libnvrtc.so.12",
            "libnvrtc.so.13",
            "libnvrtc.so",
            "libnvrtc.alt.so.14",
            "libnvrtc-builtins.so.15.0",
            "libnvrtc_static.a",
        ] {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        let found = newest(folder.path()).unwrap();
        assert_eq!(found, folder.path().join("libnvrtc.so.13"));
        let builtins = builtins_beside(&found);
        assert_eq!(builtins, [folder.path().join("libnvrtc-builtins.so.15.0")]);
    }

    #[test]
    fn numbers_are_compared_as_numbers() {
        assert!(version_in("libnvrtc.so.12.10.1") > version_in("libnvrtc.so.12.9.86"));
        assert!(version_in("nvrtc64_130_0.dll") > version_in("nvrtc64_120_0.dll"));
        assert_eq!(version_in("nvrtc64_130_0.alt.dll"), None);
        assert_eq!(version_in("libnvrtc.so.x"), None);
    }
}
