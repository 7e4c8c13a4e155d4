"""Keys of lock providers; the chosen provider determines which of them have an effect."""

from __future__ import annotations

import re

__all__ = ["HUDI_LOCK_KEYS", "LOCK_KEYS"]

LOCK_KEYS = re.compile(r"hoodie\.write\.lock\.[\w.]+|hoodie\.aws\.[\w.]+|hoodie\.base\.path")
"""Keys that a lock provider may accept."""

HUDI_LOCK_KEYS = re.compile(
    r"hoodie\.write\.lock\.((filesystem|hivemetastore|zookeeper|dynamodb|storage)\.[\w.]+"
    r"|num_retries|heartbeat_interval_ms|app_id)|hoodie\.aws\.[\w.]+|hoodie\.base\.path"
)
"""Keys of Hudi's lock providers; they have no effect with another provider or without one."""
