//! The text of a page.

use super::Scene;
use crate::markup::escaped;
use zeroset_core::error::Result;

/// The style sheet of all pages.
const STYLE: &str = include_str!("../../assets/viewer.css");

/// The scripts of a view. They share one scope.
const SCRIPTS: [&str; 10] = [
    include_str!("../../assets/data.js"),
    include_str!("../../assets/numbers.js"),
    include_str!("../../assets/shaders.js"),
    include_str!("../../assets/geometry.js"),
    include_str!("../../assets/model.js"),
    include_str!("../../assets/stage.js"),
    include_str!("../../assets/legend.js"),
    include_str!("../../assets/pick.js"),
    include_str!("../../assets/panel.js"),
    include_str!("../../assets/png.js"),
];

/// The script that starts the view, after all others.
const START: &str = include_str!("../../assets/viewer.js");

/// The place of the view on a page.
pub(super) const PLACE: &str = "<div class=\"zv\" id=\"zv\"></div>\n";

/// Returns a page that shows a scene in the whole window.
///
/// # Errors
/// Returns [`Error::Case`](zeroset_core::Error::Case) if there is nothing to show.
pub fn page(scene: &Scene) -> Result<String> {
    Ok(document(scene.title(), &format!("{PLACE}{}", view(scene)?)))
}

/// Returns the data and the scripts of a view.
///
/// # Errors
/// Returns [`Error::Case`](zeroset_core::Error::Case) if there is nothing to show.
pub(super) fn view(scene: &Scene) -> Result<String> {
    let scripts = SCRIPTS.concat();
    Ok(format!(
        "{}<script>\n\"use strict\";\n{{\n{scripts}{START}}}\n</script>\n",
        scene.elements()?
    ))
}

/// Returns a whole page. `body` is HTML.
pub(super) fn document(title: &str, body: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <link rel=\"icon\" href=\"data:,\">\n\
         <title>{}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n{body}</body>\n</html>\n",
        escaped(title)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::{Frame, Surface, Values};
    use zeroset_core::mesh::{Kind, Mesh};

    const EVIL: &str = "</script><script>alert('x')</script><!-- & \"";

    fn scene(title: &str) -> Scene {
        let vertices = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        let mesh = Mesh::new(Kind::Planar, vertices, vec![0, 1, 2]);
        let values = [0.0, f64::NAN, 2.0];
        let shown = Values::default().with_unit(title);
        Scene::new(title)
            .with_note(title)
            .with_remark(title)
            .with_surface(Surface::of(&mesh).with_values(title, &[&values], &shown))
            .with_frames(vec![Frame { name: title.into(), ..Frame::default() }])
    }

    #[test]
    fn no_text_leaves_its_element() {
        let count = |html: &str, tag: &str| html.to_lowercase().matches(tag).count();
        let (plain, evil) = (page(&scene("plain")).unwrap(), page(&scene(EVIL)).unwrap());
        for tag in ["<script", "</script", "<!--", "<title", "alert("] {
            let expected = if tag == "alert(" { 7 } else { count(&plain, tag) };
            assert_eq!(count(&evil, tag), expected, "{tag}");
        }
        assert_eq!(count(&plain, "</script"), 4);
        assert!(evil.contains("<title>&lt;/script&gt;&lt;script&gt;alert(&#39;x&#39;)"));
    }

    #[test]
    fn a_page_names_no_address_and_is_the_same_each_time() {
        let html = page(&scene("a")).unwrap();
        // The addresses of namespaces and of licenses are not loaded.
        for word in ["src=", "href=\"http", "@import", "url(", "fetch("] {
            assert!(!html.contains(word), "{word}");
        }
        assert_eq!(html, page(&scene("a")).unwrap());
    }

    #[test]
    fn an_empty_scene_is_refused() {
        assert!(page(&Scene::new("nothing")).is_err());
    }
}
