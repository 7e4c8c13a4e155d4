"""Transactions: begin an instant, mark files, reconcile, commit, roll back."""

from hoodoo.txn.lock import table_lock
from hoodoo.txn.markers import create_marker, list_markers, marker_exists
from hoodoo.txn.rollback import rollback, rollback_pending
from hoodoo.txn.transaction import Transaction, begin

__all__ = [
    "Transaction",
    "begin",
    "create_marker",
    "list_markers",
    "marker_exists",
    "rollback",
    "rollback_pending",
    "table_lock",
]
