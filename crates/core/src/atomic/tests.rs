//! Tests of atomic file writes.

use std::os::unix::fs::{FileTypeExt, PermissionsExt};

use std::sync::Arc;

use super::temporary::LONGEST;
use super::*;

fn refused(path: &Path, message: &str) {
    for result in [check_folder(path), write(path, |out| out.write_all(b"new"))] {
        let error = result.unwrap_err();
        assert_eq!(error.exit_code(), 6);
        assert!(error.to_string().contains(message), "{error}");
    }
}

#[test]
fn links_are_followed_and_stay() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::create_dir(path("far")).unwrap();
    std::fs::write(path("far/file"), "old").unwrap();
    std::os::unix::fs::symlink("far/file", path("link")).unwrap();
    assert!(is_same_file(&path("link"), &path("far/../far/file")));
    std::os::unix::fs::symlink("far/none", path("dangling")).unwrap();
    for link in ["link", "dangling"] {
        check_folder(&path(link)).unwrap();
        write(&path(link), |out| out.write_all(b"new")).unwrap();
        assert!(std::fs::symlink_metadata(path(link)).unwrap().is_symlink());
    }
    assert_eq!(std::fs::read_to_string(path("far/none")).unwrap(), "new");
    assert!(std::fs::symlink_metadata(path("link")).unwrap().is_symlink());
    assert_eq!(std::fs::read_to_string(path("far/file")).unwrap(), "new");
}

#[test]
fn what_is_no_file_or_protected_is_not_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let socket = std::os::unix::net::UnixListener::bind(path("socket")).unwrap();
    refused(&path("socket"), "is a pipe or a device, not a file");
    assert!(std::fs::metadata(path("socket")).unwrap().file_type().is_socket());
    drop(socket);
    refused(folder.path(), "give the path of a file in this folder");
    std::fs::write(path("kept"), "old").unwrap();
    std::fs::set_permissions(path("kept"), std::fs::Permissions::from_mode(0o444)).unwrap();
    refused(&path("kept"), "is write-protected");
    assert_eq!(std::fs::read_to_string(path("kept")).unwrap(), "old");
}

#[test]
fn files_in_the_making_have_the_name_of_what_they_become() {
    let folder = tempfile::tempdir().unwrap();
    let long = format!("{}.ply", "\u{e4}".repeat(125));
    for name in ["a-b.vtp", ".part", &long] {
        write(&folder.path().join(name), |_| {
            let entries = std::fs::read_dir(folder.path())?.map(|entry| entry.unwrap());
            let names = entries.map(|entry| entry.file_name().into_string().unwrap());
            let found: Vec<_> =
                names.filter_map(|name| in_the_making(&name).map(String::from)).collect();
            assert!(found.len() == 1 && name.starts_with(&found[0]), "{found:?}");
            assert!(found[0] == *name || found[0].len() == LONGEST, "{found:?}");
            Ok(())
        })
        .unwrap();
        assert!(folder.path().join(name).exists());
    }
    assert_eq!(in_the_making(".zeroset-abcdef.part"), None);
}

#[test]
fn files_of_one_command_appear_together() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let add = |name: &str| write(&path(name), |out| out.write_all(name.as_bytes()));
    let names = || std::fs::read_dir(folder.path()).unwrap().count();
    together(|| {
        add("a")?;
        assert!(!path("a").exists());
        together(|| add("b"))?;
        assert!(!path("b").exists());
        Ok(())
    })
    .unwrap();
    assert!(path("a").exists() && path("b").exists() && names() == 2);
    let error = Error::usage("no", "");
    together(|| add("c").and(Err::<(), _>(error))).unwrap_err();
    assert_eq!(names(), 2);
    // The second rename fails, so the first one is undone.
    together(|| {
        add("d")?;
        add("e")?;
        std::fs::create_dir(path("d")).unwrap();
        Ok(())
    })
    .unwrap_err();
    assert!(!path("e").exists() && names() == 3);
}

#[test]
fn a_file_is_written_by_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.h5");
    std::fs::write(&path, "old").unwrap();
    let failed = write_by_name(&path, |file| {
        std::fs::write(file, "half").unwrap();
        Err(Error::usage("no", ""))
    });
    assert_eq!(failed.unwrap_err().exit_code(), 2);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "old");
    write_by_name(&path, |file| {
        std::fs::write(file, "new").unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "old");
        Ok(())
    })
    .unwrap();
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "new");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn a_companion_never_replaces_other_contents() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.sol");
    let add = |text: &str| write_companion(&path, |out| out.write_all(text.as_bytes()));
    add("new").unwrap();
    add("new").unwrap();
    for text in ["old", "newer"] {
        let error = add(text).unwrap_err();
        assert!(error.exit_code() == 6 && error.to_string().contains("did not create it"));
    }
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "new");
}

#[test]
fn a_journal_knows_a_file_before_it_appears() {
    struct Notes(PathBuf, Mutex<Vec<(String, u64, blake3::Hash)>>);
    impl Journal for Notes {
        fn begins(&self, name: &str) -> std::io::Result<()> {
            assert!(in_the_making(name).is_some() && !self.0.join(name).exists());
            Ok(())
        }
        fn appears(&self, name: &str, size: u64, hash: blake3::Hash) -> std::io::Result<()> {
            assert!(!self.0.join(name).exists());
            self.1.lock().unwrap().push((name.to_string(), size, hash));
            Ok(())
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let notes = Arc::new(Notes(folder.path().to_path_buf(), Mutex::default()));
    let keeping = keep(folder.path(), notes.clone());
    write(&folder.path().join("a"), |out| out.write_all(b"text")).unwrap();
    drop(keeping);
    write(&folder.path().join("b"), |out| out.write_all(b"text")).unwrap();
    assert_eq!(*notes.1.lock().unwrap(), [("a".to_string(), 4, blake3::hash(b"text"))]);
}
