"""Expressions of a statement, which Spark analyses before anything is written.

Errors about an expression that is a text show the place in the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import reduce
from operator import and_
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import frozen
from pyspark.errors import AnalysisException, ParseException
from pyspark.sql import functions as F

from hoodoo.errors import StatementError
from hoodoo.sql_text.placed_text import error_at
from hoodoo.sql_text.tokens import tokenize

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

__all__ = ["Given", "analysed", "condition", "explained", "values"]

_T = TypeVar("_T")

_AT_ONCE = 64
"""Number of expressions that Spark analyses at once."""

_PLACE = re.compile(r"line (\d+),? pos(ition)? (\d+)")
_SENTENCES = {
    "INVALID_NON_DETERMINISTIC_EXPRESSIONS": "the expression may return another value when a task is repeated, which "
    "would change rows that are written already; compute the column in the source of a MERGE, and persist the source",
    "UNSUPPORTED_EXPR_FOR_OPERATOR": "an aggregate or window function needs other rows, and a clause has only one; "
    "compute the column in the source of a MERGE",
    "UNSUPPORTED_GENERATOR": "a function that returns several rows, such as explode, cannot be used in a statement; "
    "use it in the source of a MERGE",
    "JOIN_CONDITION_IS_NOT_BOOLEAN_TYPE": "the condition is not a boolean; compare the value with another",
}
"""Sentences about expressions that a clause cannot have, by the condition of Spark's error."""


@frozen(eq=False)
class Given:
    """Expression of a statement.

    Attributes:
        text: The expression: a text in Spark's SQL, a `Column`, or a plain value.
        written: The text as the user wrote it; None if it is `text`.
        prefix: The text that was added to `written` before columns.
        is_condition: Whether the expression must be boolean.
    """

    text: Any
    written: Any = None
    prefix: str = ""
    is_condition: bool = False

    def column(self) -> Column:
        """Return the expression before its analysis."""
        made = F.expr(str(self.text)) if isinstance(self.text, str) else self.text
        return made if _is_column(made) else F.lit(made)

    def test(self) -> Column:
        """Return a condition that contains the expression, so that Spark analyses it."""
        return self.column() if self.is_condition else F.when(F.lit(True), self.column()).isNotNull()

    def has_query(self) -> bool:
        """Return whether the text may have a subquery."""
        return isinstance(self.text, str) and any(token.upper == "SELECT" for token in tokenize(self.text))


def values(frame: DataFrame, given: Sequence[Given]) -> list[Column]:
    """Return expressions over the columns of a DataFrame.

    Spark analyses many at once, which takes about as long as one. If it rejects one of them, each is analysed alone.

    Raises:
        StatementError: Spark rejects an expression, or it needs other rows, or its value is not repeatable. The message
            shows the place in the text of the user, if the expression is a text.
    """
    joined = [each for each in given if not each.has_query()]
    try:
        for start in range(0, len(joined), _AT_ONCE):
            _analyse(frame, reduce(and_, [each.test() for each in joined[start : start + _AT_ONCE]]))
    except (AnalysisException, ParseException):
        joined = []
    return [each.column() if each in joined else _checked(frame, each) for each in given]


def condition(frame: DataFrame, given: Any, written: Any = None, prefix: str = "") -> Column:
    """Return a condition over the columns of a DataFrame; errors are those of `values`."""
    return _checked(frame, Given(given, written, prefix, is_condition=True))


def explained(work: Callable[[], _T], text: Any = None, written: Any = None, prefix: str = "") -> _T:
    """Run work that makes Spark analyse expressions, and return its result.

    Errors of Spark's parser and analysis become `StatementError`. If `text` is a string, the error shows the place in
    `written`, or in `text` if `written` is not a string.
    """
    try:
        return work()
    except (AnalysisException, ParseException) as error:
        message = str(error).strip()
        sentence = next((own for name, own in _SENTENCES.items() if name in message), _sentence(message))
        if not isinstance(text, str):
            raise StatementError(sentence) from error
        shown = written if isinstance(written, str) else text
        raise error_at(sentence, shown, _offset(message, text, shown, prefix)) from error


def analysed(frame: DataFrame) -> DataFrame:
    """Return a DataFrame after its analysis, which a Connect session otherwise does later."""
    frame.schema  # noqa: B018
    return frame


def _checked(frame: DataFrame, given: Given) -> Column:
    def work() -> Column:
        if given.has_query():
            # a join has no correlated subqueries
            analysed(frame.where(given.test()))
        else:
            _analyse(frame, given.test())
        return given.column()

    return explained(work, given.text, given.written, given.prefix)


def _analyse(frame: DataFrame, test: Column) -> None:
    # the condition of a join rejects expressions that need other rows or are not repeatable
    analysed(frame.join(frame.sparkSession.range(1).toDF("__hoodoo_other"), test))


def _is_column(given: Any) -> bool:
    # `Column` of a Connect session is another class before PySpark 4.0
    return hasattr(given, "isNotNull")


def _sentence(message: str) -> str:
    """Return the sentence of an error of Spark, without its plan, its place and the names of internal columns."""
    first = re.sub(r"(, )?`__hoodoo_\w+`", "", message.split("\n")[0])
    return re.sub(r"\s*SQLSTATE: \w+;?\s*(\(?line \d+,? pos \d+\)?;?)?$", "", first).strip()


def _offset(message: str, text: str, written: str, prefix: str) -> int:
    """Return the offset, in the written text, of the place that an error of Spark names; 0 if it names none."""
    found = _PLACE.search(message)
    if found is None:
        return 0
    line, column = int(found[1]), int(found[3]) - (found[2] is not None)
    wanted = sum(len(each) + 1 for each in text.split("\n")[: line - 1]) + column
    at, own = 0, 0
    while at < wanted and own < len(written):
        if prefix and text.startswith(prefix, at) and not written.startswith(prefix, own):
            at += len(prefix)
        else:
            at, own = at + 1, own + 1
    return own
