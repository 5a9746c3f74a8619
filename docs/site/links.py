"""MkDocs hook: makes links from the pages to other files of the repository lead to the repository.

The pages link to files such as `../configs/tiled.toml`, which GitHub resolves. The site does not
contain these files. The hook checks that each one exists, and warns otherwise, which ends a strict
build.
"""

import logging
import posixpath
import re
from pathlib import Path

log = logging.getLogger("mkdocs.hooks.site")

ROOT = Path(__file__).resolve().parent.parent.parent
LINK = re.compile(r"(\]\(|^\[[^\]]+\]:\s*)(\.\./[^)\s#]*)(#[^)\s]*)?", re.MULTILINE)


def on_page_markdown(markdown, page, config, files):
    """Replaces the links of a page that leave the folder of the pages."""

    def replace(match):
        before, target, anchor = match.group(1), match.group(2), match.group(3) or ""
        path = posixpath.normpath(posixpath.join("docs", posixpath.dirname(page.file.src_uri), target))
        if path.startswith("docs/"):
            return match.group(0)
        file = ROOT / path
        if not file.exists():
            log.warning("%s links to %s, which does not exist", page.file.src_uri, target)
        kind = "tree" if file.is_dir() else "blob"
        return f"{before}{config.repo_url}/{kind}/main/{path}{anchor}"

    return LINK.sub(replace, markdown)
