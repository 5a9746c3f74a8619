//! Text within SVG and HTML.

/// Returns text without control characters, with entities in place of the characters that have a
/// meaning in SVG and HTML.
pub(crate) fn escaped(text: &str) -> String {
    let text: String = text.chars().filter(|c| !c.is_control()).collect();
    let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    text.replace('"', "&quot;").replace('\'', "&#39;")
}
