"""The page of options matches the declarations."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import attrs
import pytest

from hoodoo.cli.reference.option_page import options_page
from hoodoo.options.groups import ALL_GROUPS
from hoodoo.options.hudi import verdict_of
from hoodoo.options.parsing.declare import keys_of

PAGE = Path(__file__).parents[4] / "docs/options.md"


def test_the_checked_in_page_is_up_to_date() -> None:
    if not PAGE.parent.exists():
        pytest.skip("the documentation is part of the checkout only")
    assert PAGE.read_text() == options_page(), "run: python -m hoodoo.cli.reference.option_page docs/options.md"


def test_every_key_and_every_explanation_is_on_the_page() -> None:
    page = options_page()
    for group in ALL_GROUPS:
        for field in attrs.fields(group):
            assert field.metadata["help"] in page
            for key in keys_of(field):
                assert f"`{key}`" in page, key


def test_tables_have_as_many_cells_in_every_row_as_in_their_head() -> None:
    lines = options_page().splitlines()
    for above, line in pairwise(lines):
        if above.startswith("|") and line.startswith("|"):
            assert above.replace("\\|", "").count("|") == line.replace("\\|", "").count("|"), line


def test_no_key_is_declared_twice() -> None:
    keys = [key.lower() for group in ALL_GROUPS for field in attrs.fields(group) for key in keys_of(field)]
    # options of writes and of reads
    for key in ("metadata_table", "hoodie.metadata.enable"):
        keys.remove(key)
    assert sorted(keys) == sorted(set(keys))


def test_the_option_of_a_key_has_no_exact_rule() -> None:
    for group in ALL_GROUPS:
        for field in attrs.fields(group):
            for key in field.metadata["hudi"]:
                rule = verdict_of(key)
                assert rule is None or key.lower() not in rule.keys, key
