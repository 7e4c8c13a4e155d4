"""Aggregate functions: two values of one column become one. Mergers that combine columns use them."""

from hoodoo.aggregates.choose import FUNCTIONS, column_function, uses_of
from hoodoo.aggregates.function import ColumnFunction
from hoodoo.aggregates.pairs import Pairs, from_nothing

__all__ = ["FUNCTIONS", "ColumnFunction", "Pairs", "column_function", "from_nothing", "uses_of"]
