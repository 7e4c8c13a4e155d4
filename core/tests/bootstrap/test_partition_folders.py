"""Values of folders `column=value`."""

from __future__ import annotations

import datetime as dt

import pyarrow as pa
import pytest

from hoodoo.bootstrap.partition_folders import folder_values, typed_values
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


@pytest.mark.parametrize(
    ("texts", "kind", "values"),
    [
        (["1", "02", "-3", "+4"], pa.int32(), [1, 2, -3, 4]),
        (["1", "2147483648", None], pa.int64(), [1, 2147483648, None]),
        (["1", "2.5", "1e3"], pa.float64(), [1.0, 2.5, 1000.0]),
        (["9223372036854775808"], pa.string(), ["9223372036854775808"]),
        (["2024-01-02", "2024-02-29"], pa.date32(), [dt.date(2024, 1, 2), dt.date(2024, 2, 29)]),
        (["2024-01-02", "2024-02-30"], pa.string(), ["2024-01-02", "2024-02-30"]),
        (["2024-01-02", "3"], pa.string(), ["2024-01-02", "3"]),
        (["01", "a"], pa.string(), ["01", "a"]),
        (["", "1"], pa.string(), ["", "1"]),
        ([None, None], pa.string(), [None, None]),
        (["\u0661"], pa.string(), ["\u0661"]),
        (["1_000"], pa.string(), ["1_000"]),
    ],
)
def test_the_type_of_a_column_fits_all_of_its_values(texts, kind, values):
    found = typed_values(texts)
    assert (found.type, found.to_pylist()) == (kind, values)
