//! The page of a report: a verdict, tables, warnings, a plot, and the view.

use std::fmt::Write as _;

use super::Scene;
use super::page::{PLACE, document, view};
use crate::markup::escaped;
use zeroset_core::error::Result;

/// The verdict at the top of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Everything that was checked is as expected.
    Good,
    /// Something is not as expected.
    Bad,
    /// Nothing was checked.
    None,
}

impl Verdict {
    fn class(self) -> &'static str {
        match self {
            Verdict::Good => "good",
            Verdict::Bad => "bad",
            Verdict::None => "none",
        }
    }
}

/// A table with a heading.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// The heading.
    pub title: String,
    /// The heads of the columns, which may be empty.
    pub heads: Vec<String>,
    /// The rows, and whether each is as expected.
    pub rows: Vec<(Vec<String>, bool)>,
}

/// The content of a report. All strings are plain text.
#[derive(Clone, Debug)]
pub struct Report {
    /// The title.
    pub title: String,
    /// The line below the title.
    pub lead: String,
    /// The verdict.
    pub verdict: Verdict,
    /// The verdict in words.
    pub verdict_text: String,
    /// The tables.
    pub tables: Vec<Table>,
    /// The warnings, one sentence each.
    pub warnings: Vec<String>,
    /// The plot of the measures, as SVG.
    pub plot: Option<String>,
    /// The view, or the text that replaces it.
    pub scene: std::result::Result<Scene, String>,
}

/// Returns the page of a report.
///
/// # Errors
/// Returns [`Error::Case`](zeroset_core::Error::Case) if the view is empty.
pub fn report(content: &Report) -> Result<String> {
    let Report { title, lead, verdict, verdict_text, tables, warnings, .. } = content;
    let mut body = format!(
        "<main class=\"report\">\n<h1>{}</h1>\n<p class=\"lead\">{}</p>\n\
         <p class=\"verdict {}\">{}</p>\n",
        escaped(title),
        escaped(lead),
        verdict.class(),
        escaped(verdict_text)
    );
    let mut data = String::new();
    match &content.scene {
        Ok(scene) => {
            body += PLACE;
            data = view(scene)?;
        }
        Err(reason) => {
            let _ = writeln!(body, "<p class=\"lead\">{}</p>", escaped(reason));
        }
    }
    if !warnings.is_empty() {
        body += "<h2>Warnings</h2>\n<ul class=\"warnings\">\n";
        for warning in warnings {
            let _ = writeln!(body, "<li>{}</li>", escaped(warning));
        }
        body += "</ul>\n";
    }
    body += "<div class=\"columns\">\n";
    for table in tables {
        add_table(&mut body, table);
    }
    body += "</div>\n";
    if let Some(plot) = &content.plot {
        let _ = write!(body, "<h2>Measures</h2>\n<div class=\"plot\">{plot}</div>\n");
    }
    Ok(document(title, &format!("{body}</main>\n{data}")))
}

fn add_table(body: &mut String, Table { title, heads, rows }: &Table) {
    let _ = write!(body, "<section>\n<h2>{}</h2>\n<table>\n", escaped(title));
    if !heads.is_empty() {
        let cells: String =
            heads.iter().map(|head| format!("<th>{}</th>", escaped(head))).collect();
        let _ = writeln!(body, "<tr>{cells}</tr>");
    }
    for (row, is_good) in rows {
        let class = if *is_good { "" } else { " class=\"bad\"" };
        let cells: String = row.iter().map(|cell| format!("<td>{}</td>", escaped(cell))).collect();
        let _ = writeln!(body, "<tr{class}>{cells}</tr>");
    }
    *body += "</table>\n</section>\n";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_escaped_and_a_missing_view_has_its_reason() {
        let evil = "<b>&\"";
        let content = Report {
            title: evil.into(),
            lead: evil.into(),
            verdict: Verdict::Bad,
            verdict_text: evil.into(),
            tables: vec![Table {
                title: evil.into(),
                heads: vec![evil.into()],
                rows: vec![(vec![evil.into()], false)],
            }],
            warnings: vec![evil.into()],
            plot: Some("<svg></svg>".into()),
            scene: Err(evil.into()),
        };
        let html = report(&content).unwrap();
        assert!(!html.contains("<b>"));
        assert_eq!(html.matches("&lt;b&gt;&amp;&quot;").count(), 9);
        assert!(html.contains("class=\"verdict bad\"") && html.contains("<svg></svg>"));
    }
}
