"""The structure of a filter is that of the expression from which it was made."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from hoodoo.reading.indexed.filter_tree import Column, FunctionCall, Literal, filter_tree

A, B = pc.field("a"), pc.field("b")
SCHEMA = pa.schema([("a", pa.int64()), ("b", pa.string()), ("s", pa.struct([("t", pa.int64())]))])


def text(node):
    """Return a node of a filter in words."""
    if node is None:
        return "?"
    if isinstance(node, Column):
        return node.name
    if isinstance(node, Literal):
        return repr(node.value.as_py())
    return f"{node.function}({', '.join(map(text, node.arguments))})"


def test_comparisons_and_logic():
    found = filter_tree(((A > 5) & (B == "it's\nx")) | ~(pa.scalar(None, pa.int64()) >= A), SCHEMA)
    assert text(found) == (
        """or_kleene(and_kleene(greater(a, 5), equal(b, "it's\\nx")), invert(less_equal(a, None)))"""
    )


def test_functions_have_their_options():
    found = filter_tree(A.isin([1, None]) & pc.starts_with(B, "x'y") & B.is_null() & A.is_valid(), SCHEMA)
    calls, node = [], found
    while node.function == "and_kleene":
        node, last = node.arguments
        calls.insert(0, last)
    assert text(found) == "and_kleene(and_kleene(and_kleene(is_in(a), starts_with(b)), is_null(b)), is_valid(a))"
    assert node.options["value_set"].values.to_pylist() == [1, None]
    assert node.options["null_matching_behavior"].as_py() == 0
    assert calls[0].options["pattern"].as_py() == "x'y"


def test_parts_of_an_unknown_form_are_none():
    assert text(filter_tree(pc.field(("s", "t")) == 3, SCHEMA)) == "equal(?, 3)"
    assert text(filter_tree((A.cast(pa.int32()) == 3) & (A + 1 == B), SCHEMA)) == (
        "and_kleene(equal(cast(a), 3), equal(add_checked(a, 1), b))"
    )
    assert text(filter_tree(pc.scalar(True), SCHEMA)) == "True"
    assert text(filter_tree(A == 1, SCHEMA)) == text(FunctionCall("equal", (Column("a"), Literal(pa.scalar(1)))))


def test_a_column_name_that_breaks_the_lines_of_the_form_gives_no_structure():
    name = "x'\nliteral: '0"
    assert filter_tree(pc.field(name) == 1, pa.schema([(name, pa.int64())])) is None


def test_a_column_name_with_quotes():
    assert text(filter_tree(pc.field("it's: 'a'") == 1, SCHEMA)) == "equal(it's: 'a', 1)"


def test_a_form_of_another_pyarrow_gives_no_structure():
    class Other:
        def __init__(self, *parts):
            self.parts = parts

        def __reduce__(self):
            return None, self.parts

    assert filter_tree(Other(), SCHEMA) is None
    assert filter_tree(Other(pa.py_buffer(b"other")), SCHEMA) is None
