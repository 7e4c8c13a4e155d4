"""Files of every kind with damaged bytes: the right rows or an error of hoodoo, in little memory and time.

The seeds are fixed. A failure prints the command that repeats it, in which `HOODOO_DAMAGE` is the number of the only
damage to try. `HOODOO_DAMAGE_TIMES` multiplies the number of damages.
"""

from __future__ import annotations

import os

import pytest

from tests.damage.made_tables.kinds import KINDS
from tests.damage.made_tables.ours import OUR_KINDS

from .damages import DAMAGES

pytestmark = pytest.mark.slow

TIMES = int(os.environ.get("HOODOO_DAMAGE_TIMES", "1"))
FLIPS, OTHERS = TIMES, -(-TIMES // 4)
ALL = KINDS | OUR_KINDS


@pytest.mark.scaled
@pytest.mark.each_value
@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("kind", ALL)
def test_damaged_bytes(kind, damage, case_of, request):
    number = os.environ.get("HOODOO_DAMAGE")
    count = FLIPS if damage == "bit flip" else OTHERS
    numbers = range(count) if number is None else range(int(number), int(number) + 1)
    replay = f"pytest '{request.node.nodeid}' in an environment with HOODOO_DAMAGE="
    case_of(ALL[kind]).try_damages(damage, numbers, replay)
