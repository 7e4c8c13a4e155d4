"""Progress of a write on a terminal."""

from __future__ import annotations

import io
from contextlib import nullcontext
from types import SimpleNamespace

import pytest
from rich.console import Console

from hoodoo.writing import progress


@pytest.mark.parametrize("terminal", [True, False])
def test_the_number_of_started_files_is_shown_on_a_terminal_only(monkeypatch, terminal):
    shown = []
    console = Console(force_terminal=terminal, file=io.StringIO())
    status = SimpleNamespace(update=shown.append)
    monkeypatch.setattr(progress, "Console", lambda stderr: console)
    monkeypatch.setattr(console, "status", lambda text: nullcontext(status))
    monkeypatch.setattr(progress, "list_markers", lambda storage, time: ["a", "b"])

    with progress.show_progress(SimpleNamespace(storage=None, time="7")) as update:
        update()

    assert shown == (["commit 7: 2 data files started"] if terminal else [])
