"""Run a command with a second S3 server: `python tests/support/minio_server.py COMMAND ARGUMENT...`.

Go builds MinIO, which runs on a free port of this machine with objects in a temporary folder. Unlike moto it checks
signatures, and its conditional writes are atomic for concurrent requests. The environment variable HOODOO_S3 contains
its address, and the tests of S3 use it in place of moto then. Without Go the command runs with moto.
"""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path

from go_program import built
from local_server import LocalServer

MODULE = "github.com/minio/minio@v0.0.0-20260212201848-7aac2a2c5b7c"
ACCESS_KEY, SECRET_KEY = "AKIAHOODOOTESTS", "vErYsEcReT0123456789"


def started(server: Path, folder: Path, port: int) -> list[str]:
    """Return the command of a server with objects in a folder of this machine."""
    credentials = (f"MINIO_ROOT_USER={ACCESS_KEY}", f"MINIO_ROOT_PASSWORD={SECRET_KEY}", "MINIO_BROWSER=off")
    program = (str(server / "minio"), "server", "--address", f"127.0.0.1:{port}", str(folder / "data"))
    return ["env", *credentials, *program]


MINIO = LocalServer("MinIO", "HOODOO_S3", ("go",), partial(built, MODULE, "minio"), started, "http://127.0.0.1:{port}")

if __name__ == "__main__":
    sys.exit(MINIO.run(sys.argv[1:]))
