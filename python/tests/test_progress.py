"""The progress line."""

from __future__ import annotations

import logging

import numpy as np
import pytest
from conftest import square

import zeroset as zs
from zeroset import _progress


@pytest.fixture
def seen(monkeypatch):
    monkeypatch.setattr(_progress, "_is_seen", lambda: True)


def test_a_line_states_rate_and_time_left(seen, capsys):
    clock = iter(np.arange(0, 100, 0.5))
    line = _progress.Line()
    line._begun = line._last = 0.0
    _progress_time, _progress.time.monotonic = _progress.time.monotonic, lambda: next(clock)
    try:
        line({"stage": "reading the mesh"})
        line({"stage": "moving"})
        news = {"stage": None, "dt": 0.1, "end_time": 1.0, "max_steps": None}
        line({**news, "step": 0, "time": 0.0})
        line({**news, "step": 4, "time": 0.25})
    finally:
        _progress.time.monotonic = _progress_time
    line.clear()
    text = capsys.readouterr().err
    assert "moving: 0 s" in text and " 25%, 2 s left, step 4, time 0.25, 8 steps/s" in text
    assert text.endswith("\r")


def test_calls_show_it_and_remove_it(seen, capsys):
    ls = zs.LevelSet(square(60), "x^2 + y^2 - 0.25")
    list(ls.evolve(normal_speed=0.5, until=0.6, progress=True))
    text = capsys.readouterr().err
    assert text == "" or text.endswith("\r")


def test_nothing_is_shown_if_nobody_sees_it(capsys):
    zs.distance(square(30), 0, progress=True)
    assert capsys.readouterr().err == ""


def test_the_logger_receives_stages(caplog):
    caplog.set_level(logging.DEBUG, "zeroset")
    zs.Mesh(square(4)).distance(0)
    assert ("zeroset", logging.DEBUG, "computing the distance") in caplog.record_tuples
