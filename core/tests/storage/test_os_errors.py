"""Errors of the operating system: their translation, and the objects that they keep."""

from __future__ import annotations

import errno
import gc
import weakref

import pytest

from hoodoo.errors import StorageError
from hoodoo.storage import AlreadyExists, LocalStorage, Missing
from hoodoo.storage.os_errors import translate_os_errors


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (FileNotFoundError(errno.ENOENT, "No such file"), Missing),
        (FileExistsError(errno.EEXIST, "File exists"), AlreadyExists),
        (OSError(errno.ENOSPC, "No space left on device"), StorageError),
    ],
)
def test_an_error_has_operation_path_and_reason(error, kind):
    text = rf"^read 'a/b': {error.strerror} \(/data/a/b\)$"
    with pytest.raises(kind, match=text) as translated, translate_os_errors("read", "a/b", "/data/a/b"):
        raise error
    assert type(translated.value) is kind
    assert translated.value.errno == error.errno
    assert translated.value.__cause__ is error


def test_objects_of_a_failed_call_are_freed_without_garbage_collection(tmp_path):
    class Large:
        pass

    def attempt():
        large = Large()
        try:
            LocalStorage(str(tmp_path)).read("none")
        except Missing:
            return weakref.ref(large)

    gc.disable()
    try:
        assert attempt()() is None
    finally:
        gc.enable()
