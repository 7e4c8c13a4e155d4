"""Options for access to an object store. They are not stored with the table, and secrets are not shown."""

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
    """Address and credentials of an S3-compatible store."""

    s3_endpoint: str | None = option(
        "fs.s3a.endpoint",
        shown_default="`AWS_ENDPOINT_URL`, or the endpoint of AWS",
        help="Address of the store, with or without `http://` or `https://`.",
    )
    s3_region: str | None = option(
        "fs.s3a.endpoint.region", shown_default="`AWS_REGION`, or us-east-1", help="Region of the bucket."
    )
    s3_ssl: bool | None = option(
        "fs.s3a.connection.ssl.enabled",
        kind="flag",
        shown_default="`true`",
        help="Use https for an address without `http://` or `https://`.",
    )
    s3_path_style: bool | None = option(
        "fs.s3a.path.style.access",
        kind="flag",
        shown_default="`true`",
        help="Put the bucket into the path of a request; `false` puts it into the host name.",
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
        "fs.s3a.session.token", secret=True, shown_default="`AWS_SESSION_TOKEN`", help="Session token."
    )


def storage_options(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the storage options among a user's options, by short name; other options are ignored."""
    known = {key for field in attrs.fields(StorageOptions) for key in keys_of(field)}
    present = {key: value for key, value in given.items() if isinstance(key, str) and key.lower() in known}
    options = parse(present, [StorageOptions])[StorageOptions]
    return {name: value for name, value in attrs.asdict(options).items() if value is not None}
