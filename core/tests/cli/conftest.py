"""The command line, run in this process."""

from __future__ import annotations

import re

import pytest

from hoodoo.cli import main


@pytest.fixture
def hoodoo(capsys):
    """Return a function that runs the command line and returns the exit code, and stdout and stderr without colors."""

    def run(*arguments):
        with pytest.raises(SystemExit) as ended:
            main(arguments)
        out, err = (re.sub(r"\x1b\[[\d;]*m", "", text) for text in capsys.readouterr())
        return ended.value.code, out, err

    return run
