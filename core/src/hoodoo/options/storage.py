"""Options for access to an object store. They are not stored with the table, and secrets are not shown."""

from __future__ import annotations

from attrs import frozen

from hoodoo.options.parsing.declare import option

__all__ = ["StorageOptions"]


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
