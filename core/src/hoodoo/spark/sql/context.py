"""Context of the execution of a statement: its parameters, and the Hudi tables in its queries."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from attrs import define, field

from hoodoo.errors import StatementError
from hoodoo.spark.sql.plain_sql import plain_sql, quoted_name
from hoodoo.spark.sql.rows.table_rows import rows_of
from hoodoo.sql_parsing.parameters import literal_pieces, markers
from hoodoo.sql_parsing.references import TableReference, names_of_ctes, references, relation_references
from hoodoo.sql_text.fragment import Fragment
from hoodoo.sql_text.placed_text import Piece, PlacedText, placed

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["Context"]

_NAME = "_hoodoo_"

Edit = tuple[int, int, str]
"""Replacement in a statement: the offsets of the start and the end of the replaced text, and the new text."""


@define
class Context:
    """Parameters of a statement, and the temporary views that it uses.

    Attributes:
        spark: The session.
        args: The values of markers `:name`, by name, or a list of the values of markers `?`.
        frames: The values of markers `{name}`.
    """

    spark: SparkSession
    args: Mapping[str, Any] | list[Any] = field(factory=dict)
    frames: Mapping[str, Any] = field(factory=dict)
    _views: list[str] = field(factory=list, init=False)

    @property
    def named_args(self) -> Mapping[str, Any]:
        """Return the values of markers `:name`; empty if `args` is a list."""
        return self.args if isinstance(self.args, Mapping) else {}

    def query(
        self,
        part: Fragment,
        *,
        ctes: Fragment | None = None,
        is_relation: bool = False,
        edits: Iterable[Edit] = (),
    ) -> DataFrame:
        """Return the rows of a query, lazily.

        Args:
            part: The text of the query; with `is_relation`, a table or a query in parentheses.
            ctes: A clause WITH to put before the query; None without one.
            is_relation: Whether the part is a relation, as after FROM.
            edits: Other replacements in the part, by offsets in the whole statement.
        """
        found = relation_references if is_relation else references
        of_ctes, frames = self._edits(references(ctes), 0) if ctes is not None else ([], {})
        of_part, more = self._edits(found(part, names_of_ctes(ctes)), len(frames))
        frames |= more
        # Spark interprets braces in the text as markers only if there are frames
        doubles = bool(frames) and not self.frames
        first = "" if ctes is None else _edited(ctes, of_ctes, doubles=doubles) + " "
        start = "SELECT * FROM " if is_relation else ""
        text = first + start + _edited(part, [*of_part, *edits], doubles=doubles)
        return plain_sql(self.spark, text, self.args, **{**self.frames, **frames})

    def _edits(self, found: Iterable[TableReference], first: int) -> tuple[list[Edit], dict[str, Any]]:
        """Return the replacements of Hudi tables by markers, and the rows of the tables by the names of the markers."""
        frames: dict[str, Any] = {}
        edits: list[Edit] = []
        for each in found:
            frame = rows_of(self.spark, each, self.args)
            if frame is None:
                continue
            name = f"{_NAME}{first + len(frames)}"
            frames[name] = frame
            table, *alias = _edits_of(each, f"{{{name}}}")
            edits += [table, *((start, end, _doubled(text)) for start, end, text in alias)]
        return edits, frames

    def expression(self, part: Fragment) -> PlacedText:
        """Return an expression with literals for its parameters, and temporary views for Hudi tables in subqueries.

        DataFrames among the parameters are temporary views, too. Errors about the expression show its position in the
        statement. Call `close` after the execution.

        Raises:
            StatementError: A parameter is missing or has no literal, or a marker is `?` or a column of a DataFrame,
                such as `{df.id}`.
            HoodooError: As in `rows_of`, for a table in a subquery.
        """
        edits: list[Edit] = []
        for each in references(part):
            frame = rows_of(self.spark, each, self.args)
            if frame is not None:
                edits += _edits_of(each, quoted_name(self._view(frame)))
        for marker in markers(part):
            value = self.frames.get(marker.name) if marker.in_braces else None
            if value is not None and hasattr(value, "createOrReplaceTempView"):
                edits.append((marker.at.start, marker.at.end, quoted_name(self._view(value))))
        values = {**self.named_args, **self.frames}
        escapes = str(self.spark.conf.get("spark.sql.parser.escapedStringLiterals", "false")).lower() != "true"
        template = bool(self.frames)
        pieces: list[Piece] = []
        position = part.start
        for start, end, text in sorted(edits, key=lambda edit: (edit[0], edit[1])):
            between = Fragment(part.statement, position, start)
            pieces += literal_pieces(between, values, escapes=escapes, template=template)
            pieces.append(Piece(text, Fragment(part.statement, start, end)))
            position = end
        last = Fragment(part.statement, position, part.end)
        return placed([*pieces, *literal_pieces(last, values, escapes=escapes, template=template)])

    def value(self, part: Fragment) -> Any:
        """Return the value of an expression without columns."""
        [row] = plain_sql(self.spark, f"SELECT {self.expression(part)} AS value").collect()
        return row["value"]

    def _view(self, frame: DataFrame) -> str:
        name = f"{_NAME}{uuid.uuid4().hex}"
        frame.createOrReplaceTempView(name)
        self._views.append(name)
        return name

    def close(self) -> None:
        """Drop the temporary views."""
        while self._views:
            self.spark.catalog.dropTempView(self._views.pop())


def _edits_of(reference: TableReference, name: str) -> list[Edit]:
    """Return the edits that replace a table by another name, and add its own name as an alias if the query has none."""
    edits = [(reference.at.start, reference.at.end, name)]
    if reference.alias_at is not None:
        edits.append((reference.alias_at, reference.alias_at, f" AS {quoted_name(reference.name.parts[-1])}"))
    return edits


def _edited(part: Fragment, edits: list[Edit], *, doubles: bool) -> str:
    pieces: list[str] = []
    position = part.start
    for start, end, text in sorted(edits, key=lambda edit: (edit[0], edit[1])):
        between = part.statement[position:start]
        pieces += [_doubled(between) if doubles else between, text]
        position = end
    last = part.statement[position : part.end]
    return "".join([*pieces, _doubled(last) if doubles else last])


def _doubled(text: str) -> str:
    """Return the text with doubled braces, in which Spark finds no markers of parameters."""
    return text.replace("{", "{{").replace("}", "}}")


def check_named(context: Context, statement: str) -> None:
    """Raise `StatementError` if the parameters have no names, which only queries allow."""
    if not isinstance(context.args, Mapping) and context.args:
        raise StatementError(
            f"{statement} takes parameters by name: write :name in the text, and pass args={{'name': value}}"
        )
