"""S3 server of the objects in a folder, in a process of its own, which delays each response.

It serves lists and contents, and no writes. Other servers for tests search all their objects for each list.
"""

from __future__ import annotations

import argparse
import bisect
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit
from xml.sax.saxutils import escape

BUCKET = "bench"
_PAGE = 1000
_DATE = "2024-01-01T00:00:00.000Z"
_HTTP_DATE = "Mon, 01 Jan 2024 00:00:00 GMT"


@contextmanager
def served(folder: Path, delay: float) -> Iterator[dict[str, str]]:
    """Serve the files of a folder as the objects of the bucket `bench`, and yield the options for the server.

    Args:
        folder: The folder. An empty file stands for an object of 1,000,000 bytes.
        delay: Seconds before each response.
    """
    command = [sys.executable, "-m", "tests.benchmarks.baseline.list_server", str(folder), str(delay)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield {
                "fs.s3a.endpoint": f"http://127.0.0.1:{int(process.stdout.readline())}",
                "fs.s3a.endpoint.region": "us-east-1",
                "fs.s3a.access.key": "AKIABENCH",
                "fs.s3a.secret.key": "secret",
            }
        finally:
            process.terminate()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, folder: Path, delay: float) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.folder = folder
        self.delay = delay
        files = (path for path in folder.rglob("*") if path.is_file())
        self.sizes = {path.relative_to(folder).as_posix(): path.stat().st_size or 1_000_000 for path in files}
        self.keys = sorted(self.sizes)

    def listing(self, prefix: str, after: str, *, by_folder: bool) -> bytes:
        """Return the document of at most a thousand objects and folders with a prefix."""
        parts, count, at = [], 0, max(bisect.bisect_left(self.keys, prefix), bisect.bisect_right(self.keys, after))
        while at < len(self.keys) and self.keys[at].startswith(prefix) and count < _PAGE:
            key = self.keys[at]
            folder, is_deeper, _ = key[len(prefix) :].partition("/")
            if by_folder and is_deeper:
                key = f"{prefix}{folder}/"
                parts.append(f"<CommonPrefixes><Prefix>{escape(key)}</Prefix></CommonPrefixes>")
                key += "\U0010ffff"
                at = bisect.bisect_left(self.keys, key)
            else:
                size = self.sizes[key]
                parts.append(
                    f"<Contents><Key>{escape(key)}</Key><LastModified>{_DATE}</LastModified>"
                    f'<ETag>"{at}"</ETag><Size>{size}</Size></Contents>'
                )
                at += 1
            count += 1
        is_cut = at < len(self.keys) and self.keys[at].startswith(prefix)
        token = f"<NextContinuationToken>{escape(key)}</NextContinuationToken>" if is_cut else ""
        head = f"<Name>{BUCKET}</Name><IsTruncated>{'true' if is_cut else 'false'}</IsTruncated>{token}"
        return f"<ListBucketResult>{head}{''.join(parts)}</ListBucketResult>".encode()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_GET(self) -> None:
        time.sleep(self.server.delay)
        parts = urlsplit(self.path)
        query = {name: values[0] for name, values in parse_qs(parts.query).items()}
        if "list-type" in query:
            after = query.get("continuation-token", "")
            self._answer(200, self.server.listing(query.get("prefix", ""), after, by_folder="delimiter" in query))
            return
        key = unquote(parts.path).removeprefix(f"/{BUCKET}/")
        if key not in self.server.sizes:
            self._answer(404, b"<Error><Code>NoSuchKey</Code></Error>")
            return
        body = (self.server.folder / key).read_bytes()
        status, place = 200, self.headers.get("Range", "")
        if place:
            first, _, last = place.removeprefix("bytes=").partition("-")
            begin = int(first) if first else max(0, len(body) - int(last))
            end = min(int(last), len(body) - 1) if first and last else len(body) - 1
            status, place = 206, f"bytes {begin}-{end}/{len(body)}"
            body = body[begin : end + 1]
        self._answer(status, body, {"Content-Range": place} if place else {})

    def do_HEAD(self) -> None:
        self.do_GET()

    def _answer(self, status: int, body: bytes, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        shown = {"ETag": '"1"', "Last-Modified": _HTTP_DATE, "Content-Length": str(len(body)), **(headers or {})}
        for name, value in shown.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Write no log."""


def main() -> None:
    """Serve a folder until the process is terminated, and print the port."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("delay", type=float)
    arguments = parser.parse_args()
    server = _Server(arguments.folder, arguments.delay)
    print(server.server_address[1], flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
