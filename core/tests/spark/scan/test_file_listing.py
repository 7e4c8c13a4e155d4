"""Selection of files in folders with other files, by a pattern for their names."""

from __future__ import annotations

from fnmatch import fnmatch
from itertools import product

import pytest

from hoodoo.errors import CorruptTableError
from hoodoo.spark.scan.file_listing import Folders
from hoodoo.storage import LocalStorage


def name(group, commit, token="0-0-0"):
    return f"{group}_{token}_2024010100000{commit}000.parquet"


def expanded(pattern):
    """Return the patterns without braces that a pattern with braces expands to; nothing in them is escaped."""
    depth, start, parts, text = 0, 0, [], []
    for place, character in enumerate(pattern):
        if character == "{":
            if depth == 0:
                text.append([pattern[start:place]])
                start = place + 1
            depth += 1
        elif character == "}":
            depth -= 1
            if depth == 0:
                parts.append(pattern[start:place])
                text.append([inner for part in parts for inner in expanded(part)])
                start, parts = place + 1, []
        elif character == "," and depth == 1:
            parts.append(pattern[start:place])
            start = place + 1
    return ["".join(choice) for choice in product(*text, [pattern[start:]])]


@pytest.fixture
def storage(tmp_path):
    def make(*paths):
        for path in paths:
            (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / path).touch()
        return LocalStorage(str(tmp_path))

    return make


@pytest.mark.parametrize(
    ("meant", "others"),
    [
        ({f"a/{name('g', 1)}"}, set()),
        ({f"a/{name('g', 1)}", f"b/{name('h', 2)}"}, {f"a/{name('g', 0)}", f"b/{name('h', 1)}"}),
        ({name("g", 1), name("h", 1), name("i", 2)}, {name("i", 1), name("g", 1, "1-1-1"), name("gg", 1)}),
    ],
)
def test_a_pattern_matches_the_files_that_are_meant(meant, others, storage):
    folders = Folders.of(meant)
    beside = folders.others(storage(*meant, *others))
    patterns = expanded(folders.pattern(beside))

    def matches(path):
        return any(fnmatch(path.rpartition("/")[2], pattern) for pattern in patterns)

    assert beside <= others
    assert {path for path in meant | others if matches(path)} == meant


def test_a_pattern_is_short_where_whole_commits_are_meant():
    folders = Folders.of(name(f"g{number}", number % 2) for number in range(1000))
    assert folders.pattern(()) == "{*_20240101000000000.parquet,*_20240101000001000.parquet}"


def test_no_pattern_distinguishes_files_with_one_name():
    folders = Folders.of([f"a/{name('g', 1)}", f"b/{name('g', 2)}"])
    assert folders.pattern({f"b/{name('g', 1)}"}) is None


def test_characters_of_patterns_are_escaped():
    odd = "g{1},[2]*?^\\_0-0-0_20240101000001000.parquet"
    folders = Folders.of([odd])
    pattern = folders.pattern({name("other", 1)})
    assert pattern == "{{g\\{1\\}\\,\\[2\\]\\*\\?\\^\\\\_0-0-0}_20240101000001000.parquet}"


def test_a_file_that_is_gone_is_named(storage):
    present, gone = f"a/{name('g', 1)}", f"a/{name('h', 1)}"
    with pytest.raises(CorruptTableError, match="read again") as found:
        Folders.of([present, gone]).others(storage(present))
    assert found.value.file == gone


def test_only_files_count_that_the_pattern_could_match(storage):
    meant = name("g", 1)
    others = [name("g", 0), ".hidden" + name("g", 1), "_also" + name("g", 1), "x.parquet", "a/" + name("h", 1)]
    assert Folders.of([meant]).others(storage(meant, *others, name("h", 1))) == {name("h", 1)}
