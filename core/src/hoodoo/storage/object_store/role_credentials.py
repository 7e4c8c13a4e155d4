"""Credentials of an assumed role for S3, from AWS's token service (STS)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC
from typing import TYPE_CHECKING, Any

from hoodoo.errors import OptionError

if TYPE_CHECKING:
    from obstore.store import S3Credential

__all__ = ["role_credentials"]

_SESSION = "hoodoo"


def role_credentials(options: Mapping[str, Any]) -> Callable[[], S3Credential] | None:
    """Return a function that requests credentials for the role in the options; None if they have no role.

    The client of the store calls the function again before the credentials expire.

    Args:
        options: Options by short name, see `StorageOptions`.

    Raises:
        OptionError: The package boto3 is not installed.
    """
    if "s3_role" not in options:
        return None
    try:
        import boto3
    except ImportError as error:
        raise OptionError(
            "option 's3_role' needs the package boto3; install it on the driver and the executors: "
            "pip install 'hoodoo-core[s3-role]'",
            code="missing_package",
        ) from error
    request = {"RoleArn": options["s3_role"], "RoleSessionName": options.get("s3_role_session", _SESSION)}
    if "s3_role_external_id" in options:
        request["ExternalId"] = options["s3_role_external_id"]
    session = boto3.Session(
        aws_access_key_id=options.get("s3_access_key"),
        aws_secret_access_key=options.get("s3_secret_key"),
        aws_session_token=options.get("s3_session_token"),
        region_name=options.get("s3_region"),
    )

    def credentials() -> S3Credential:
        client = session.client("sts", endpoint_url=options.get("s3_role_endpoint"))
        found = client.assume_role(**request)["Credentials"]
        return {
            "access_key_id": found["AccessKeyId"],
            "secret_access_key": found["SecretAccessKey"],
            "token": found["SessionToken"],
            "expires_at": found["Expiration"].astimezone(UTC),
        }

    return credentials
