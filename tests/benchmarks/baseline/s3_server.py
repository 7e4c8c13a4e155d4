"""S3 server on this machine, in a process of its own: moto."""

from __future__ import annotations

import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection

PORT = 5099


@contextmanager
def server() -> Iterator[tuple[str, dict[str, str]]]:
    """Run an S3 server with an empty bucket, and yield the name of the bucket and the options for the server."""
    command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(PORT)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            bucket = f"bench-{uuid.uuid4().hex[:8]}"
            _create(bucket)
            yield (
                bucket,
                {
                    "fs.s3a.endpoint": f"http://127.0.0.1:{PORT}",
                    "fs.s3a.endpoint.region": "us-east-1",
                    "fs.s3a.access.key": "AKIABENCH",
                    "fs.s3a.secret.key": "secret",
                },
            )
        finally:
            process.terminate()


def _create(bucket: str) -> None:
    for _ in range(100):
        try:
            connection = HTTPConnection("127.0.0.1", PORT)
            connection.request("PUT", f"/{bucket}")
            connection.getresponse()
        except OSError:
            time.sleep(0.2)
        else:
            return
    raise SystemExit("the S3 server does not start")
