"""Connections to object stores, one per process, bucket and set of options."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from obstore.store import AzureStore, GCSStore, MemoryStore, ObjectStore, S3Store

__all__ = ["connect"]

_REQUEST_SECONDS = 30
_RETRIES = 5
_RETRY_SECONDS = 60


def connect(scheme: str, bucket: str, options: Mapping[str, Any]) -> ObjectStore:
    """Return the store of a bucket; settings that the options lack come from the environment.

    Args:
        scheme: `s3` and Hadoop's spellings of it, `gs`, `az`, or `memory` (objects of this process).
        bucket: The bucket's name.
        options: Options by short name, see `StorageOptions`.

    Raises:
        obstore.exceptions.BaseError: An option is not valid.
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
        return GCSStore(bucket, **limits)
    if scheme == "az":
        return AzureStore(bucket, **limits)
    return S3Store(bucket, config=_s3(dict(options)), **limits)


@functools.cache
def _memory(bucket: str) -> MemoryStore:
    return MemoryStore()


def _s3(options: Mapping[str, Any]) -> Any:
    endpoint = options.get("s3_endpoint")
    if endpoint is not None and "://" not in endpoint:
        endpoint = f"{'https' if options.get('s3_ssl', True) else 'http'}://{endpoint}"
    config = {
        "aws_endpoint": endpoint,
        "aws_region": options.get("s3_region"),
        "aws_access_key_id": options.get("s3_access_key"),
        "aws_secret_access_key": options.get("s3_secret_key"),
        "aws_session_token": options.get("s3_session_token"),
    }
    if "s3_path_style" in options:
        config["aws_virtual_hosted_style_request"] = str(not options["s3_path_style"]).lower()
    return {key: value for key, value in config.items() if value is not None}
