"""Statements of Delta Lake's page on deletes, updates and merges, as SQL and as calls of the builder."""

from __future__ import annotations

from .statement import Guide, Section, refused, runs

__all__ = ["UPDATE"]

_PEOPLE = (
    "CREATE TABLE members (id INT, first STRING, last STRING, sort STRING, born DATE, pay INT) USING hudi "
    "TBLPROPERTIES (primaryKey = 'id') LOCATION '<folder>/members'"
)
_ROWS = (
    "INSERT INTO members VALUES (1, 'ann', 'a', 'F', DATE'1950-01-01', 10), (2, 'bob', 'b', 'M', "
    "DATE'1960-01-01', 20), "
    "(3, 'cleo', 'c', 'F', DATE'1970-01-01', 30)"
)
_CHANGED = (
    "CREATE TABLE changed USING parquet AS SELECT * FROM VALUES (2, 'bo', 'b', 'M', DATE'1960-01-01', 25), "
    "(4, 'dan', 'd', 'M', DATE'1980-01-01', 40) AS v(id, first, last, sort, born, pay)"
)
_VISITS = "CREATE TABLE visits (key INT, seen DATE, status STRING) USING hudi TBLPROPERTIES (primaryKey = 'key')"
_SEEN = (
    "INSERT INTO visits VALUES (1, current_date(), 'active'), (2, DATE'2001-01-01', 'active'), (3, "
    "current_date(), 'active')"
)
_ARRIVED = (
    "CREATE TABLE arrived USING parquet AS SELECT 1 AS key, DATE'2002-02-02' AS at UNION ALL SELECT 4, DATE'2003-03-03'"
)
_LOGS = "CREATE TABLE logs (code INT, day DATE, text STRING) USING hudi TBLPROPERTIES (primaryKey = 'code')"
_NEW_LOGS = (
    "CREATE TABLE fresh USING parquet AS SELECT 1 AS code, current_date() AS day, 'again' AS text UNION ALL "
    "SELECT 2, current_date(), 'new'"
)

UPDATE = Guide(
    "delta-update",
    "Delta Lake: Table deletes, updates, and merges",
    "https://docs.delta.io/latest/delta-update.html",
    [
        Section(
            "Delete from and update a table",
            [_PEOPLE, _ROWS],
            [
                runs("DELETE FROM members WHERE born < '1955-01-01'"),
                runs("DELETE FROM hoodoo.`<folder>/members` WHERE born < '1955-01-01'"),
                runs("UPDATE members SET sort = 'female' WHERE sort = 'F'"),
                runs("UPDATE members SET sort = 'male' WHERE sort = 'M'"),
                runs("UPDATE hoodoo.`<folder>/members` SET sort = 'm' WHERE sort = 'male'"),
                runs("SELECT id, sort FROM members", (2, "m"), (3, "female")),
            ],
        ),
        Section(
            "Delete from and update a table: Python",
            [_PEOPLE, _ROWS],
            [
                runs("hoodoo.Table('<folder>/members').delete(\"born < '1955-01-01'\")"),
                runs("hoodoo.Table('<folder>/members').delete(col('born') < '1965-01-01')"),
                runs("hoodoo.Table('<folder>/members').update(condition=\"sort = 'F'\", set={'sort': \"'female'\"})"),
                runs(
                    "hoodoo.Table('<folder>/members').update(condition=col('sort') == 'female', set={'sort': lit('f')})"
                ),
                runs("spark.sql('SELECT id, sort FROM members')", (3, "f")),
            ],
            is_python=True,
        ),
        Section(
            "Upsert into a table using merge",
            [_PEOPLE, _ROWS, _CHANGED],
            [
                runs(
                    "MERGE INTO members USING changed ON members.id = changed.id "
                    "WHEN MATCHED THEN UPDATE SET id = changed.id, first = changed.first, last = changed.last, "
                    "sort = changed.sort, born = changed.born, pay = changed.pay "
                    "WHEN NOT MATCHED THEN INSERT (id, first, last, sort, born, pay) "
                    "VALUES (changed.id, changed.first, changed.last, changed.sort, changed.born, changed.pay)"
                ),
                runs(
                    "SELECT id, first, pay FROM members", (1, "ann", 10), (2, "bo", 25), (3, "cleo", 30), (4, "dan", 40)
                ),
            ],
        ),
        Section(
            "Upsert into a table using merge: Python",
            [_PEOPLE, _ROWS, _CHANGED],
            [
                runs(
                    "hoodoo.Table('<folder>/members').merge(spark.table('changed').alias('updates'), "
                    "'people.id = updates.id', target_alias='people')"
                    ".whenMatchedUpdate(set={'id': 'updates.id', 'first': 'updates.first', 'pay': 'updates.pay'})"
                    ".whenNotMatchedInsert(values={'id': 'updates.id', 'first': 'updates.first', 'pay': 'updates.pay'})"
                    ".execute()"
                ),
                runs(
                    "spark.sql('SELECT id, first, last, pay FROM members')",
                    (1, "ann", "a", 10),
                    (2, "bo", "b", 25),
                    (3, "cleo", "c", 30),
                    (4, "dan", None, 40),
                ),
            ],
            is_python=True,
        ),
        Section(
            "Modify all unmatched rows using merge",
            [_VISITS, _SEEN, _ARRIVED],
            [
                runs(
                    "MERGE INTO visits AS target USING arrived AS source ON source.key = target.key "
                    "WHEN MATCHED THEN UPDATE SET target.seen = source.at "
                    "WHEN NOT MATCHED THEN INSERT (key, seen, status) VALUES (source.key, source.at, 'active') "
                    "WHEN NOT MATCHED BY SOURCE AND target.seen >= (current_date() - INTERVAL '5' DAY) "
                    "THEN UPDATE SET target.status = 'inactive'"
                ),
                runs("SELECT key, status FROM visits", (1, "active"), (2, "active"), (3, "inactive"), (4, "active")),
                runs("CREATE TABLE whole USING parquet AS SELECT key, seen, status FROM visits WHERE key = 4"),
                refused(
                    "MERGE INTO visits AS target USING whole AS source ON source.key = target.key "
                    "WHEN MATCHED UPDATE SET * WHEN NOT MATCHED INSERT * WHEN NOT MATCHED BY SOURCE DELETE",
                    "THEN",
                    "write THEN, which the guide leaves out, before each action; Delta's parser needs it too",
                ),
                runs(
                    "MERGE INTO visits AS target USING whole AS source ON source.key = target.key "
                    "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT * WHEN NOT MATCHED BY SOURCE "
                    "THEN DELETE"
                ),
                runs("SELECT key FROM visits", (4,)),
            ],
        ),
        Section(
            "Modify all unmatched rows using merge: Python",
            [_VISITS.replace("TBLPROPERTIES", "LOCATION '<folder>/visits' TBLPROPERTIES"), _SEEN, _ARRIVED],
            [
                runs(
                    "hoodoo.Table('<folder>/visits').merge(spark.table('arrived').alias('source'), "
                    "'source.key = target.key')"
                    ".whenMatchedUpdate(set={'target.seen': 'source.at'})"
                    ".whenNotMatchedInsert(values={'target.key': 'source.key', 'target.seen': 'source.at', "
                    "'target.status': \"'active'\"})"
                    ".whenNotMatchedBySourceUpdate(condition=\"target.seen >= (current_date() - INTERVAL '5' DAY)\", "
                    "set={'target.status': \"'inactive'\"}).execute()"
                ),
                runs(
                    "hoodoo.Table('<folder>/visits').merge(spark.sql('SELECT * FROM visits WHERE key < 3'), "
                    "'source.key = target.key')"
                    ".whenMatchedUpdateAll().whenNotMatchedInsertAll().whenNotMatchedBySourceDelete().execute()"
                ),
                runs("spark.sql('SELECT key, status FROM visits')", (1, "active"), (2, "active")),
            ],
            is_python=True,
        ),
        Section(
            "Data deduplication when writing",
            [_LOGS, "INSERT INTO logs VALUES (1, current_date(), 'old')", _NEW_LOGS],
            [
                runs("MERGE INTO logs USING fresh ON logs.code = fresh.code WHEN NOT MATCHED THEN INSERT *"),
                runs(
                    "MERGE INTO logs USING fresh ON logs.code = fresh.code AND logs.day > current_date() - "
                    "INTERVAL 7 DAYS "
                    "WHEN NOT MATCHED AND fresh.day > current_date() - INTERVAL 7 DAYS THEN INSERT *"
                ),
                runs("SELECT code, text FROM logs", (1, "old"), (2, "new")),
            ],
        ),
        Section(
            "Data deduplication when writing: Python",
            [
                _LOGS.replace("TBLPROPERTIES", "LOCATION '<folder>/logs' TBLPROPERTIES"),
                "INSERT INTO logs VALUES (1, current_date(), 'old')",
                _NEW_LOGS,
            ],
            [
                runs(
                    "hoodoo.Table('<folder>/logs').merge(spark.table('fresh').alias('fresh'), 'logs.code = "
                    "fresh.code', "
                    "target_alias='logs').whenNotMatchedInsertAll().execute()"
                ),
                runs(
                    "hoodoo.Table('<folder>/logs').merge(spark.table('fresh').alias('fresh'), "
                    "'logs.code = fresh.code AND logs.day > current_date() - INTERVAL 7 DAYS', target_alias='logs')"
                    ".whenNotMatchedInsertAll('fresh.day > current_date() - INTERVAL 7 DAYS').execute()"
                ),
                runs("spark.sql('SELECT code, text FROM logs')", (1, "old"), (2, "new")),
            ],
            is_python=True,
        ),
        Section(
            "Slowly changing data (SCD) Type 2: Python",
            [
                (
                    "CREATE TABLE customers (id INT, address STRING, current BOOLEAN, since DATE, until DATE) "
                    "USING hudi "
                    ""
                    "TBLPROPERTIES (primaryKey = 'id,since') LOCATION '<folder>/customers'"
                ),
                "INSERT INTO customers VALUES (1, 'rome', true, DATE'2001-01-01', NULL)",
                "CREATE TABLE moved USING parquet AS SELECT 1 AS id, 'oslo' AS address, DATE'2002-02-02' AS since",
            ],
            [
                refused(
                    "hoodoo.Table('<folder>/customers').merge("
                    "spark.sql('SELECT CAST(NULL AS INT) AS merge_id, * FROM moved UNION ALL SELECT id, * FROM "
                    "moved'), "
                    "'customers.id = merge_id', target_alias='customers')"
                    ".whenMatchedUpdate(condition='customers.current = true AND customers.address <> s.address', "
                    "set={'current': 'false', 'until': 's.since'})"
                    ".whenNotMatchedInsert(values={'id': 's.id', 'address': 's.address', 'current': 'true', "
                    "'since': 's.since', 'until': 'null'}).execute()",
                    "does not compare the record key column 'since'",
                    "give the staged rows the key of the row to close, and compare it too",
                ),
                runs(
                    "hoodoo.Table('<folder>/customers').merge("
                    "spark.sql('SELECT CAST(NULL AS INT) AS merge_id, CAST(NULL AS DATE) AS merge_since, m.* "
                    "FROM moved m "
                    "UNION ALL SELECT c.id, c.since, m.* FROM moved m JOIN customers c ON m.id = c.id AND c.current'), "
                    "'customers.id = merge_id AND customers.since = merge_since', target_alias='customers')"
                    ".whenMatchedUpdate(condition='customers.current = true AND customers.address <> s.address', "
                    "set={'current': 'false', 'until': 's.since'})"
                    ".whenNotMatchedInsert(values={'id': 's.id', 'address': 's.address', 'current': 'true', "
                    "'since': 's.since', 'until': 'null'}).execute()"
                ),
                runs(
                    "spark.sql('SELECT id, address, current, CAST(until AS STRING) FROM customers')",
                    (1, "rome", False, "2002-02-02"),
                    (1, "oslo", True, None),
                ),
            ],
            is_python=True,
        ),
        Section(
            "Write change data into a table: Python",
            [
                (
                    "CREATE TABLE pairs (key INT, value STRING) USING hudi TBLPROPERTIES (primaryKey = 'key') "
                    "LOCATION '<folder>/pairs'"
                ),
                "INSERT INTO pairs VALUES (1, 'a'), (2, 'b')",
                (
                    "CREATE TABLE log USING parquet AS SELECT * FROM VALUES (1, 1, 'x', false), (1, 2, 'y', false), "
                    "(2, 1, 'z', true), (3, 1, 'c', false) AS v(key, time, new_value, deleted)"
                ),
            ],
            [
                runs(
                    "hoodoo.Table('<folder>/pairs').merge(spark.table('log')"
                    ".selectExpr('key', 'struct(time, new_value, deleted) AS others').groupBy('key')"
                    ".agg(max('others').alias('latest')).select('key', 'latest.*').alias('s'), 's.key = t.key')"
                    ".whenMatchedDelete(condition='s.deleted = true')"
                    ".whenMatchedUpdate(set={'key': 's.key', 'value': 's.new_value'})"
                    ".whenNotMatchedInsert(condition='s.deleted = false', "
                    "values={'key': 's.key', 'value': 's.new_value'}).execute()"
                ),
                runs("spark.sql('SELECT key, value FROM pairs')", (1, "y"), (3, "c")),
            ],
            is_python=True,
        ),
    ],
)
