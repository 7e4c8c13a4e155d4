"""Memory of the machine or the container."""

from __future__ import annotations

import pytest

from hoodoo.local import memory_limit as module
from hoodoo.local.memory_limit import default_batch_memory, machine_memory


@pytest.mark.parametrize(("text", "expected"), [("1000\n", 1000), ("max\n", 1 << 30), ("99999999999999\n", 1 << 30)])
def test_the_limit_of_a_container_counts_if_it_is_smaller(tmp_path, monkeypatch, text, expected):
    monkeypatch.setattr(module, "_physical_memory", lambda: 1 << 30)
    limit = tmp_path / "memory.max"
    limit.write_text(text)

    assert machine_memory((str(limit), str(tmp_path / "missing"))) == expected


def test_a_machine_that_reports_no_memory_has_an_assumed_one(monkeypatch):
    monkeypatch.delattr(module.os, "sysconf_names")

    assert machine_memory(()) == module.UNKNOWN_BYTES


def test_the_default_is_a_quarter_of_the_memory():
    assert 0 < default_batch_memory() == machine_memory() // 4
