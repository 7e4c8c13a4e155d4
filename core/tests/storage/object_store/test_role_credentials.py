"""Credentials of an assumed role: from the answer of the service, none without a role, and a missing package."""

from __future__ import annotations

import sys

import pytest

from hoodoo.errors import OptionError
from hoodoo.storage.object_store.role_credentials import role_credentials


def test_without_a_role_the_client_finds_its_credentials_itself():
    assert role_credentials({"s3_access_key": "a"}) is None


def test_a_missing_package_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "boto3", None)
    with pytest.raises(OptionError, match=r"'s3_role' needs the package boto3.*pip install 'hoodoo-core\[s3-role\]'"):
        role_credentials({"s3_role": "arn:aws:iam::1:role/r"})


def test_credentials_are_those_of_the_answer(aws_endpoint):
    pytest.importorskip("boto3", reason="roles need boto3: pip install 'hoodoo-core[s3-role]'")
    options = {
        "s3_role": "arn:aws:iam::123456789012:role/r",
        "s3_role_endpoint": aws_endpoint,
        "s3_role_external_id": "partner",
        "s3_region": "us-east-1",
        "s3_access_key": "a",
        "s3_secret_key": "b",
    }
    credentials = role_credentials(options)
    assert credentials is not None
    found = credentials()
    assert found["access_key_id"] not in ("", "a")
    assert found["token"]
    assert found["expires_at"].utcoffset().total_seconds() == 0
