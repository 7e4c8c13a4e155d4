"""Processor time of a benchmark: of its process, its JVM, and their workers."""

from __future__ import annotations


def processor_seconds() -> float:
    """Return the seconds of processor time of this process and its descendants so far, including ended ones."""
    import psutil  # only a run measures; tests that share the data of the benchmarks do without it

    this = psutil.Process()
    return sum(sum(process.cpu_times()[:4]) for process in [this, *this.children(recursive=True)])
