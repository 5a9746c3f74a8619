"""Pages with a 3-D view."""

from __future__ import annotations

import html
import os


class View:
    """A page with a 3-D view, in one HTML file that needs no network.

    Attributes
    ----------
    html : str
        Text of the page.
    """

    def __init__(self, page: str) -> None:
        self.html = page

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page. A file that exists is replaced."""
        with open(path, "w", encoding="utf-8") as out:
            out.write(self.html)

    def _repr_html_(self) -> str:
        return (
            f'<iframe srcdoc="{html.escape(self.html)}" width="100%" height="600" '
            'style="border: 0" sandbox="allow-scripts allow-downloads"></iframe>'
        )

    def __repr__(self) -> str:
        return f"<zeroset.View: {len(self.html) / 1000:,.0f} kB of HTML>"
