"""Key generators and delete rules that break their contract; tests of merge rules are in `test_plugins.py`."""

from __future__ import annotations

import pytest

from hoodoo.errors import DataError, PluginFault

pytestmark = pytest.mark.slow

KEYGEN = """
@frozen
class Plugin:
    def record_keys(self, rows, config):
        keys = rows.column('id').combine_chunks()
        {keys}
    def partition_paths(self, rows, config):
        paths = rows.column('part').combine_chunks()
        {paths}
"""
GENERATORS = {
    "raises": ("return keys if not len(keys) else 1 // 0", "return paths", "raised ZeroDivisionError"),
    "too few keys": ("return keys[1:]", "return paths", "must return 3 record keys"),
    "null key": ("return pa.nulls(len(keys), pa.string())", "return paths", "(3 null)"),
    "keys of another type": ("return pa.nulls(len(keys), pa.int64())", "return paths", "values of type int64"),
    "too many paths": ("return keys", "return pa.concat_arrays([paths, paths])", "must return 3 partition paths"),
    "null path": ("return keys", "return pa.nulls(len(paths), pa.string())", "(3 null)"),
    "paths in a list": ("return keys", "return paths.to_pylist()", "got list"),
}


@pytest.mark.parametrize("fault", GENERATORS)
def test_a_key_generator_breaks_its_contract(place, site, fault):
    keys, paths, word = GENERATORS[fault]
    site.install("keygen", "faulty", KEYGEN.format(keys=keys, paths=paths))

    with pytest.raises(PluginFault) as caught:
        place.write(keygen="faulty")

    for part in ("key generator 'faulty'", "acme-faulty 1.5", word):
        assert part in str(caught.value)
    assert place.rows() is None
    place.check_tidy()
    place.write()


def test_a_fault_that_no_rows_are_needed_for_is_found_early(place, refuses, site):
    site.install("keygen", "faulty", KEYGEN.format(keys="raise ZeroDivisionError('oops')", paths="return paths"))

    refuses.early(PluginFault, "plugin_fault", "acme-faulty", "oops", write=lambda: place.write(keygen="faulty"))


QUALIFIERS = {
    "too few": ("rows.column('id').slice(1)", "must return 0 {what}"),
    "another type": ("pa.nulls(rows.num_rows, pa.int64())", "0 values of type int64"),
    "a list": ("[None] * rows.num_rows", "got list"),
    "raises": ("1 // 0", "raised ZeroDivisionError"),
}


@pytest.mark.parametrize("fault", QUALIFIERS)
@pytest.mark.parametrize("method", ["key_qualifiers", "path_qualifiers"])
def test_qualifiers_that_break_their_contract(place, refuses, site, method, fault):
    answer, word = QUALIFIERS[fault]
    body = KEYGEN.format(keys="return keys", paths="return paths")
    site.install("keygen", "faulty", f"{body}    def {method}(self, rows, config):\n        return {answer}\n")
    write = lambda: place.write(keygen="faulty")  # noqa: E731

    if fault == "too few":
        refuses.late(
            PluginFault, "plugin_fault", "acme-faulty", f"must return 2 {method.replace('_', ' ')}", write=write
        )
    else:
        refuses.early(PluginFault, "plugin_fault", "acme-faulty", word, write=write)


@pytest.mark.parametrize("path", ["..", "/etc", "a/../../b", ".hoodie"])
def test_a_key_generator_that_leaves_the_table(place, refuses, site, path):
    """The core refuses a path outside the table from any key generator."""
    site.install(
        "keygen",
        "faulty",
        KEYGEN.format(keys="return keys", paths=f"return pa.array([{path!r}] * len(paths), pa.string())"),
    )

    refuses.late(
        DataError,
        "path_traversal",
        repr(path),
        "not all folders inside the table",
        write=lambda: place.write(keygen="faulty"),
    )
    assert [file.name for file in place.path.parent.iterdir() if file.name != "site"] == ["table"]


DELETE = """
@frozen
class Plugin:
    def is_delete(self, rows, context):
        {body}
"""
DELETES = {
    "raises": ("raise ZeroDivisionError('oops')", "raised ZeroDivisionError: oops"),
    "too few": ("return np.zeros(len(rows) + 1, dtype=bool)", "must return one boolean for "),
    "integers": ("return np.zeros(len(rows), dtype=int)", "int64"),
    "a list": ("return [False] * len(rows)", "got list"),
    "an arrow array": ("return pa.array([False] * len(rows))", "of type bool"),
    "nothing": ("return None", "got NoneType"),
}


@pytest.mark.parametrize("fault", DELETES)
def test_a_delete_rule_breaks_its_contract(place, refuses, site, fault):
    body, word = DELETES[fault]
    site.install("delete", "faulty", DELETE.format(body=body))

    refuses.late(
        PluginFault,
        "plugin_fault",
        "delete rule 'faulty'",
        "acme-faulty 1.5",
        word,
        "keys such as '",
        write=lambda: place.write(delete_rule="faulty"),
    )
