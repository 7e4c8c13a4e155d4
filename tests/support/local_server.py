"""A server for tests: it is downloaded once per checkout, and runs on a free port as long as a command does."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path

from attrs import frozen


@frozen
class LocalServer:
    """A server, the tools that it needs, and the variable that contains its address."""

    name: str
    variable: str
    tools: tuple[str, ...]
    """Programs that must be on the PATH."""
    install: Callable[[], Path]
    """Function that downloads the server if it is missing, and returns its folder."""
    command: Callable[[Path, Path, int], list[str]]
    """Function that writes the configuration, and returns the command that starts the server.

    Its arguments are the folder of the server, an empty folder, and the port.
    """
    address: str
    """Address of the server, as a format string with the field `port`."""
    question: bytes = b""
    answer: bytes = b""
    """Start of the answer to `question` that shows a ready server; without a question, an open port shows it."""
    start_seconds: int = 60
    front: Callable[[str], AbstractContextManager[str]] = nullcontext
    """Context manager that runs a program in front of the server at an address, and yields the address for clients."""

    def run(self, command: list[str]) -> int:
        """Run a command with the server, and return the exit status of the command.

        The server is not started if the variable names one already, or if a tool is missing.

        Raises:
            CalledProcessError: The download of the server fails.
            RuntimeError: The server ends, or is not ready in time.
        """
        if self.variable in os.environ:
            return subprocess.run(command, check=False).returncode
        absent = [tool for tool in self.tools if shutil.which(tool) is None]
        if absent:
            print(f"no {self.name}: {' and '.join(absent)} not on the PATH", file=sys.stderr)
            return subprocess.run(command, check=False).returncode
        server = self.install()
        with tempfile.TemporaryDirectory() as folder, self._running(server, Path(folder)) as address:
            return subprocess.run(command, env={**os.environ, self.variable: address}, check=False).returncode

    @contextmanager
    def _running(self, server: Path, folder: Path) -> Iterator[str]:
        """Run the server, and yield its address."""
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        command = self.command(server, folder, port)
        with (
            (folder / "log").open("w") as log,
            subprocess.Popen(command, stdout=log, stderr=log, cwd=folder) as process,
        ):
            try:
                self._wait_for(process, port, folder / "log")
                with self.front(self.address.format(port=port)) as address:
                    yield address
            finally:
                process.kill()

    def _wait_for(self, process: subprocess.Popen[bytes], port: int, log: Path) -> None:
        deadline = time.monotonic() + self.start_seconds
        while not self._is_ready(port):
            if process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"{self.name} does not start: {log.read_text()[-4000:]}")
            time.sleep(0.1)

    def _is_ready(self, port: int) -> bool:
        try:
            with socket.create_connection(("127.0.0.1", port), timeout=1) as connection:
                if not self.question:
                    return True
                connection.sendall(self.question)
                return connection.recv(16).startswith(self.answer)
        except OSError:
            return False
