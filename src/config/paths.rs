//! Resolves the paths in a case file, relative to it and with `${NAME}` for environment variables.

use std::path::{Path, PathBuf};

/// An error in a path, and its remedy.
pub(super) type Wrong = (String, String);

/// Returns the path that `text` stands for in a case file in `folder`.
pub(super) fn resolve(
    folder: &Path,
    text: &str,
    variable: impl Fn(&str) -> Option<String>,
) -> Result<PathBuf, Wrong> {
    if text.is_empty() {
        return Err(("the path is empty".into(), "name a file".into()));
    }
    let mut path = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        let (name, behind) = after.split_once('}').ok_or_else(|| {
            (format!("`${{` without `}}` in the path \"{text}\""), "write ${NAME}".to_string())
        })?;
        let value = variable(name).filter(|value| !value.is_empty()).ok_or_else(|| {
            let remedy = match name {
                "ZEROSET_DATA" => {
                    "set ZEROSET_DATA to the folder with the test data, which contains cortex/ and \
                     bench/"
                }
                _ => "set it, or write the path itself",
            };
            (
                format!("environment variable {name} in the path \"{text}\" is not set"),
                remedy.to_string(),
            )
        })?;
        path += before;
        path += &value;
        rest = behind;
    }
    path += rest;
    Ok(folder.join(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_replaced_and_relative_paths_start_at_the_case_file() {
        let variable = |name: &str| (name == "DATA").then(|| "deep/er".to_string());
        let resolve = |text| resolve(Path::new("cases"), text, variable);
        assert_eq!(resolve("../m.vtu").unwrap(), Path::new("cases/../m.vtu"));
        assert_eq!(resolve("${DATA}/m${DATA}").unwrap(), Path::new("cases/deep/er/mdeep/er"));
        assert!(
            resolve("${NONE}/m")
                .unwrap_err()
                .0
                .contains("variable NONE in the path \"${NONE}/m\" is not set")
        );
        assert!(resolve("${ZEROSET_DATA}/m").unwrap_err().1.contains("set ZEROSET_DATA"));
        assert!(resolve("a${DATA").unwrap_err().0.contains("without `}`"));
        assert!(resolve("").is_err());
    }
}
