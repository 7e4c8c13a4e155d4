"""Programs that Go builds."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

CACHE = Path(__file__).resolve().parents[2] / ".pytest_cache/d"


def built(module: str, program: str) -> Path:
    """Return the folder of a program. Go builds the program if it is missing, which takes some minutes.

    Args:
        module: The module with its version.
        program: The name of the program, and of its folder.
    """
    folder = CACHE / program
    if not (folder / program).exists():
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run(["go", "install", module], env={**os.environ, "GOBIN": str(folder)}, check=True)
    return folder
