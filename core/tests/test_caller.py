"""Warnings appear at the line outside hoodoo that caused them."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from types import FunctionType
from typing import Any

import pyarrow as pa
import pytest

import hoodoo
from hoodoo.caller import warn_caller
from hoodoo.errors import TableError
from hoodoo.options import NoEffectWarning
from hoodoo.service import inline
from hoodoo.service.inline import ServiceFailed

ROWS = pa.table({"id": ["a"], "ts": [1]})
KEYS = {"table_name": "t", "record_key": "id"}
OPTIONS = KEYS | {"hoodie.upsert.shuffle.parallelism": "2"}


def inside(function: Any, module: str = "hoodoo.made") -> Any:
    """Return the function as if it were defined in a module of hoodoo."""
    return FunctionType(function.__code__, function.__globals__ | {"__name__": module}, closure=function.__closure__)


def warn() -> None:
    warn_caller("text", UserWarning)


def here() -> int:
    return inspect.currentframe().f_back.f_lineno


def line_of(call: Callable[[], object]) -> int:
    call()
    return here() - 1


@pytest.mark.parametrize("module", ["hoodoo", "hoodoo.merge.fold", "hoodoo_merger_event_time"])
def test_frames_of_hoodoo_and_its_plugins_are_left_out(module: str) -> None:
    raising = inside(warn, module)
    outer = inside(lambda: raising(), module)

    with pytest.warns(UserWarning, match="text") as found:
        line = line_of(outer)

    assert [(w.filename, w.lineno) for w in found] == [(__file__, line)]


def test_frames_of_a_with_block_are_left_out() -> None:
    @contextmanager
    def block():
        raising()
        yield

    def enter() -> None:
        with entered():
            pass

    raising = inside(warn)
    entered, enter = contextmanager(inside(block.__wrapped__)), inside(enter)

    with pytest.warns(UserWarning, match="text") as found:
        line = line_of(enter)

    assert [w.lineno for w in found] == [line]


def test_a_similar_name_is_not_hoodoo() -> None:
    raising = inside(warn, "hoodoos.module")

    with pytest.warns(UserWarning, match="text") as found:
        raising()

    assert [w.lineno for w in found] == [warn.__code__.co_firstlineno + 1]


def test_a_thread_has_no_caller() -> None:
    raising = inside(warn)
    with pytest.warns(UserWarning, match="text") as found, ThreadPoolExecutor(1) as pool:
        pool.submit(raising).result()

    assert [w.lineno for w in found] == [warn.__code__.co_firstlineno + 1]


def test_a_filter_by_module_names_that_of_the_caller() -> None:
    raising, module = inside(warn), __name__.replace(".", r"\.")
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", module=module)
        raising()
        warnings.filterwarnings("error", module=module)
        with pytest.raises(UserWarning, match="text"):
            raising()


def test_a_warning_is_shown_once_per_line_by_default() -> None:
    raising = inside(warn)
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("default")
        for _ in range(2):
            raising()

    assert len(found) == 1


def by_write(path: Path, options: dict[str, Any]) -> int:
    hoodoo.write(ROWS, path, options)
    return here() - 1


def by_writer(path: Path, options: dict[str, Any]) -> int:
    hoodoo.writer(ROWS).options(**options).save(path)
    return here() - 1


@pytest.mark.parametrize("write", [by_write, by_writer])
def test_a_key_without_effect_is_reported_at_the_line_of_the_write(tmp_path: Path, write: Callable[..., int]) -> None:
    with pytest.warns(NoEffectWarning, match=r"this option has no effect: hoodie\.upsert") as found:
        line = write(tmp_path / "t", OPTIONS)

    assert [(w.filename, w.lineno) for w in found] == [(__file__, line)]


@pytest.mark.parametrize("write", [by_write, by_writer])
def test_a_failed_service_is_reported_at_the_line_of_the_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, write: Callable[..., int]
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise TableError("made")

    monkeypatch.setattr(inline, "is_clean_due", fail)
    with pytest.warns(ServiceFailed, match=r"cleaning failed \(the next write runs it again\): made") as found:
        line = write(tmp_path / "t", KEYS)

    assert [(w.filename, w.lineno) for w in found] == [(__file__, line)]
