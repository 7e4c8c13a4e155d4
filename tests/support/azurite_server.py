"""Run a command with a server of Azure's blob service: `python tests/support/azurite_server.py COMMAND ARGUMENT...`.

npm downloads Azurite, and Node runs it on a free port of this machine with data in memory. The environment variable
HOODOO_AZURITE contains its address. Without npm the command runs without a server, and tests that need one are skipped.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from local_server import LocalServer

FOLDER = Path(__file__).resolve().parents[2] / ".pytest_cache/d/azurite"
VERSION = "3.35.0"
ACCOUNT = "devstoreaccount1"


def installed() -> Path:
    """Return the folder of Azurite, which npm downloads if it is missing."""
    if not (FOLDER / "node_modules/.bin/azurite-blob").exists():
        FOLDER.mkdir(parents=True, exist_ok=True)
        options = ("--no-audit", "--no-fund", "--silent", "--prefix", str(FOLDER))
        subprocess.run(["npm", "install", *options, f"azurite@{VERSION}"], check=True)
    return FOLDER


def started(server: Path, folder: Path, port: int) -> list[str]:
    """Return the command of a server that keeps its data in memory.

    It does not check the API version of requests, because the client's version is newer than those that it lists.
    """
    program = str(server / "node_modules/.bin/azurite-blob")
    return [program, "--silent", "--inMemoryPersistence", "--skipApiVersionCheck", "--blobPort", str(port)]


AZURITE = LocalServer(
    "Azurite", "HOODOO_AZURITE", ("npm", "node"), installed, started, f"http://127.0.0.1:{{port}}/{ACCOUNT}"
)

if __name__ == "__main__":
    sys.exit(AZURITE.run(sys.argv[1:]))
