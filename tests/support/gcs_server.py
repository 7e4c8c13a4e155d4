"""Run a command with a server of Google Cloud Storage: `python tests/support/gcs_server.py COMMAND ARGUMENT...`.

Go builds fake-gcs-server, which runs on a free port of this machine with objects in memory. It checks the condition of
a write and writes under one lock. The clients of hoodoo use Google's XML interface, which `gcs_xml.py` puts in front of
the server. The environment variable HOODOO_GCS contains the address of this interface. Without Go the command runs
without a server, and tests that need one are skipped.
"""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path

from gcs_xml import xml_interface
from go_program import built
from local_server import LocalServer

MODULE = "github.com/fsouza/fake-gcs-server@v1.56.1"


def started(server: Path, folder: Path, port: int) -> list[str]:
    """Return the command of a server with objects in memory."""
    options = ("-backend", "memory", "-scheme", "http", "-host", "127.0.0.1", "-port", str(port), "-log-level", "error")
    return [str(server / "fake-gcs-server"), *options]


GCS = LocalServer(
    "fake-gcs-server",
    "HOODOO_GCS",
    ("go",),
    partial(built, MODULE, "fake-gcs-server"),
    started,
    "http://127.0.0.1:{port}",
    front=xml_interface,
)

if __name__ == "__main__":
    sys.exit(GCS.run(sys.argv[1:]))
