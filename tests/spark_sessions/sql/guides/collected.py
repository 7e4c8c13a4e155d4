"""The public guides whose statements are tested."""

from __future__ import annotations

from . import delta_batch, delta_update, hudi_ddl, hudi_dml, hudi_procedures, hudi_queries, hudi_start, iceberg

__all__ = ["GUIDES"]

GUIDES = (
    hudi_ddl.DDL,
    hudi_dml.DML,
    hudi_queries.QUERIES,
    hudi_start.START,
    hudi_ddl.EVOLUTION,
    hudi_procedures.PROCEDURES,
    delta_update.UPDATE,
    delta_batch.BATCH,
    delta_batch.UTILITY,
    iceberg.WRITES,
    iceberg.DDL,
    iceberg.QUERIES,
    iceberg.PROCEDURES,
)
"""The guides, in the order of the page."""
