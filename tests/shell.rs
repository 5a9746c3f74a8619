//! Tests the completions and the man pages.

use std::process::Output;

#[path = "support/place.rs"]
mod place;
use place::Place;

fn run(place: &Place, line: &str) -> Output {
    place.command(line).output().unwrap()
}

#[test]
fn every_shell_gets_completions_of_all_commands() {
    let place = Place::new();
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let output = run(&place, &format!("completions {shell}"));
        assert!(output.status.success(), "{shell}: {output:?}");
        let text = String::from_utf8(output.stdout).unwrap();
        for word in ["reconstruct", "fill-holes", "completions"] {
            assert!(text.contains(word), "{shell}: {word}");
        }
    }
    assert_eq!(run(&place, "completions cmd").status.code(), Some(2));
}

/// bash completes a command and the values of an option.
#[cfg(target_os = "linux")]
#[test]
fn bash_completes() {
    let place = Place::new();
    place.put("zeroset.bash", &String::from_utf8(run(&place, "completions bash").stdout).unwrap());
    let complete = |words: &[&str]| {
        let list = words.iter().map(|word| format!("'{word}'")).collect::<Vec<_>>().join(" ");
        let (last, k) = (words.last().unwrap(), words.len() - 1);
        let before = words[k - 1];
        let script = format!(
            "source zeroset.bash; COMP_WORDS=({list}); COMP_CWORD={k}; \
             _zeroset zeroset '{last}' '{before}'; echo \"${{COMPREPLY[@]}}\""
        );
        let mut bash = std::process::Command::new("bash");
        let output = bash.args(["-c", &script]).current_dir(place.path("")).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap().trim().to_string()
    };
    assert_eq!(complete(&["zeroset", "reco"]), "reconstruct");
    assert!(complete(&["zeroset", "distance", "--pa"]).contains("--path-from"));
    assert_eq!(complete(&["zeroset", "completions", "fi"]), "fish");
}

#[test]
fn the_manual_has_a_page_for_each_command_and_replaces_nothing() {
    let place = Place::new();
    let missing = run(&place, "manual -o none");
    assert_eq!(missing.status.code(), Some(6), "{missing:?}");
    std::fs::create_dir(place.path("man1")).unwrap();
    place.put("man1/zeroset-run.1", "mine");
    let refused = run(&place, "manual -o man1");
    assert_eq!(refused.status.code(), Some(6), "{refused:?}");
    let files = || std::fs::read_dir(place.path("man1")).unwrap().count();
    assert_eq!(files(), 1, "a refused command writes nothing");
    assert!(run(&place, "manual -o man1 --overwrite").status.success());
    let page = |name: &str| std::fs::read_to_string(place.path("man1").join(name)).unwrap();
    assert!(page("zeroset-run.1").contains("shrinking_circle.toml"), "the examples are there");
    assert!(page("zeroset.1").contains("zeroset\\-distance(1)"));
    let help = String::from_utf8(run(&place, "--help").stdout).unwrap();
    let section = help.split("Commands:\n").nth(1).unwrap().split("\n\n").next().unwrap();
    let is_command = |line: &&str| line.starts_with("  ") && !line.starts_with("   ");
    let commands = section.lines().filter(is_command).count();
    // `help` has no page, but the program itself has one.
    assert_eq!(files(), commands);
}
