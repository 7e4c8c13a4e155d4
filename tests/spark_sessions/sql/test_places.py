"""Errors about expressions and columns of MERGE, UPDATE and DELETE, which show their place in the whole statement."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import hoodoo
from hoodoo.errors import StatementError

from .conftest import Run

MERGE = "MERGE INTO TABLE o\nUSING (SELECT 1 AS id, 2 AS amount, 'x' AS ts) s\n"
ON = MERGE + "ON o.id = s.id\n"

# the place of the error is behind the mark
CASES = [
    ("UPDATE TABLE o SET\n  amount = o.amount + §nothing, ts = 1", "nothing"),
    ("UPDATE TABLE o SET amount = :long + §nothing", "nothing"),
    ("UPDATE TABLE o SET amount = 1 WHERE o.ts = {long}\n  AND '{{' <> §nothing", "nothing"),
    ("UPDATE TABLE o SET amount = 1,\n  §amount2 = 2", "the table has no column 'amount2'"),
    ("UPDATE TABLE o SET §id = 7", "is a record key column"),
    ("UPDATE TABLE o SET o.ts = 1,\n §ts = 2", "'ts' is assigned twice"),
    ("UPDATE TABLE o SET ts = 1, amount = §'text'", "type string cannot be assigned to column 'amount'"),
    ("UPDATE TABLE o SET ts = 1, §address.Cty = 'x'", "'address' has no field 'Cty'; it has: city, number"),
    ("UPDATE TABLE o SET address.number = §array(1)", "cannot be assigned to column 'address.number'"),
    ("UPDATE TABLE o SET amount = sum(amount)\n  §OVER (ORDER BY id)", "a window function"),
    ("DELETE FROM TABLE o\nWHERE ts = 1\n  AND §rand() < 0.5", "another value when a task is repeated"),
    ("DELETE FROM TABLE o\nWHERE ts = 1 AND §nothing IN (1)", "nothing"),
    (MERGE + "ON §o.amount = s.amount WHEN MATCHED THEN DELETE", "record key column 'id'"),
    (MERGE + "ON o.id = s.id AND §o.nothing = 1 WHEN MATCHED THEN UPDATE SET amount = 1", "nothing"),
    (ON + "WHEN MATCHED AND s.amount > 1 AND §s.nothing = 1 THEN UPDATE SET amount = 1", "nothing"),
    (ON + "WHEN NOT MATCHED THEN INSERT (id, amount) VALUES (s.id, §o.amount)", "'o.amount' has no value"),
    (ON + "WHEN NOT MATCHED THEN INSERT (id, §none) VALUES (s.id, 1)", "the table has no column 'none'"),
    (
        ON + "WHEN MATCHED AND s.id > 7 THEN DELETE\n§WHEN MATCHED THEN UPDATE SET *",
        "the source has no column 'address'",
    ),
    (ON + "§WHEN MATCHED THEN DELETE", "type string cannot be assigned to column 'ts' of type int"),
]


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> str:
    path: Path = tmp_path_factory.mktemp("places") / "orders"
    types = {"id": pa.int32(), "amount": pa.int32(), "ts": pa.int32()}
    address = pa.array([{"city": "a", "number": 1}], pa.struct({"city": pa.string(), "number": pa.int32()}))
    rows = pa.table({**{name: pa.array([1], type_) for name, type_ in types.items()}, "address": address})
    hoodoo.write(rows, path, {"table_name": "orders", "record_key": "id", "ordering": "ts"})
    return str(path)


@pytest.mark.parametrize(("text", "match"), CASES)
def test_an_error_shows_the_place_in_the_whole_statement(path: str, run: Run, text: str, match: str) -> None:
    text = text.replace("TABLE", f"hoodoo.`{path}`")
    before, _, after = text.partition("§")
    parameters: dict[str, Any] = {"long": 1_234_567_890_123} if "long" in text else {}
    commits = len(hoodoo.Table(path).timeline.commits)
    with pytest.raises(StatementError, match=match) as refused:
        run(before + after, **parameters)
    line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
    assert (refused.value.line, refused.value.column) == (line, column)
    assert str(refused.value).split("\n")[1].strip() in before + after
    assert len(hoodoo.Table(path).timeline.commits) == commits


def test_fields_of_a_struct_are_assigned_alone(path: str, tmp_path: Path, run: Run) -> None:
    copy = f"hoodoo.`{tmp_path}/copy`"
    run(
        f"CREATE TABLE {copy} (id INT, address STRUCT<city: STRING, number: INT>, ts INT) USING hoodoo "
        "TBLPROPERTIES (primaryKey = 'id', preCombineField = 'ts')"
    )
    run(f"INSERT INTO {copy} VALUES (1, named_struct('city', 'a', 'number', 1), 1), (2, NULL, 1)")

    run(f"UPDATE {copy} SET address.city = 'b', ts = 2")
    rows = f"SELECT id, address.city, address.number, ts FROM {copy} ORDER BY id"
    assert run(rows) == [(1, "b", 1, 2), (2, "b", None, 2)]
    run(
        f"MERGE INTO {copy} o USING (SELECT 1 AS id, 'c' AS city) s ON o.id = s.id "
        "WHEN MATCHED THEN UPDATE SET o.address.CITY = s.city, address.number = o.address.number + 1"
    )
    assert run(rows) == [(1, "c", 2, 2), (2, "b", None, 2)]
