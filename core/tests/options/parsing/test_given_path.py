"""The path of a table among the options of a job."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hoodoo.errors import OptionError
from hoodoo.options import split_path


@pytest.mark.parametrize("key", ["path", "basePath", "PATH"])
def test_an_option_names_the_path(key: str) -> None:
    assert split_path(None, {key: "s3://b/t", "ordering": "ts"}) == ("s3://b/t", {"ordering": "ts"})


@pytest.mark.parametrize(
    ("path", "named"), [("s3://b/t", "s3a://b/t/"), ("/t", "file:///t"), (Path("/t"), "/t/"), ("/t", None)]
)
def test_paths_that_agree(path: Any, named: Any) -> None:
    assert split_path(path, {"path": named}) == (str(path), {})


@pytest.mark.parametrize(
    ("path", "options"),
    [("/t", {"path": "/u"}), (None, {"path": "/t", "basePath": "/u"}), ("s3://a/t", {"path": "/t"})],
)
def test_paths_that_differ_are_refused(path: str | None, options: dict[str, str]) -> None:
    with pytest.raises(OptionError, match="give one path") as raised:
        split_path(path, options)
    assert raised.value.code == "contradiction"


@pytest.mark.parametrize(("path", "name"), [(5, "int"), (b"/t", "bytes"), (["/t"], "list")])
def test_a_path_is_a_text(path: Any, name: str) -> None:
    with pytest.raises(OptionError, match=f"the argument 'path' has the type {name}; give the path of a table"):
        split_path(path, {})
    with pytest.raises(OptionError, match=f"option 'basepath' has the type {name}"):
        split_path(None, {"basepath": path})


def test_a_path_is_needed() -> None:
    with pytest.raises(OptionError, match="path of the table is missing"):
        split_path(None, {"ordering": "ts"})
