"""The hooks that a write names: loaded before it begins, called around its commit."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Mapping
from typing import Any

from attrs import evolve, frozen

from hoodoo.errors import CommitRefused, OptionError, PluginFault
from hoodoo.options import HookOptions
from hoodoo.plugin import Catalogue, CommitSummary, PluginHook
from hoodoo.plugin.catalog.names import normalised
from hoodoo.storage import OverlayStorage, Storage
from hoodoo.table import Table
from hoodoo.timeline import CommitMetadata, State, next_instant_time, utc_now
from hoodoo.txn import Transaction
from hoodoo.writing.commit import Commit, commit_from

__all__ = ["CommitHooks", "HookFailed"]


class HookFailed(UserWarning):
    """A post-commit hook failed. The commit stands."""


@frozen
class CommitHooks:
    """The hooks of one write, in the order in which they are called.

    Attributes:
        before: Pre-commit hooks, each with its options.
        after: Post-commit hooks.
    """

    before: tuple[tuple[PluginHook, Any], ...]
    after: tuple[PluginHook, ...]

    @classmethod
    def named_by(cls, options: HookOptions, catalogue: Catalogue) -> CommitHooks:
        """Import the hooks and check their options.

        Raises:
            PluginError: a hook is not installed, or cannot or may not be loaded.
            OptionError: options of a hook that the write does not name, or that it does not take.
        """
        before = [catalogue.hook("pre_commit", name) for name in options.pre_commit]
        after = [catalogue.hook("post_commit", name) for name in options.post_commit]
        given = _by_hook(options.pre_commit_options or {}, before)
        return cls(tuple((hook, hook.make(given.get(hook, {}))) for hook in before), tuple(after))

    def judge(self, transaction: Transaction, metadata: CommitMetadata) -> None:
        """Show the pre-commit hooks what would be committed.

        Raises:
            CommitRefused: one refuses it.
            PluginFault: one raised something else.
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
                    f"{metadata.operation_type.lower()} {transaction.time} was not committed"
                ) from error

    def tell(self, storage: Storage, commit: Commit) -> None:
        """Tell the post-commit hooks of a commit; one that fails is a warning."""
        for hook in self.after:
            try:
                hook.call(table=Table.of(storage), commit=commit)
            except Exception as error:  # noqa: BLE001 - nothing can be undone any more; the warning says what it was
                text = f"the rows are committed, and {hook.info.label} raised {type(error).__name__}: {error}"
                warnings.warn(text, HookFailed, stacklevel=4)


def _by_hook(given: Mapping[str, Any], hooks: list[PluginHook]) -> dict[PluginHook, Mapping[str, Any]]:
    """The options of each hook; names compare as names of plugins do."""
    found: dict[PluginHook, Mapping[str, Any]] = {}
    for name, values in given.items():
        hook = next((hook for hook in hooks if normalised(hook.info.name) == normalised(name)), None)
        if hook is None:
            named = ", ".join(f"'{hook.info.name}'" for hook in hooks) or "none"
            raise OptionError(f"'pre_commit_options' has options of '{name}', and 'pre_commit' names {named}")
        if not isinstance(values, Mapping):
            raise OptionError(
                f"'pre_commit_options' takes a dictionary for each hook; for '{name}' it has {type(values).__name__}"
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
    """The table's files as they will be: with the file that completes the instant."""
    now, timeline = utc_now(), transaction.timeline
    instant = transaction.instant.at(State.COMPLETED)
    if timeline.layout > 1:
        instant = evolve(instant, completion_time=next_instant_time(timeline.reloaded(transaction.storage), now))
    path = timeline.path_of(instant)
    return OverlayStorage(transaction.storage, path, metadata.to_bytes(timeline.layout), now)
