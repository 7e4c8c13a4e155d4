"""Errors of tasks reach the driver with their type."""

from __future__ import annotations

import io
import traceback

import pytest

from hoodoo.errors import CorruptTableError, DataError, HoodooError, PluginFault
from hoodoo.writing.error_transport import (
    message_first,
    message_first_here,
    packed,
    raised_after_message,
    transported_error,
)


def transported(error):
    def work():
        yield 1
        raise error

    done = packed(work)
    assert next(done) == 1
    with pytest.raises(RuntimeError) as raised:
        next(done)
    # Spark repeats the message among others
    return transported_error(RuntimeError(f"Job aborted: Traceback ...\n{raised.value}\n at java.lang.Thread"))


def test_type_code_and_message_survive():
    found = transported(DataError("key 'ä' is null", code="null_key"))
    assert type(found) is DataError
    assert (str(found), found.code) == ("key 'ä' is null", "null_key")


def test_the_file_and_offset_of_a_damage_survive():
    found = transported(CorruptTableError("torn", file="p/f.log", offset=7))
    assert type(found) is CorruptTableError
    assert (found.file, found.offset) == ("p/f.log", 7)


def test_a_private_class_arrives_as_its_public_base():
    class _Special(DataError):
        pass

    assert type(transported(_Special("x"))) is DataError


def test_the_message_is_readable_where_it_was_raised():
    def work():
        yield from ()
        raise DataError("key is null")

    with pytest.raises(RuntimeError, match=r"DataError on .*: key is null \[hoodoo-error:"):
        list(packed(work))


def fails():
    yield 1
    raise PluginFault("it fails", place='File "acme.py", line 3', keys="key 'a'") from ZeroDivisionError("cause")


def test_the_message_of_a_read_precedes_the_traceback(monkeypatch):
    monkeypatch.setenv("SPARK_HIDE_TRACEBACK", "")
    handle_worker_exception = pytest.importorskip("pyspark.util").handle_worker_exception
    rows = message_first(fails())
    assert next(rows) == 1
    with pytest.raises(PluginFault) as raised:
        next(rows)

    # as Spark's worker formats it
    written = io.BytesIO()
    try:
        raise raised.value
    except PluginFault as error:
        handle_worker_exception(error, written)
    lines = written.getvalue()[8:].decode().splitlines()
    assert lines[0] == "hoodoo.errors.PluginFault: it fails; File \"acme.py\", line 3; key 'a'"
    assert any("ZeroDivisionError: cause" in line for line in lines), "the note has the causes"
    assert any("in fails" in line for line in lines), "and the traceback"


def test_an_error_without_a_place_keeps_its_message_and_type(monkeypatch):
    monkeypatch.setenv("SPARK_HIDE_TRACEBACK", "")
    with pytest.raises(CorruptTableError, match="torn") as raised, message_first_here():
        raise CorruptTableError("torn", file="p/f.log", offset=7)

    assert (str(raised.value), raised.value.offset) == ("torn", 7)


def test_the_message_is_the_cause_of_an_error_of_a_callback():
    """The traceback that Py4J and others format begins with the message, because causes come first."""
    error = CorruptTableError("torn", file="p/f.log", offset=7)
    with pytest.raises(CorruptTableError) as raised:
        raised_after_message(error)
    assert raised.value is error
    assert "".join(traceback.format_exception(error)).startswith("hoodoo.errors.CorruptTableError: torn\n")

    with pytest.raises(PluginFault) as fault:
        raised_after_message(next(iter(caught(fails()))))
    text = "".join(traceback.format_exception(fault.value))
    assert text.startswith("hoodoo.errors.PluginFault: it fails; File \"acme.py\", line 3; key 'a'\n")
    assert "ZeroDivisionError: cause" in text


def caught(rows):
    try:
        list(rows)
    except HoodooError as error:
        yield error


def test_other_errors_pass_and_carry_nothing():
    def work():
        yield from ()
        raise ZeroDivisionError("0")

    with pytest.raises(ZeroDivisionError):
        list(packed(work))
    assert transported_error(RuntimeError("no such text")) is None
    assert issubclass(DataError, HoodooError)
