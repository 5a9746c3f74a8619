"""Progress of long calls."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

Progress = Callable[[dict[str, Any]], object]


@contextmanager
def shown(progress: Progress | bool | None) -> Iterator[Progress | None]:
    """Return the function that the native part calls. ``True`` means a line on the screen."""
    if not isinstance(progress, bool):
        yield progress
    elif not progress or not _is_seen():
        yield None
    else:
        line = Line()
        try:
            yield line
        finally:
            line.clear()


def _is_seen() -> bool:
    """Whether a user can see the standard error, in a terminal or a notebook."""
    return sys.stderr.isatty() or "ipykernel" in sys.modules


class Line:
    """A line that is rewritten in place, with the rate and the time left."""

    def __init__(self) -> None:
        self._begun = self._last = time.monotonic()
        self._first: tuple[int, float] | None = None
        self._stage = ""
        self._width = 0

    def __call__(self, news: dict[str, Any]) -> None:
        self._stage = news["stage"] or self._stage
        now = time.monotonic()
        if now - self._last < 0.1:
            return
        self._last = now
        self._write(self._text(news, now))

    def _text(self, news: dict[str, Any], now: float) -> str:
        if "step" not in news:
            return f"{self._stage}: {now - self._begun:.0f} s"
        step, reached = news["step"], news["time"]
        if self._first is None:
            self._first, self._begun = (step, reached), now
        done, seconds = self._share(news), now - self._begun
        rate = (step - self._first[0]) / seconds if seconds > 0 else 0.0
        left = f", {seconds * (1 / done - 1):.0f} s left" if done > 0 else ""
        return f"{done:4.0%}{left}, step {step}, time {reached:.6g}, {rate:.0f} steps/s"

    def _share(self, news: dict[str, Any]) -> float:
        """Return the finished part of the steps since the first report, from 0 to 1."""
        assert self._first is not None
        parts = [0.0]
        for now, first, end in (
            (news["step"], self._first[0], news["max_steps"]),
            (news["time"], self._first[1], news["end_time"]),
        ):
            if end is not None and end > first:
                parts.append((now - first) / (end - first))
        return min(1.0, max(parts))

    def _write(self, text: str) -> None:
        print("\r" + text.ljust(self._width), end="", file=sys.stderr, flush=True)
        self._width = len(text)

    def clear(self) -> None:
        """Remove the line."""
        if self._width:
            print("\r" + " " * self._width + "\r", end="", file=sys.stderr, flush=True)
