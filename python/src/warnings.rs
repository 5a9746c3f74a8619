//! Warnings with their subjects, for the categories of the package.

use zeroset::api::Subject;

/// Warnings: the name of the subject, and the text.
pub type Told = Vec<(&'static str, String)>;

/// Returns the name of a subject, from which the package chooses a category.
fn name(subject: Subject) -> &'static str {
    match subject {
        Subject::File => "file",
        Subject::Mesh => "mesh",
        Subject::Device => "device",
        // Other subjects concern the result.
        _ => "accuracy",
    }
}

/// Returns warnings with their subjects, one for each.
pub fn told(subjects: &[Subject], warnings: Vec<String>) -> Told {
    subjects.iter().map(|&subject| name(subject)).zip(warnings).collect()
}

/// Returns warnings that have the same subject.
pub fn all_about(subject: Subject, warnings: Vec<String>) -> Told {
    warnings.into_iter().map(|text| (name(subject), text)).collect()
}
