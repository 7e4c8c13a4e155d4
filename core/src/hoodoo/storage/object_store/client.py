"""Connections to object stores, one per process, bucket and set of options."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from obstore.store import AzureStore, GCSStore, MemoryStore, ObjectStore, S3Store

from hoodoo.errors import OptionError
from hoodoo.storage.object_store.role_credentials import role_credentials
from hoodoo.storage.object_store.write_pace import WritePace

__all__ = ["AZURE", "PACES", "connect"]

AZURE = ("az", "abfs", "abfss", "wasb", "wasbs")
"""Schemes of Azure Blob Storage and of Data Lake Storage, which has the same interface."""

PACES = {"gs": WritePace(interval=1.0)}
"""Least times between two writes of one object, by scheme. Google Cloud Storage answers faster writes with status 429;
S3, Azure, HDFS and local disks have no such limit."""

_REQUEST_SECONDS = 30
_RETRIES = 5
_RETRY_SECONDS = 60
_ENCRYPTION = {"aes256": "AES256", "sse-kms": "aws:kms", "dsse-kms": "aws:kms:dsse"}
_TENANT = re.compile(r"https://[^/]+/([^/]+)")


def connect(scheme: str, bucket: str, options: Mapping[str, Any]) -> ObjectStore:
    """Return the store of a bucket; settings that the options lack come from the environment.

    Args:
        scheme: `s3` and Hadoop's spellings of it, `gs`, `az` and Hadoop's spellings of it, or `memory` (objects of this
            process).
        bucket: The bucket's name; in Hadoop's locations of Azure `container@account.dfs.core.windows.net`.
        options: Options by short name, see `StorageOptions`.

    Raises:
        obstore.exceptions.BaseError: An option is not valid.
        OptionError: `s3_encryption_key` is set without encryption by a KMS, or `s3_role` without the package boto3.
    """
    return _connect(scheme, bucket, tuple(sorted(options.items())))


@functools.lru_cache(maxsize=64)
def _connect(scheme: str, bucket: str, options: tuple[tuple[str, Any], ...]) -> ObjectStore:
    if scheme == "memory":
        return _memory(bucket)
    limits: dict[str, Any] = {
        # the endpoint's scheme selects http or https
        "client_options": {"allow_http": True, "timeout": timedelta(seconds=_REQUEST_SECONDS)},
        "retry_config": {"max_retries": _RETRIES, "retry_timeout": timedelta(seconds=_RETRY_SECONDS)},
    }
    if scheme == "gs":
        return GCSStore(bucket, config=_gcs(dict(options)), **limits)
    if scheme in AZURE:
        container, _, host = bucket.partition("@")
        return AzureStore(container, config=_azure(host, dict(options)), **limits)
    s3 = dict(options)
    return S3Store(bucket, config=_s3(s3), credential_provider=role_credentials(s3), **limits)


@functools.cache
def _memory(bucket: str) -> MemoryStore:
    return MemoryStore()


def _gcs(options: Mapping[str, Any]) -> Any:
    return {"service_account_path": options["gcs_key_file"]} if "gcs_key_file" in options else {}


def _azure(host: str, options: Mapping[str, Any]) -> Any:
    """Return the configuration of the client for Azure.

    Args:
        host: The host of a location, such as `lake.dfs.core.windows.net`; "" in a location `az://`.
        options: Options by short name, see `StorageOptions`.
    """
    account, _, domain = host.partition(".")
    endpoint = options.get("azure_endpoint")
    if domain and endpoint is None:
        # the interface of Data Lake Storage has a host of its own, and the same account and containers
        endpoint = f"https://{account}.blob.{domain.partition('.')[2]}"
    tenant = _TENANT.search(options.get("azure_client_endpoint", ""))
    config = {
        "azure_storage_account_name": account or options.get("azure_account"),
        "azure_storage_account_key": options.get("azure_account_key"),
        "azure_storage_sas_token": options.get("azure_sas_token"),
        "azure_storage_client_id": options.get("azure_client_id"),
        "azure_storage_client_secret": options.get("azure_client_secret"),
        "azure_storage_tenant_id": tenant and tenant[1],
        "azure_storage_authority_host": tenant and tenant[0].partition(f"/{tenant[1]}")[0],
        "azure_storage_endpoint": endpoint,
    }
    return {key: value for key, value in config.items() if value is not None}


def _s3(options: Mapping[str, Any]) -> Any:
    if "s3_encryption_key" in options and options.get("s3_encryption") not in ("sse-kms", "dsse-kms"):
        # the store would use another key without an error
        raise OptionError(
            "option 's3_encryption_key' needs encryption by a KMS; set 's3_encryption' to sse-kms or dsse-kms"
        )
    endpoint = options.get("s3_endpoint")
    if endpoint is not None and "://" not in endpoint:
        endpoint = f"{'https' if options.get('s3_ssl', True) else 'http'}://{endpoint}"
    config = {
        "aws_endpoint": endpoint,
        "aws_region": options.get("s3_region"),
        "aws_access_key_id": options.get("s3_access_key"),
        "aws_secret_access_key": options.get("s3_secret_key"),
        "aws_session_token": options.get("s3_session_token"),
        "aws_server_side_encryption": _ENCRYPTION.get(options.get("s3_encryption", "")),
        "aws_sse_kms_key_id": options.get("s3_encryption_key"),
        "aws_request_payer": "true" if options.get("s3_requester_pays") else None,
    }
    if "s3_role" in options:
        # the credentials are those of the role
        config |= dict.fromkeys(("aws_access_key_id", "aws_secret_access_key", "aws_session_token"))
    if "s3_path_style" in options:
        config["aws_virtual_hosted_style_request"] = str(not options["s3_path_style"]).lower()
    return {key: value for key, value in config.items() if value is not None}
