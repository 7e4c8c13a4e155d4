"""Algebraic laws that a merge rule may claim; the test kit checks them, and the planner relies on them."""

from __future__ import annotations

from enum import Enum

__all__ = ["Law"]


class Law(Enum):
    """Law of a merge rule. For a rule that compares ordering values, a law applies to records that have one."""

    ASSOCIATIVE = "m(m(a, b), c) = m(a, m(b, c))"
    ORDER_INDEPENDENT = "with distinct ordering values, every arrival order gives the same result"
    IDEMPOTENT = "m(a, a) = a"
    REPLAY_SAFE = "m(m(a, b), b) = m(a, b)"
    DELETE_STICKY = "where the highest-ordered version is a delete, the result is a delete"
    ORDERING_IS_MAX = "the ordering of the result is the larger of both"
    SCHEMA_LOCAL = "the result has no column and no type that the inputs do not have"
    DEDUPE_IS_COMBINE = "folding a batch and then storing it gives what storing one by one gives"
