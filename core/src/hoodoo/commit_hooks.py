"""Commit hooks of a write, which are loaded before the write begins, and called before and after its commit."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

from attrs import evolve, frozen

from hoodoo.caller import warn_caller
from hoodoo.errors import CommitRefused, OptionError, PluginFault
from hoodoo.options import HookOptions
from hoodoo.plugin import Catalogue, CommitSummary, PluginHook
from hoodoo.plugin.faults import place_of
from hoodoo.plugin.installed.names import normalised
from hoodoo.storage import OverlayStorage, Storage
from hoodoo.table import Table
from hoodoo.timeline import CommitMetadata, State, next_instant_time, utc_now
from hoodoo.txn import Transaction
from hoodoo.writing.commit import Commit, commit_from

__all__ = ["CommitHooks", "HookFailed"]


class HookFailed(UserWarning):
    """Warning that a post-commit hook failed. The commit remains valid."""


@frozen
class CommitHooks:
    """Hooks of one write, in the order of their calls.

    Attributes:
        before: The pre-commit hooks, each with its options.
        after: The post-commit hooks.
    """

    before: tuple[tuple[PluginHook, Any], ...]
    after: tuple[PluginHook, ...]

    @classmethod
    def from_options(cls, options: HookOptions, catalogue: Catalogue) -> CommitHooks:
        """Return the hooks that the options name, imported and with checked options.

        Raises:
            PluginError: A hook is not installed, is not allowed, cannot be loaded, has a name that several plugins
                have, or raises an error in the constructor of its options.
            OptionError: A plugin is not a commit hook, options are given for a hook that the write does not use, the
                options of a hook are not a dictionary, or one of them is unknown, invalid or missing.
        """
        before = [catalogue.hook("pre_commit", name) for name in options.pre_commit]
        after = [catalogue.hook("post_commit", name) for name in options.post_commit]
        given = _by_hook(options.pre_commit_options or {}, before)
        return cls(tuple((hook, hook.make(given.get(hook, {}))) for hook in before), tuple(after))

    def run_before(self, transaction: Transaction, metadata: CommitMetadata) -> None:
        """Call the pre-commit hooks with a summary of the commit.

        Raises:
            CommitRefused: A hook refuses the commit.
            PluginFault: A hook raised another exception.
        """
        summary = _summary(transaction, metadata)
        for hook, options in self.before:
            try:
                hook.call(table=Table.of(transaction.storage), summary=evolve(summary, options=options))
            except CommitRefused as error:
                refused = f"{hook.info.label} refuses {metadata.operation_type.lower()} {transaction.time}: {error}"
                raise CommitRefused(refused, code=error.code) from error
            except Exception as error:
                raise PluginFault(
                    f"{hook.info.label} raised {type(error).__name__}: {error}; "
                    f"{metadata.operation_type.lower()} {transaction.time} was not committed; correct the hook, or "
                    "remove it from 'pre_commit'",
                    place=place_of(error, [hook.info.package]),
                ) from error

    def run_after(self, storage: Storage, commit: Commit) -> None:
        """Call the post-commit hooks with a commit. Warn if a hook fails."""
        for hook in self.after:
            try:
                hook.call(table=Table.of(storage), commit=commit)
            except Exception as error:  # noqa: BLE001 - the commit cannot be undone; the warning has the error
                text = (
                    f"the rows are committed, and {hook.info.label} raised {type(error).__name__}: {error}; "
                    "correct the hook, or remove it from 'post_commit'"
                )
                if place := place_of(error, [hook.info.package]):
                    text = f"{text}\n  {place}"
                warn_caller(text, HookFailed)


def _by_hook(given: Mapping[str, Any], hooks: list[PluginHook]) -> dict[PluginHook, Mapping[str, Any]]:
    """Return the options of each hook that has options. Hook names are normalised before they are compared.

    Raises:
        OptionError: Options name a hook that the write does not use, or are not a dictionary.
    """
    found: dict[PluginHook, Mapping[str, Any]] = {}
    for name, values in given.items():
        hook = next((hook for hook in hooks if normalised(hook.info.name) == normalised(name)), None)
        if hook is None:
            named = ", ".join(f"'{hook.info.name}'" for hook in hooks) or "none"
            raise OptionError(
                f"'pre_commit_options' has options of '{name}', but 'pre_commit' names {named}; add the hook to "
                "'pre_commit' or remove its options"
            )
        if not isinstance(values, Mapping):
            raise OptionError(
                f"'pre_commit_options' must have a dictionary for each hook; '{name}' has type {type(values).__name__}"
            )
        found[hook] = values
    return found


def _summary(transaction: Transaction, metadata: CommitMetadata) -> CommitSummary:
    @functools.cache
    def after() -> Table:
        return Table.of(_completed(transaction, metadata))

    commit = commit_from(transaction.storage.uri, transaction.time, metadata)
    return CommitSummary(
        operation=commit.operation,
        instant=transaction.time,
        rows_incoming=commit.rows_incoming or 0,
        rows_inserted=commit.rows_inserted,
        rows_updated=commit.rows_updated,
        rows_deleted=commit.rows_deleted,
        rows_ignored=commit.rows_ignored or 0,
        files=commit.files,
        bytes=commit.bytes,
        partitions=tuple(sorted({*metadata.write_stats, *(metadata.replaced or {})})),
        open=after,
    )


def _completed(transaction: Transaction, metadata: CommitMetadata) -> OverlayStorage:
    """Return the storage of the table after the commit: the current files and the completed instant."""
    now, timeline = utc_now(), transaction.timeline
    instant = transaction.instant.at(State.COMPLETED)
    if timeline.layout > 1:
        instant = evolve(instant, completion_time=next_instant_time(timeline.reloaded(transaction.storage), now))
    path = timeline.path_of(instant)
    return OverlayStorage(transaction.storage, path, metadata.to_bytes(timeline.layout), now)
