"""Transactions: creation of an instant, markers of files, reconciliation, commit and rollback."""

from hoodoo.txn.begin import ClockBehind, begin, schedule, start
from hoodoo.txn.heartbeat import HeartbeatPace
from hoodoo.txn.locking.coordination import Coordination
from hoodoo.txn.locking.lock_options import LockFound, coordination_of
from hoodoo.txn.locking.provider_lock import LockWait, ProviderLock
from hoodoo.txn.locking.table_lock import TableLock, table_lock
from hoodoo.txn.markers import check_marker, create_marker, list_markers, marker_exists
from hoodoo.txn.metadata.removal import drop_metadata_table, has_metadata_table
from hoodoo.txn.rollback.rollback import rollback, rollback_pending
from hoodoo.txn.service_instants import complete, inflight, is_interrupted
from hoodoo.txn.transaction import Transaction
from hoodoo.txn.write_id import WRITE_ID_KEY, find_archived, find_committed

__all__ = [
    "WRITE_ID_KEY",
    "ClockBehind",
    "Coordination",
    "HeartbeatPace",
    "LockFound",
    "LockWait",
    "ProviderLock",
    "TableLock",
    "Transaction",
    "begin",
    "check_marker",
    "complete",
    "coordination_of",
    "create_marker",
    "drop_metadata_table",
    "find_archived",
    "find_committed",
    "has_metadata_table",
    "inflight",
    "is_interrupted",
    "list_markers",
    "marker_exists",
    "rollback",
    "rollback_pending",
    "schedule",
    "start",
    "table_lock",
]
