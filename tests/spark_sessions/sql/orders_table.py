"""Statement that creates the table of orders in tests of statements."""

from __future__ import annotations

ORDERS = (
    "CREATE TABLE orders (id INT, amount DECIMAL(10, 2), day DATE, tags ARRAY<STRING>) USING hudi PARTITIONED BY (day) "
    "TBLPROPERTIES (primaryKey = 'id', preCombineField = 'amount', type = 'mor')"
)
