"""Keys of Hadoop that end with the name of a storage account."""

from __future__ import annotations

import pytest

from hoodoo.errors import OptionError
from hoodoo.options import StorageOptions, parse
from hoodoo.options.parsing.account_keys import without_account

KEY = "fs.azure.account.key"


@pytest.mark.parametrize(
    ("key", "plain"),
    [
        (f"{KEY}.lake.dfs.core.windows.net", KEY),
        (f"{KEY}.lake.blob.core.chinacloudapi.cn", KEY),
        ("fs.azure.account.oauth2.client.id.lake1.dfs.core.windows.net", "fs.azure.account.oauth2.client.id"),
        (KEY, KEY),
        ("fs.s3a.access.key", "fs.s3a.access.key"),
        ("hoodie.table.name", "hoodie.table.name"),
    ],
)
def test_the_account_is_no_part_of_the_option(key, plain):
    assert without_account(key) == plain


def test_a_key_of_an_account_sets_the_option():
    given = parse({f"{KEY}.Lake.dfs.core.windows.net": "secret"}, [StorageOptions])[StorageOptions]

    assert given.azure_account_key == "secret"
    assert "secret" not in repr(given)


def test_different_keys_of_two_accounts_are_refused():
    with pytest.raises(OptionError, match=r"key\.a123"):
        parse({f"{KEY}.a123.dfs.core.windows.net": "1", f"{KEY}.b123.dfs.core.windows.net": "2"}, [StorageOptions])
