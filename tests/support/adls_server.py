"""The interface of Azure's Data Lake Storage for reads, in front of Azurite, which has the blob service only.

The answers have the statuses, headers and error codes of Azure's service as far as Hadoop's ABFS depends on them.
Requests are accepted if they have the signature of the account's key.
"""

from __future__ import annotations

import base64
import hmac
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

import obstore
from attrs import field, frozen

from hoodoo.storage.object_store.client import connect
from tests.support.threaded_server import serving

__all__ = ["data_lake_interface"]

_SIGNED = (
    "content-encoding",
    "content-language",
    "content-length",
    "content-md5",
    "content-type",
    "date",
    "if-modified-since",
    "if-match",
    "if-none-match",
    "if-unmodified-since",
    "range",
)
"""Headers whose values are part of the signed text, in this order, besides those that start with `x-ms-`."""


_EPOCH = "Thu, 01 Jan 1970 00:00:00 GMT"


@frozen
class _Answer:
    status: int
    headers: Mapping[str, str] = field(factory=dict)
    body: bytes = b""


@contextmanager
def data_lake_interface(options: Mapping[str, str], requests: list[str]) -> Iterator[str]:
    """Run the interface in front of the blob service, and yield its address, `host:port`.

    The path of a request starts with the account and the container.

    Args:
        options: Access to the blob service, see `StorageOptions`: its address, the account and the key.
        requests: A list to which the method, path and query of each accepted request are added.
    """
    with serving(_Handler, options=options, requests=requests) as address:
        yield address


class _Handler(BaseHTTPRequestHandler):
    """Handler of the connection of a client."""

    options: Mapping[str, str]
    requests: list[str]
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def handle_one_request(self) -> None:
        try:
            super().handle_one_request()
        except ConnectionError:
            # the client closed the connection
            self.close_connection = True

    def _serve(self) -> None:
        answer = self._answer()
        self.send_response(answer.status)
        for key, value in {"Content-Length": str(len(answer.body)), **answer.headers}.items():
            self.send_header(key, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(answer.body)

    do_GET = do_HEAD = _serve  # noqa: N815

    def log_message(self, *_: object) -> None:
        """Log nothing."""

    def _answer(self) -> _Answer:
        parts = urlsplit(self.path)
        query = dict(parse_qsl(parts.query, keep_blank_values=True))
        headers = {key.lower(): value for key, value in self.headers.items()}
        if headers.get("authorization") != self._authorization(parts.path, query, headers):
            return _error(403, "AuthenticationFailed")
        self.requests.append(f"{self.command} {unquote(self.path)}")
        account, container, path = [*unquote(parts.path).removeprefix("/").split("/", 2), ""][:3]
        if account != self.options["azure_account"]:
            return _error(404, "ResourceNotFound")
        store = connect("az", container, self.options)
        match self.command, query.get("action"):
            case "HEAD", "getAccessControl":
                return _Answer(200, {"x-ms-owner": "$superuser", "x-ms-group": "$superuser", "x-ms-acl": "user::rwx"})
            case "HEAD", "getStatus":
                return _status(store, path)
            case "GET", None if query.get("resource") == "filesystem" and query.get("recursive") == "false":
                return _listed(store, query["directory"].strip("/"))
            case "GET", None if path:
                return _content(store, path, headers)
        return _error(400, "UnsupportedQueryParameter")

    def _authorization(self, path: str, query: Mapping[str, str], headers: Mapping[str, str]) -> str:
        """Return the header of a request that the account's key has signed."""
        account = self.options["azure_account"]
        # an empty body is signed without its length
        values = [
            "" if name == "content-length" and headers.get(name) == "0" else headers.get(name, "") for name in _SIGNED
        ]
        own = sorted(f"{name}:{value}" for name, value in headers.items() if name.startswith("x-ms-"))
        resource = [f"/{account}{path}", *sorted(f"{name.lower()}:{value}" for name, value in query.items())]
        text = "\n".join([self.command, *values, *own, *resource])
        key = base64.b64decode(self.options["azure_account_key"])
        return f"SharedKey {account}:{base64.b64encode(hmac.digest(key, text.encode(), 'sha256')).decode()}"


def _status(store: Any, path: str) -> _Answer:
    """Return the description of a file or folder."""
    try:
        found = obstore.head(store, path)
    except FileNotFoundError:
        if next(iter(obstore.list(store, path, chunk_size=1)), ()):
            return _Answer(200, {"x-ms-resource-type": "directory", "Last-Modified": _EPOCH})
        return _error(404, "PathNotFound")
    return _Answer(200, {**_described(found), "Content-Length": str(found["size"])})


def _listed(store: Any, folder: str) -> _Answer:
    """Return the files and folders in a folder, or the file of this name, all in one page."""
    found = obstore.list_with_delimiter(store, folder or None)
    folders, files = found["common_prefixes"], found["objects"]
    if not folders and not files and folder:
        try:
            files = [obstore.head(store, folder)]
        except FileNotFoundError:
            return _error(404, "PathNotFound")
    paths: list[dict[str, str]] = [{"name": name, "isDirectory": "true", "lastModified": _EPOCH} for name in folders]
    for item in files:
        described = {
            "etag": item["e_tag"].strip('"'),
            "lastModified": format_datetime(item["last_modified"], usegmt=True),
        }
        paths.append({"name": item["path"], "contentLength": str(item["size"]), **described})
    return _Answer(200, {"Content-Type": "application/json"}, json.dumps({"paths": paths}).encode())


def _content(store: Any, path: str, headers: Mapping[str, str]) -> _Answer:
    """Return a range of a file, or the whole file."""
    try:
        found = obstore.head(store, path)
    except FileNotFoundError:
        return _error(404, "PathNotFound")
    # the client sends the tag without the quotes
    if headers.get("if-match", found["e_tag"]).strip('"') != found["e_tag"].strip('"'):
        return _error(412, "ConditionNotMet")
    size = found["size"]
    if "range" not in headers:
        return _Answer(200, _described(found), bytes(obstore.get(store, path).bytes()))
    first, _, last = headers["range"].removeprefix("bytes=").partition("-")
    start, end = int(first), min(int(last or size), size - 1)
    if start > end:
        return _error(416, "InvalidRange")
    body = bytes(obstore.get_range(store, path, start=start, end=end + 1))
    return _Answer(206, {**_described(found), "Content-Range": f"bytes {start}-{end}/{size}"}, body)


def _described(found: Mapping[str, Any]) -> dict[str, str]:
    """Return the headers that describe a file."""
    modified = format_datetime(found["last_modified"], usegmt=True)
    return {"ETag": found["e_tag"], "Last-Modified": modified, "x-ms-resource-type": "file"}


def _error(status: int, code: str) -> _Answer:
    body = json.dumps({"error": {"code": code, "message": code}}).encode()
    return _Answer(status, {"Content-Type": "application/json", "x-ms-error-code": code}, body)
