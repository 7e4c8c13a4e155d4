"""Values in the names of folders such as `column=value`."""

from __future__ import annotations

import pytest

from hoodoo.bootstrap.partition_folders import folder_values
from hoodoo.errors import SchemaError


@pytest.mark.parametrize(
    ("folder", "values"),
    [
        ("", {}),
        ("2024/01/02", {}),
        ("p=a", {"p": "a"}),
        ("y=2024/m=01", {"y": "2024", "m": "01"}),
        ("p=a%2Fb%3Dc", {"p": "a/b=c"}),
        ("p=a=b", {"p": "a=b"}),
        ("p=", {"p": ""}),
        ("p=__HIVE_DEFAULT_PARTITION__", {"p": None}),
    ],
)
def test_the_values_of_a_folder(folder, values):
    assert folder_values(folder) == values


@pytest.mark.parametrize("folder", ["a/p=1", "p=1/a", "p=1/p=2", "=1"])
def test_ambiguous_folders_are_refused(folder):
    with pytest.raises(SchemaError, match="rename the folders"):
        folder_values(folder)
