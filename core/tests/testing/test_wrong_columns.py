"""Key generators and delete rules that are wrong in one way each, and the test of the kit that fails."""

from __future__ import annotations

import pytest

from hoodoo.testing import DeleteRuleSuite, KeyGeneratorSuite

from .wrong import Install, made, message

pytestmark = pytest.mark.slow

GOOD_PATHS = "return pa.repeat('', rows.num_rows)"


def keygen(body: str) -> str:
    return f"""
@frozen
class Rule:
    def record_keys(self, rows, config):
        keys = rows['id'].combine_chunks().cast(pa.string())
        {body}

    def partition_paths(self, rows, config):
        {GOOD_PATHS}
"""


def delete_rule(body: str) -> str:
    return f"""
@frozen
class Rule:
    def is_delete(self, rows, context):
        none = np.zeros(rows.num_rows, dtype=bool)
        if '_hoodie_operation' not in rows.column_names:
            return none
        operation = rows['_hoodie_operation']
        {body}
"""


@pytest.mark.parametrize(
    ("body", "test", "expected"),
    [
        ("return keys.slice(1)", "test_answers_fit_the_rows", ", strings and never null"),
        ("return keys.cast(pa.binary())", "test_answers_fit_the_rows", "of type binary"),
        (
            "return pc.binary_join_element_wise(keys, str(len(keys)), '-')",
            "test_rows_do_not_see_each_other",
            "each row alone",
        ),
        (
            "return pc.binary_join_element_wise(keys, pa.array(range(len(keys))).cast('string'), '-')",
            "test_rows_do_not_see_each_other",
            "gives another answer",
        ),
        (
            "return pa.array([f'{k}{random.random()}' for k in keys])",
            "test_same_input_gives_same_answer",
            "second time",
        ),
        ("return pa.array([key.as_py() for key in keys])", "test_runs_vectorised", "lines of Python"),
    ],
)
def test_a_wrong_key_generator(install: Install, body: str, test: str, expected: str) -> None:
    suite = made(KeyGeneratorSuite, install(keygen(body), "keygen"))

    assert expected in message(getattr(suite, test))


def qualified(text: str) -> str:
    body = keygen("return keys").replace(
        "pa.repeat('', rows.num_rows)", "pc.fill_null(rows['part'].cast('string'), '')"
    )
    body = body.replace("return keys", "return pc.utf8_slice_codeunits(keys, 0, 1)")
    for method in ("key_qualifiers", "path_qualifiers"):
        body += f"""
    def {method}(self, rows, config):
        {text}
"""
    return body.replace("class Rule:", "class Rule:\n    path_per_value = True")


@pytest.mark.parametrize(
    ("text", "test", "expected"),
    [
        ("return None", "test_qualifiers_tell_keys_apart", "has one key and one qualifier for different values"),
        ("return pa.nulls(len(rows), pa.string())", "test_qualifiers_tell_keys_apart", "written as"),
        ("return rows['id'].slice(1)", "test_answers_fit_the_rows", " key qualifiers, strings or null, or None"),
        ("return pa.array([str(len(rows))] * len(rows))", "test_rows_do_not_see_each_other", "each row alone"),
    ],
)
def test_wrong_qualifiers(install: Install, text: str, test: str, expected: str) -> None:
    suite = made(KeyGeneratorSuite, install(qualified(text), "keygen"))

    assert expected in message(getattr(suite, test))


def test_right_qualifiers(install: Install) -> None:
    suite = made(KeyGeneratorSuite, install(qualified("return rows['id'].cast('string').combine_chunks()"), "keygen"))

    for name in ("test_qualifiers_tell_keys_apart", "test_qualifiers_tell_paths_apart", "test_answers_fit_the_rows"):
        getattr(suite, name)()


def test_paths_without_qualifiers_that_are_needed(install: Install) -> None:
    paths = "        return pc.replace_substring(pc.fill_null(rows['part'].cast('string'), ''), '/', '-')"
    source = keygen("return keys").replace("        return pa.repeat('', rows.num_rows)", paths)
    source += "\n    def path_qualifiers(self, rows, config):\n        return None\n"
    suite = made(
        KeyGeneratorSuite, install(source.replace("class Rule:", "class Rule:\n    path_per_value = True"), "keygen")
    )

    assert "has one path and one qualifier" in message(suite.test_qualifiers_tell_paths_apart)


def test_a_right_key_generator(install: Install) -> None:
    suite = made(KeyGeneratorSuite, install(keygen("return keys"), "keygen"))

    for name in dir(suite):
        if name.startswith("test_") and name != "test_vectors" and "qualifiers" not in name:
            getattr(suite, name)()


@pytest.mark.parametrize(
    ("body", "test", "expected"),
    [
        ("return none[1:]", "test_answers_fit_the_rows", "must return one boolean for "),
        ("return [False] * rows.num_rows", "test_answers_fit_the_rows", "got list"),
        ("return ~none if rows.num_rows > 1 else none", "test_rows_do_not_see_each_other", "each row alone"),
        ("return np.array([v == 'D' for v in operation.to_pylist()])", "test_runs_vectorised", "lines of Python"),
        ("operation.to_pylist()\n        return none", "test_makes_no_python_objects", "UnicodeDecodeError"),
    ],
)
def test_a_wrong_delete_rule(install: Install, body: str, test: str, expected: str) -> None:
    suite = made(DeleteRuleSuite, install(delete_rule(body), "delete"))

    assert expected in message(getattr(suite, test))


def test_a_delete_rule_that_needs_its_column(install: Install) -> None:
    source = (
        "@frozen\nclass Rule:\n    def is_delete(self, rows, context):\n        return ~np.zeros(rows.num_rows, bool)\n"
    )

    with pytest.raises(AssertionError, match="without the columns that the rule reads must not be a delete"):
        made(DeleteRuleSuite, install(source, "delete")).test_row_without_the_columns_is_no_delete()


def test_a_delete_rule_that_needs_more_than_it_says(install: Install) -> None:
    source = delete_rule("return np.asarray(pc.fill_null(pc.equal(operation, 'D'), False))")
    source += "\n    def needs(self, schema, context):\n        return ()\n"

    found = message(made(DeleteRuleSuite, install(source, "delete")).test_needs_are_enough)
    assert "it uses column '_hoodie_operation' of the table, which was not read because the method `needs`" in found
    assert "in is_delete" in found
