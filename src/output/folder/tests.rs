//! Tests of a run folder.

use super::*;
use crate::config::Config;

const CASE: &str = "version = 1\ndomain.mesh.path = \"a.vtp\"\n\
                    initial.ball = { center = [0, 0, 0], radius = 1 }\n\
                    evolve = { normal_speed = 1, max_steps = 2 }\noutput.picture = {}\n";

fn names(folder: &Path) -> RunNames {
    RunNames::of(&Config::parse(CASE, Path::new("case.toml"), &[]).unwrap(), folder)
}

fn open(path: &Path, overwrite: bool) -> Result<RunFolder> {
    RunFolder::open(path, names(path), &[], overwrite)
}

fn probe(path: &Path, overwrite: bool) -> Result<Option<String>> {
    RunFolder::probe(path, &names(path), &[], overwrite)
}

fn reopen(path: &Path) -> Result<RunFolder> {
    RunFolder::reopen(path, names(path), &[])
}

/// Writes files as a run would, and a report that lists them if there is a `status`.
fn write(folder: &RunFolder, files: &[&str], status: Option<&str>) {
    folder.clear().unwrap();
    for name in files {
        atomic::write(&folder.file(name), |out| out.write_all(name.as_bytes())).unwrap();
    }
    let Some(status) = status else { return };
    let report = serde_json::json!({
        "program": { "name": "zeroset" },
        "status": status,
        "files": folder.records(status == "finished"),
    });
    std::fs::write(folder.file(REPORT), report.to_string()).unwrap();
    folder.close().unwrap();
}

fn files(path: &Path) -> Vec<String> {
    let names = std::fs::read_dir(path).unwrap().map(|e| e.unwrap().file_name());
    let mut names: Vec<_> = names.map(|name| name.into_string().unwrap()).collect();
    names.sort();
    names
}

#[track_caller]
fn refused<T: std::fmt::Debug>(found: Result<T>, message: &str) {
    let error = found.unwrap_err();
    assert_eq!(error.exit_code(), 6);
    assert!(error.to_string().contains(message), "{error}");
}

#[test]
fn a_folder_takes_one_run_at_a_time_and_is_not_overwritten_unasked() {
    let parent = tempfile::tempdir().unwrap();
    let path = parent.path().join("a/b");
    assert_eq!(probe(&path, false).unwrap(), None);
    assert!(!path.exists());
    let folder = open(&path, false).unwrap();
    let pid = std::process::id().to_string();
    assert_eq!(std::fs::read_to_string(folder.file(LOCK)).unwrap(), pid);
    refused(open(&path, true), &format!("process {pid}"));
    refused(probe(&path, true), &format!("process {pid}"));
    let series = ["case.pvd", "case.png", "case_000010.png", "case_000010.vtp", "old.pvd"];
    std::fs::write(folder.file("notes.txt"), "mine").unwrap();
    std::fs::write(folder.file("mine.png"), "mine").unwrap();
    write(&folder, &series, Some("finished"));
    drop(folder);
    assert!(!path.join(LOCK).exists());
    refused(open(&path, false), "--overwrite");
    assert!(probe(&path, false).unwrap().unwrap().contains("--overwrite"));
    assert_eq!(probe(&path, true).unwrap(), None);
    let folder = open(&path, true).unwrap();
    assert!(path.join("case.pvd").exists(), "kept until the new run writes");
    folder.clear().unwrap();
    assert_eq!(files(&path), [JOURNAL, "mine.png", "notes.txt", LOCK]);
}

#[test]
fn files_that_no_run_wrote_are_never_replaced() {
    for name in ["case.pvd", "case_000100.vtp", "case.png", "interface.pvd", "measures.csv"] {
        let parent = tempfile::tempdir().unwrap();
        let path = parent.path();
        std::fs::write(path.join(name), "mine").unwrap();
        refused(open(path, false), &format!("{name}: exists, was not written by a run"));
        refused(open(path, true), name);
        assert!(probe(path, false).unwrap().unwrap().contains(name));
        refused(probe(path, true), name);
        // A file that appears after the check also stops the run.
        std::fs::remove_file(path.join(name)).unwrap();
        let folder = open(path, false).unwrap();
        std::fs::write(path.join(name), "mine").unwrap();
        refused(folder.clear(), name);
        drop(folder);
        assert_eq!(files(path), [name]);
    }
}

#[test]
fn files_that_were_changed_since_are_never_replaced() {
    let parent = tempfile::tempdir().unwrap();
    let path = parent.path();
    let all = ["case.pvd", "case_000010.vtp", "old_000010.vtp"];
    write(&open(path, false).unwrap(), &all, Some("finished"));
    std::fs::write(path.join("old_000010.vtp"), "old").unwrap();
    std::fs::write(path.join("case.pvd"), "longer than before").unwrap();
    refused(open(path, true), "case.pvd: has changed since the earlier run wrote it");
    std::fs::write(path.join("case.pvd"), "CASE.PVD").unwrap();
    let folder = open(path, true).unwrap();
    refused(folder.clear(), "case.pvd: has changed");
    assert!(path.join("case_000010.vtp").exists() && path.join(REPORT).exists());
    std::fs::remove_file(path.join("case.pvd")).unwrap();
    folder.clear().unwrap();
    assert_eq!(files(path), [JOURNAL, "old_000010.vtp", LOCK]);
}

#[test]
fn a_killed_run_is_replaced_by_its_journal() {
    let parent = tempfile::tempdir().unwrap();
    let path = parent.path();
    let folder = open(path, false).unwrap();
    write(&folder, &["case.pvd", "case_000010.vtp"], None);
    let unfinished = ".zeroset-case_000020.vtp-a1B2c3.part";
    let other = ".zeroset-case_000020.vtp-zzzzzz.part";
    let (journal, _) = folder.journal.get().unwrap();
    atomic::Journal::begins(&**journal, unfinished).unwrap();
    drop(folder);
    std::fs::write(path.join(unfinished), "half").unwrap();
    std::fs::write(path.join(other), "of another command").unwrap();
    refused(open(path, false), "holds a run already");
    open(path, true).unwrap().clear().unwrap();
    assert_eq!(files(path), [other, JOURNAL]);
    // Only a journal without files is left, so there is nothing to replace.
    open(path, false).unwrap();
}

#[test]
fn a_run_that_fails_at_once_leaves_nothing() {
    let parent = tempfile::tempdir().unwrap();
    let folder = open(parent.path(), false).unwrap();
    write(&folder, &["measures.csv", "case_000000.vtp"], None);
    folder.discard();
    drop(folder);
    assert_eq!(files(parent.path()), Vec::<String>::new());
}

#[test]
fn only_a_run_with_a_checkpoint_is_reopened() {
    let parent = tempfile::tempdir().unwrap();
    let path = parent.path().join("out");
    refused(reopen(&path), "no such folder; run without --resume");
    assert!(!path.exists());
    std::fs::create_dir(&path).unwrap();
    refused(reopen(&path), "holds no checkpoint; run without --resume");
    write(&open(&path, false).unwrap(), &["measures.csv"], Some("interrupted"));
    refused(reopen(&path), "holds no checkpoint; begin again with --overwrite");
    write(&open(&path, true).unwrap(), &["measures.csv"], Some("finished"));
    refused(reopen(&path), "the run in it has finished");
    let all = ["measures.csv", CHECKPOINT, "case_000010.vtp"];
    write(&open(&path, true).unwrap(), &all, Some("interrupted"));
    refused(open(&path, false), "stopped early; continue it with --resume");
    std::fs::write(path.join("case_000020.vtp"), "mine").unwrap();
    refused(reopen(&path), "case_000020.vtp: exists, was not written by a run");
    std::fs::remove_file(path.join("case_000020.vtp")).unwrap();
    let folder = reopen(&path).unwrap();
    refused(reopen(&path), "another run is writing");
    folder.resume().unwrap();
    folder.tidy().unwrap();
    std::fs::write(path.join("case_000010.png"), "mine").unwrap();
    folder.remove_own("case_000010.png").unwrap();
    folder.remove_own("case_000010.vtp").unwrap();
    assert_eq!(files(&path), [JOURNAL, "case_000010.png", CHECKPOINT, "measures.csv", LOCK]);
}

#[test]
fn results_without_a_list_are_refused() {
    let parent = tempfile::tempdir().unwrap();
    let path = parent.path();
    for name in [REPORT, CHECKPOINT] {
        std::fs::write(path.join(name), "{\"status\": \"interrupted\"}").unwrap();
        for overwrite in [false, true] {
            refused(open(path, overwrite), "holds results without a list of their files");
        }
    }
    refused(reopen(path), "remove the results yourself");
    assert_eq!(files(path), [CHECKPOINT, REPORT]);
}

#[test]
fn inputs_are_never_replaced() {
    let parent = tempfile::tempdir().unwrap();
    let path = parent.path();
    write(&open(path, false).unwrap(), &["case_000010.vtp"], Some("finished"));
    std::fs::hard_link(path.join("case_000010.vtp"), path.join("hard.vtp")).unwrap();
    for input in ["case_000010.vtp", "./case_000010.vtp", "hard.vtp"] {
        let inputs = [path.join(input)];
        for overwrite in [false, true] {
            let message = "case_000010.vtp: is an input of this run";
            refused(RunFolder::open(path, names(path), &inputs, overwrite), message);
            refused(RunFolder::probe(path, &names(path), &inputs, overwrite), message);
        }
    }
}

#[test]
fn the_lock_of_a_dead_process_is_taken_over() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join(LOCK), "4000000000").unwrap();
    probe(folder.path(), false).unwrap();
    drop(open(folder.path(), false).unwrap());
    for content in ["the lock of another program", "user\n", "12\n", "\u{fe}"] {
        std::fs::write(folder.path().join(LOCK), content).unwrap();
        refused(open(folder.path(), false), "is not the lock file of a run");
        refused(probe(folder.path(), true), "is not the lock file of a run");
        assert_eq!(std::fs::read_to_string(folder.path().join(LOCK)).unwrap(), content);
    }
}

#[test]
fn a_file_in_the_way_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    std::fs::write(&path, "").unwrap();
    for path in [path.clone(), path.join("below")] {
        assert!(open(&path, false).is_err());
    }
    assert!(probe(&path, false).is_err());
}
