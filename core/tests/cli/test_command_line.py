"""The command `hoodoo` itself: wrong usage, version, help, and its import of other commands."""

from __future__ import annotations

import subprocess
import sys

import pytest

from hoodoo import __version__
from hoodoo.cli import COMMANDS

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    "arguments",
    [
        ["plugin"],
        ["plugins", "lst"],
        ["plugins", "show"],
        ["plugins", "list", "--what"],
        ["plugins", "list", "--family", "x"],
    ],
)
def test_wrong_usage_exits_with_2(hoodoo, arguments):
    code, out, err = hoodoo(*arguments)

    assert (code, out) == (2, "")
    assert "Usage: hoodoo" in err


def test_version(hoodoo):
    assert hoodoo("--version") == (0, f"hoodoo {__version__}\n", "")


def test_help_names_every_command(hoodoo):
    code, out, _ = hoodoo("--help")

    assert code == 0
    for name in COMMANDS:
        assert f" {name} " in out


def test_the_command_line_imports_a_command_only_when_it_is_called():
    script = "import sys, hoodoo.cli; sys.exit('hoodoo.cli.plugins_command' in sys.modules or 'pyarrow' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0
