"""Options of the store that a table lies in: they are stored nowhere, and those that are secret are shown nowhere."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs
from attrs import frozen

from hoodoo.options.declare import keys_of, option
from hoodoo.options.parse import parse

__all__ = ["StorageOptions", "storage_options"]


@frozen
class StorageOptions:
    """How an S3-compatible store is reached."""

    s3_endpoint: str | None = option(
        "fs.s3a.endpoint",
        shown_default="`AWS_ENDPOINT_URL`, or that of AWS",
        help="Address of the store, with `http://` or `https://` or without.",
    )
    s3_region: str | None = option(
        "fs.s3a.endpoint.region", shown_default="`AWS_REGION`, or us-east-1", help="Region of the bucket."
    )
    s3_ssl: bool | None = option(
        "fs.s3a.connection.ssl.enabled",
        kind="flag",
        shown_default="`true`",
        help="Whether an address without `http://` or `https://` is one of https.",
    )
    s3_path_style: bool | None = option(
        "fs.s3a.path.style.access",
        kind="flag",
        shown_default="`true`",
        help="Whether the bucket is in the path of a request, or in the name of the host.",
    )
    s3_access_key: str | None = option(
        "fs.s3a.access.key",
        secret=True,
        shown_default="`AWS_ACCESS_KEY_ID`, or the role of the machine",
        help="Access key.",
    )
    s3_secret_key: str | None = option(
        "fs.s3a.secret.key", secret=True, shown_default="`AWS_SECRET_ACCESS_KEY`", help="Secret key."
    )
    s3_session_token: str | None = option(
        "fs.s3a.session.token", secret=True, shown_default="`AWS_SESSION_TOKEN`", help="Token of a session."
    )


def storage_options(given: Mapping[str, Any]) -> dict[str, Any]:
    """Those of a user's options that say how the store is reached, by short name; the others are passed over."""
    known = {key for field in attrs.fields(StorageOptions) for key in keys_of(field)}
    named = {key: value for key, value in given.items() if isinstance(key, str) and key.lower() in known}
    options = parse(named, [StorageOptions])[StorageOptions]
    return {name: value for name, value in attrs.asdict(options).items() if value is not None}
