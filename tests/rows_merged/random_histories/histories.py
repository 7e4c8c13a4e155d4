"""Random histories of tables, one step after the other."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

from hypothesis import strategies as st

from tests.rows_merged.handmade.blocks import COMPACTED, rollback_block
from tests.rows_merged.handmade.columns import TYPES
from tests.support.versions import Version

from .settings import LATE
from .writes import Pending, Writes

__all__ = ["Writer"]


class Writer(Writes):
    """Writer of a history, one possible step after the other."""

    def step(self) -> None:
        """Take a possible step."""
        choices: list[Callable[[], None]] = [self.insert]
        if self.setting.table_type == "COPY_ON_WRITE":
            if self._free():
                choices += [self.update] * 3
        else:
            choices.append(self.log_only)
            if self._writable():
                choices += [self.delta] * 5
            if self._compactable():
                choices += [self.compact] * 2
            if self._log_compactable():
                choices += [self.compact_logs] * 2
        if self.open:
            choices += [self.finish, self.finish, self.fail]
        if self._free():
            choices += [self.cluster, self.overwrite]
        if self.model.commits:
            choices += [self.savepoint, self.clean, self.archive]
        if not self.open and LATE not in self.builder.columns:
            choices.append(self.evolve)
        self._pick(choices)()

    def insert(self) -> None:
        """Write one or two new file groups with a base file each."""
        pending = self._begin(self._pick(["commit", "deltacommit"] if self._is_mor else ["commit"]), set())
        for _ in range(self._number(1, 2)):
            group = self._new_group(pending)
            self._base(pending, group, self._batch(group, pending.time, self._number(0, 4), unique=True))
        self._maybe_complete(pending)

    def update(self) -> None:
        """Rewrite the base file of a group with changed, deleted and new rows."""
        group = self._pick(self._free())
        pending = self._begin("commit", {group})
        kept = [row for row in self._current(group) if self._draw(st.booleans())]
        names = {row[self.model.key] for row in kept}
        new = [
            row for row in self._batch(group, pending.time, self._number(0, 4), unique=True)
            if row[self.model.key] not in names
        ]  # fmt: skip
        self._base(pending, group, kept + new)
        self._maybe_complete(pending)

    def log_only(self) -> None:
        """Write a file group that begins with a log."""
        pending = self._begin("deltacommit", set())
        group = self._new_group(pending)
        self._slices[group] = pending.time
        self._log(pending, group)
        self._maybe_complete(pending)

    def delta(self) -> None:
        """Write logs of one or two groups, perhaps several for one."""
        groups = set(self._draw(st.lists(st.sampled_from(self._writable()), min_size=1, max_size=2)))
        pending = self._begin("deltacommit", groups)
        for group in sorted(groups):
            for _ in range(self._pick([1, 1, 2])):
                self._log(pending, group)
        self._maybe_complete(pending)

    def compact(self) -> None:
        """Plan a compaction of one group, and complete it now or later."""
        group = self._pick(self._compactable())
        time = self._tick()
        pending = Pending("commit", time, {group}, operation="COMPACT", columns=tuple(self.builder.columns))
        self.builder.request_compaction(time, [self._operation(group)])
        rows = self._current(group)
        self._slices[group] = time
        self.compactions[group] = pending
        self._base(pending, group, rows)
        self._maybe_complete(pending)

    def compact_logs(self) -> None:
        """Replace all logs of a slice by one log."""
        group = self._pick(self._log_compactable())
        time = self._tick()
        logs = self._slice_logs(group)
        self.builder.request_compaction(time, [self._operation(group)], log=True)
        newest: dict[str, Version] = {}
        for log in logs:
            for version in log.versions:
                older = newest.get(version.key)
                newest[version.key] = version if older is None else self.model.rules.merge(older, version)
        replaced = dict.fromkeys(log.commit for log in logs)
        before, covered = self._log_compacted.get(group, ("", frozenset()))
        if covered & set(replaced):
            replaced = {before: None, **{instant: None for instant in replaced if instant not in covered}}
        self._log_compacted[group] = (time, frozenset(log.commit for log in logs))
        header = {COMPACTED: ",".join(replaced)}
        rows = [self._whole(version.row) for version in newest.values() if not version.key_only]
        deletes = [version for version in newest.values() if version.key_only]
        blocks = [self.builder.avro(time, rows, header)]
        for unordered in (True, False):
            entries = [self._entry(group, v.key, v.order) for v in deletes if (v.order is None) is unordered]
            blocks += [self.builder.deletes(time, entries, header)] if entries else []
        pending = Pending("deltacommit", time, {group}, operation="LOG_COMPACT", columns=tuple(self.builder.columns))
        file, _ = self._log_file(pending, group, blocks)
        self.steps.append(f"{time} compacts the logs of {', '.join(replaced)} to {file.path}")
        self._complete(pending)

    def cluster(self) -> None:
        """Plan a clustering of the free groups of one partition into a new group, and complete it now or later."""
        first = self._pick(self._free())
        groups = {group for group in self._free() if group[0] == first[0]}
        time = self._tick()
        pending = Pending(
            "replacecommit", time, groups, operation="CLUSTER", replaced=groups, columns=tuple(self.builder.columns)
        )
        self.builder.request_clustering(time, [self._operation(group) for group in sorted(groups)])
        rows = [row for group in sorted(groups) for row in self._current(group)]
        new = (first[0], self._file_id())
        pending.new.add(new)
        self._base(pending, new, rows)
        self._maybe_complete(pending)

    def overwrite(self) -> None:
        """Replace the rows of a partition by new rows or none, unless a write is pending in the partition."""
        partition = self._pick(self._free())[0]
        groups = {group for group in self.live if group[0] == partition}
        if not groups <= set(self._free()):
            return
        deleted = self._draw(st.booleans())
        pending = self._begin("replacecommit", groups)
        pending.operation = "DELETE_PARTITION" if deleted else "INSERT_OVERWRITE"
        pending.replaced = groups
        if not deleted:
            group = (partition, self._file_id())
            pending.new.add(group)
            self._base(pending, group, self._batch(group, pending.time, self._number(0, 3), unique=True))
        self._maybe_complete(pending)

    def finish(self) -> None:
        """Complete a pending write."""
        self._complete(self._pick(self.open))

    def fail(self) -> None:
        """Abandon a write: its files remain or are rolled back. Compactions and clusterings are not abandoned."""
        candidates = [pending for pending in self.open if pending.operation not in ("COMPACT", "CLUSTER")]
        if not candidates:
            return
        pending = self._pick(candidates)
        self.open.remove(pending)
        if self._draw(st.booleans()):
            self.abandoned.append(pending)
            self.steps.append(f"{pending.time} is left behind")
            return
        time = self._tick()
        for file in pending.written:
            if file.path.endswith(".parquet") or self.setting.version >= 8:
                self.builder.remove(file)
        if self.setting.version == 6:
            for group in sorted({(f.partition, f.file_id) for f in pending.written if not f.path.endswith(".parquet")}):
                instant = self._slices[group]
                number = self._next_number(group, instant)
                self.builder.log(*group, instant, [rollback_block(time, pending.time)], number)
        self.builder.rollback(time, self._tick(), pending.time)
        self.steps.append(f"{time} rolls back {pending.time}")

    def savepoint(self) -> None:
        """Write a savepoint of the last commit, unless it is archived or has one."""
        time = self.model.as_of(None)[-1].time
        if time in {commit.time for commit in self.model.commits} - self._savepoints:
            self._savepoints.add(time)
            self.builder.savepoint(time, self._tick())
            self.steps.append(f"{time} has a savepoint")

    def clean(self) -> None:
        """Remove the files that no query of the current table needs, and write a clean."""
        commits = self.model.as_of(None)
        known = {commit.time for commit in commits}
        for partition, file_id in {group for commit in commits for group in commit.replaced}:
            for file in (self.builder.path / partition).glob(f"*{file_id}_*"):
                file.unlink()
        for group in self.live:
            base = max((instant for instant in self.model.group(group).bases if instant in known), default="")
            self._remove(group, base)
        self.horizon = commits[-1].time
        self.completion_horizon = max(commit.completion for commit in commits)
        time = self._tick()
        self.builder.clean(time, self._tick(), commits[-1].time)
        self.steps.append(f"{time} cleans")

    def archive(self) -> None:
        """Clean, and archive some of the first commits; do nothing if there is no commit that can be archived.

        A commit can be archived if it completed before the next commit and every unfinished write began.
        """
        unfinished = [pending.time for pending in (*self.open, *self.abandoned)]
        commits = sorted(self.model.commits, key=lambda commit: commit.time)
        count = 0
        for commit, following in pairwise(commits):
            if following.time < commit.completion or any(time < commit.completion for time in unfinished):
                break
            count += 1
        if not count:
            return
        self.clean()
        gone = commits[: self._number(1, count)]
        for commit in gone:
            for group in commit.replaced:
                self.model.groups.pop(group, None)
            self.model.commits.remove(commit)
            self.model.archived.append(commit)
        self.builder.timeline.forget_until(gone[-1].time)
        self.steps.append(f"{gone[-1].time} and before are archived")

    def evolve(self) -> None:
        """Add a column."""
        self.builder.columns = {**self.builder.columns, LATE: TYPES["string"]}
        self.steps.append(f"column {LATE}")
