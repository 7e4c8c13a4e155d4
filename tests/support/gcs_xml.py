"""The XML interface of Google Cloud Storage in front of fake-gcs-server, which has the JSON interface only.

The server executes each write as one request, whose condition it checks under one lock: this module has no state except
the parts of uploads that are not complete. The answers have the statuses, headers and error codes of Google's service
as far as a client of hoodoo depends on them.
"""

from __future__ import annotations

import hashlib
import http.client
import json
import threading
import uuid
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit

from attrs import define, field, frozen
from threaded_server import serving

__all__ = ["xml_interface"]

_MOST_LISTED = 1000
_KEPT = ("content-type", "content-range", "etag", "last-modified", "accept-ranges")
"""Headers of the server's answers that clients get, besides those that start with `x-goog-`."""
_CONDITION = "x-goog-if-generation-match"


@frozen
class _Request:
    """Request of a client; names of headers are in lower case."""

    method: str
    bucket: str
    name: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: bytes


@frozen
class _Answer:
    status: int
    headers: Mapping[str, str] = field(factory=dict)
    body: bytes = b""


@define(eq=False)
class _Uploads:
    """Parts of uploads that are not complete, by upload and number."""

    _parts: dict[str, dict[int, bytes]] = field(factory=dict, init=False)
    _mutex: threading.Lock = field(factory=threading.Lock, init=False)

    def begin(self) -> str:
        """Return the id of a new upload."""
        upload = uuid.uuid4().hex
        with self._mutex:
            self._parts[upload] = {}
        return upload

    def put(self, upload: str, number: int, body: bytes) -> bool:
        """Add or replace a part; return False if there is no such upload."""
        with self._mutex:
            if upload not in self._parts:
                return False
            self._parts[upload][number] = body
            return True

    def parts(self, upload: str) -> dict[int, bytes] | None:
        """Return the parts by number; None if there is no such upload."""
        with self._mutex:
            return None if upload not in self._parts else dict(self._parts[upload])

    def end(self, upload: str) -> bool:
        """Remove an upload; return False if there is no such upload."""
        with self._mutex:
            return self._parts.pop(upload, None) is not None


@contextmanager
def xml_interface(upstream: str) -> Iterator[str]:
    """Run the interface in front of a server, and yield its address.

    Args:
        upstream: Address of the server, `http://host:port`.
    """
    with serving(_Handler, upstream=urlsplit(upstream).netloc, uploads=_Uploads()) as address:
        yield f"http://{address}"


class _Handler(BaseHTTPRequestHandler):
    """Handler of the connection of a client, with a connection of its own to the server."""

    upstream: str
    uploads: _Uploads
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def setup(self) -> None:
        super().setup()
        self.server_connection = http.client.HTTPConnection(self.upstream)

    def finish(self) -> None:
        self.server_connection.close()
        super().finish()

    def handle_one_request(self) -> None:
        try:
            super().handle_one_request()
        except ConnectionError:
            # the client closed the connection
            self.close_connection = True

    def _serve(self) -> None:
        parts = urlsplit(self.path)
        bucket, _, name = parts.path.removeprefix("/").partition("/")
        request = _Request(
            self.command,
            unquote(bucket),
            unquote(name),
            dict(parse_qsl(parts.query, keep_blank_values=True)),
            {key.lower(): value for key, value in self.headers.items()},
            self.rfile.read(int(self.headers.get("Content-Length") or 0)),
        )
        answer = self._object_answer(request) if request.name else self._bucket_answer(request)
        self.send_response(answer.status)
        for key, value in {"Content-Length": str(len(answer.body)), **answer.headers}.items():
            self.send_header(key, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(answer.body)

    do_GET = do_PUT = do_POST = do_HEAD = do_DELETE = _serve  # noqa: N815

    def log_message(self, *_: object) -> None:
        """Log nothing."""

    def _bucket_answer(self, request: _Request) -> _Answer:
        if request.method == "PUT":
            body = json.dumps({"name": request.bucket}).encode()
            return _Answer(self._ask("POST", "/storage/v1/b?project=tests", {}, body).status)
        return self._listed(request) if request.method == "GET" else _error(501, "NotImplemented")

    def _object_answer(self, request: _Request) -> _Answer:
        upload = request.query.get("uploadId")
        match request.method:
            case "GET" | "HEAD":
                return self._content(request)
            case "DELETE":
                return self._deleted(request) if upload is None else self._aborted(upload)
            case "PUT" if upload is not None:
                return self._part(request, upload)
            case "PUT":
                return self._copied(request) if "x-goog-copy-source" in request.headers else self._written(request)
            case "POST" if upload is not None:
                return self._completed(request, upload)
            case "POST" if "uploads" in request.query:
                texts = {"Bucket": request.bucket, "Key": request.name, "UploadId": self.uploads.begin()}
                return _Answer(200, body=_document("InitiateMultipartUploadResult", texts))
        return _error(501, "NotImplemented")

    def _content(self, request: _Request) -> _Answer:
        asked = {key: request.headers[key] for key in ("range",) if key in request.headers}
        generation = f"&generation={request.query['generation']}" if "generation" in request.query else ""
        answer = self._ask(request.method, f"{_place(request.bucket, request.name)}?alt=media{generation}", asked)
        if answer.status == 404:
            return self._missing(request)
        if answer.status == 206 and answer.headers.get("content-length") == "0":
            # the server answers with an empty range of an empty object
            return _error(416, "InvalidRange")
        headers = {key: value for key, value in answer.headers.items() if key in _KEPT or key.startswith("x-goog-")}
        return _Answer(answer.status, {**headers, "Content-Length": answer.headers["content-length"]}, answer.body)

    def _written(self, request: _Request) -> _Answer:
        return self._put(request, request.body, request.headers)

    def _put(self, request: _Request, body: bytes, headers: Mapping[str, str]) -> _Answer:
        """Write an object, under the condition among the headers if there is one; return the answer for the client."""
        query = {"uploadType": "media", "name": request.name}
        if _CONDITION in headers:
            query["ifGenerationMatch"] = headers[_CONDITION]
        kept = {key: value for key, value in headers.items() if key.startswith("x-goog-meta-") or key == "content-type"}
        path = f"/upload/storage/v1/b/{quote(request.bucket, safe='')}/o?{urlencode(query)}"
        answer = self._ask("POST", path, kept, body)
        if answer.status == 412:
            return _error(412, "PreconditionFailed")
        if answer.status == 404:
            return self._missing(request)
        return _Answer(answer.status, _version(answer)) if answer.status == 200 else _error(answer.status, "Refused")

    def _deleted(self, request: _Request) -> _Answer:
        if _CONDITION in request.headers:
            # the server would delete the object without a check of the condition
            return _error(501, "NotImplemented")
        answer = self._ask("DELETE", _place(request.bucket, request.name), {})
        return self._missing(request) if answer.status == 404 else _Answer(204)

    def _copied(self, request: _Request) -> _Answer:
        if _CONDITION in request.headers:
            # the server would copy the object without a check of the condition
            return _error(501, "NotImplemented")
        bucket, _, name = unquote(request.headers["x-goog-copy-source"]).removeprefix("/").partition("/")
        target = _place(request.bucket, request.name).removeprefix("/storage/v1")
        answer = self._ask("POST", f"{_place(bucket, name)}/copyTo{target}", {}, b"{}")
        if answer.status != 200:
            return self._missing(request)
        return _Answer(200, _version(answer), _document("CopyObjectResult", {"ETag": _version(answer)["ETag"]}))

    def _part(self, request: _Request, upload: str) -> _Answer:
        if not self.uploads.put(upload, int(request.query["partNumber"]), request.body):
            return _error(404, "NoSuchUpload")
        return _Answer(200, {"ETag": _digest(request.body)})

    def _completed(self, request: _Request, upload: str) -> _Answer:
        parts = self.uploads.parts(upload)
        if parts is None:
            return _error(404, "NoSuchUpload")
        body = bytearray()
        # clients differ in the name space of the elements
        for part in ET.fromstring(request.body).findall("{*}Part"):
            number, digest = (part.findtext(f"{{*}}{name}") for name in ("PartNumber", "ETag"))
            content = parts.get(int(number or 0))
            if content is None or digest != _digest(content):
                return _error(400, "InvalidPart")
            body += content
        answer = self._put(request, bytes(body), {})
        if answer.status != 200:
            return answer
        self.uploads.end(upload)
        texts = {"Bucket": request.bucket, "Key": request.name, "ETag": answer.headers["ETag"]}
        return _Answer(200, answer.headers, _document("CompleteMultipartUploadResult", texts))

    def _aborted(self, upload: str) -> _Answer:
        return _Answer(204) if self.uploads.end(upload) else _error(404, "NoSuchUpload")

    def _listed(self, request: _Request) -> _Answer:
        asked = {key: request.query[key] for key in ("prefix", "delimiter") if request.query.get(key)}
        if "start-after" in request.query:
            # the server includes the name itself
            asked["startOffset"] = request.query["start-after"] + "\0"
        if "continuation-token" in request.query:
            asked["pageToken"] = request.query["continuation-token"]
        asked["maxResults"] = str(min(int(request.query.get("max-keys", _MOST_LISTED)), _MOST_LISTED))
        answer = self._ask("GET", f"{_bucket_place(request.bucket)}/o?{urlencode(asked)}", {})
        if answer.status == 404:
            return self._missing(request)
        found = json.loads(answer.body)
        token = found.get("nextPageToken")
        result = ET.Element("ListBucketResult")
        texts = {"Name": request.bucket, "IsTruncated": "true" if token else "false"}
        _add(result, texts | ({"NextContinuationToken": token} if token else {}))
        for item in found.get("items", ()):
            described = {"Key": item["name"], "LastModified": item["updated"], "ETag": _quoted(item["etag"])}
            _add(ET.SubElement(result, "Contents"), {**described, "Size": item["size"]})
        for prefix in found.get("prefixes", ()):
            _add(ET.SubElement(result, "CommonPrefixes"), {"Prefix": prefix})
        return _Answer(200, {"Content-Type": "application/xml"}, ET.tostring(result))

    def _missing(self, request: _Request) -> _Answer:
        """Return the error of a missing object, or that of a missing bucket if the bucket is missing."""
        found = self._ask("GET", _bucket_place(request.bucket), {}).status == 200
        return _error(404, "NoSuchKey" if found else "NoSuchBucket")

    def _ask(self, method: str, path: str, headers: Mapping[str, str], body: bytes | None = None) -> _Answer:
        """Send a request to the server; names of headers of the answer are in lower case."""
        self.server_connection.request(method, path, body, dict(headers))
        response = self.server_connection.getresponse()
        named = {key.lower(): value for key, value in response.getheaders()}
        return _Answer(response.status, named, response.read())


def _bucket_place(bucket: str) -> str:
    return f"/storage/v1/b/{quote(bucket, safe='')}"


def _place(bucket: str, name: str) -> str:
    return f"{_bucket_place(bucket)}/o/{quote(name, safe='')}"


def _version(answer: _Answer) -> dict[str, str]:
    """Return the headers that identify the version of an object, from the server's description of the object."""
    described = json.loads(answer.body)
    return {"ETag": _quoted(described["etag"]), "x-goog-generation": str(described["generation"])}


def _quoted(tag: str) -> str:
    return '"' + tag.strip('"') + '"'


def _digest(body: bytes) -> str:
    return _quoted(hashlib.md5(body, usedforsecurity=False).hexdigest())


def _error(status: int, code: str) -> _Answer:
    return _Answer(status, {"Content-Type": "application/xml"}, _document("Error", {"Code": code, "Message": code}))


def _document(name: str, texts: Mapping[str, str]) -> bytes:
    element = ET.Element(name)
    _add(element, texts)
    return ET.tostring(element)


def _add(element: ET.Element, texts: Mapping[str, str]) -> None:
    for name, text in texts.items():
        ET.SubElement(element, name).text = text
