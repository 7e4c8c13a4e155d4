"""A proxy that loses, rejects, delays or interrupts the answers of a store."""

from __future__ import annotations

import http.client
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler

from tests.support.threaded_server import serving

_HOP = {"connection", "content-length", "transfer-encoding", "date", "server"}
_REFUSED = re.compile("([345][0-9]{2})(?: ([A-Z][A-Za-z]+))?")

Choose = Callable[[str, str, int], str]
"""A function that returns the fault for a request with a method, a path and a number, counted from 1.

- "": no fault;
- `lost`: the request is executed, and the connection is closed without an answer;
- a status such as `503`, or a status and a code such as `400 ExpiredToken`: the request is refused;
- `503 after`: the request is executed, and the answer is a refusal;
- `stalled`: the client gets half of the body of the answer, and the connection stays open until the proxy ends;
- `cut`: the client gets half of the body of the answer, and the connection is closed.
"""


class Proxy:
    """Proxy that counts all requests and the most concurrent ones, and calls `choose` for the fault of each request.

    Attributes:
        choose: The function that chooses the fault of a request: see `Choose`.
        count: The number of requests since the last restart.
        at_work: The number of requests that are now processed.
        most_at_work: The greatest value of `at_work` so far, which a restart does not reset.
        delay: Seconds for which each request is delayed.
        hit: The faults so far with their requests, since the last restart.
        requests: The methods and paths of the requests since the last restart.
        ended: Set when the proxy ends, which also ends stalled answers.
        upstream: Host and port of the store.
    """

    def __init__(self, upstream: str) -> None:
        self.choose: Choose = lambda method, path, number: ""
        self.count = 0
        self.at_work = self.most_at_work = 0
        self.delay = 0.0
        self.hit: list[str] = []
        self.requests: list[str] = []
        self.ended = threading.Event()
        self.upstream = upstream.removeprefix("http://")
        self._counting = threading.Lock()

    def fault(self, method: str, path: str) -> str:
        with self._counting:
            self.count += 1
            self.requests.append(f"{method} {path}")
            fault = self.choose(method, path, self.count)
            if fault:
                self.hit.append(f"{fault}: {method} {path}")
            return fault

    @contextmanager
    def working(self) -> Iterator[None]:
        """Count a request while it is processed, and delay it."""
        with self._counting:
            self.at_work += 1
            self.most_at_work = max(self.most_at_work, self.at_work)
        time.sleep(self.delay)
        try:
            yield
        finally:
            with self._counting:
                self.at_work -= 1

    def restart(self, choose: Choose) -> None:
        """Reset the number and the lists of requests, and replace the function that chooses faults."""
        self.choose, self.count, self.hit, self.requests = choose, 0, [], []


@contextmanager
def proxied(upstream: str) -> Iterator[tuple[str, Proxy]]:
    """Run a proxy for a server, and yield its address and the proxy."""
    proxy = Proxy(upstream)
    with serving(_Handler, proxy=proxy) as address:
        try:
            yield f"http://{address}", proxy
        finally:
            proxy.ended.set()


class _Handler(BaseHTTPRequestHandler):
    proxy: Proxy
    protocol_version = "HTTP/1.1"

    def handle_one_request(self) -> None:
        try:
            super().handle_one_request()
        except OSError:
            # the client gave up, as intended
            self.close_connection = True

    def _serve(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        fault = self.proxy.fault(self.command, self.path)
        if refused := _REFUSED.fullmatch(fault):
            self._refuse(int(refused[1]), refused[2] or "Refused")
            return
        with self.proxy.working():
            status, headers, answer = self._forward(body)
        if fault == "503 after":
            self._refuse(503)
            return
        if fault == "lost":
            self.close_connection = True
            return
        self.send_response(status)
        for name, value in headers:
            if name.lower() not in _HOP:
                self.send_header(name, value)
        length = {name.lower(): value for name, value in headers}.get("content-length", str(len(answer)))
        self.send_header("Content-Length", length if self.command == "HEAD" else str(len(answer)))
        self.end_headers()
        if fault in ("stalled", "cut"):
            self.wfile.write(answer[: len(answer) // 2])
            self.wfile.flush()
            if fault == "stalled":
                self.proxy.ended.wait()
            self.close_connection = True
            return
        self.wfile.write(answer)

    do_GET = do_PUT = do_POST = do_HEAD = do_DELETE = _serve  # noqa: N815

    def _forward(self, body: bytes) -> tuple[int, list[tuple[str, str]], bytes]:
        connection = http.client.HTTPConnection(self.proxy.upstream)
        # with the Host of the client, whose signature contains it
        headers = {name: value for name, value in self.headers.items() if name.lower() != "connection"}
        connection.request(self.command, self.path, body, headers)
        response = connection.getresponse()
        answer = response.read()
        connection.close()
        return response.status, response.getheaders(), answer

    def _refuse(self, status: int, code: str = "Refused") -> None:
        # some stores return the content of the request
        told = self.headers.get("Authorization", "")
        body = f"<Error><Code>{code}</Code><Message>vErYsEcReT0123456789 {told}</Message></Error>".encode()
        self.send_response(status)
        self.send_header("Content-Length", "0" if self.command == "HEAD" else str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Log nothing."""
