"""Errors of tasks reach the driver with their type."""

from __future__ import annotations

import traceback

import pytest

from hoodoo.errors import CorruptTableError, DataError, HoodooError, PluginFault
from hoodoo.writing.error_transport import message_first, packed, transported_error


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


def test_the_message_of_a_read_precedes_the_traceback():
    def work():
        yield 1
        raise PluginFault("it fails", place='File "acme.py", line 3', keys="key 'a'") from ZeroDivisionError("cause")

    rows = message_first(work())
    assert next(rows) == 1
    with pytest.raises(PluginFault) as raised:
        next(rows)
    lines = "".join(traceback.format_exception(raised.value)).splitlines()
    frames = [line for line in lines[: lines.index("hoodoo.errors.PluginFault: it fails")] if "File" in line]
    assert len(frames) == 2, "that of this test, and one of the transport"
    assert lines[lines.index("hoodoo.errors.PluginFault: it fails") + 1] == "  File \"acme.py\", line 3; key 'a'"
    assert any("ZeroDivisionError: cause" in line for line in lines), "the note has the causes"


def test_other_errors_pass_and_carry_nothing():
    def work():
        yield from ()
        raise ZeroDivisionError("0")

    with pytest.raises(ZeroDivisionError):
        list(packed(work))
    assert transported_error(RuntimeError("no such text")) is None
    assert issubclass(DataError, HoodooError)
