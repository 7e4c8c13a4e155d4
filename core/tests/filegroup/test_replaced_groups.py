"""Replaced file groups that are missing: they were cleaned, which is normal, or their names are misspelt."""

from __future__ import annotations

import pytest

from hoodoo.errors import CorruptTableError
from hoodoo.filegroup.replaced_groups import check_replaced
from hoodoo.storage import LocalStorage
from hoodoo.timeline import Instant, Timeline

REPLACED, CLEANED = "20240101000002000", "20240101000003000"
ID = "4f2685a3-614f-49ca-9b2b-e1cb9fb61f27-0"
OTHER = "d398fae1-c0e6-4098-8124-f55f7098bdba-0"
FIXED = "00000001-0000-0000-0000-000000000000"


def check(tmp_path, missing, *found, cleaned=False, partition="p"):
    storage = LocalStorage(str(tmp_path))
    storage.create(f".hoodie/{REPLACED}.replacecommit", b"{}")
    if cleaned:
        storage.create(f".hoodie/{CLEANED}.clean", b"{}")
    groups = [group if isinstance(group, tuple) else ("p", group) for group in found]
    check_replaced(
        Timeline.load(storage), {(partition, missing): Instant(REPLACED, "replacecommit")}, dict.fromkeys(groups)
    )


@pytest.mark.parametrize("cleaned", [True, False])
@pytest.mark.parametrize(
    "missing",
    [ID.replace("4f26", "4f27"), ID.replace("e1cb", "f1cb"), ID.replace("-9b2b", ",9b2b"), ID.replace("614f", "f461")],
)
def test_a_misspelt_id(missing, cleaned, tmp_path):
    with pytest.raises(CorruptTableError, match=f"{REPLACED}.replacecommit' replaces file group '{missing}'"):
        check(tmp_path, missing, OTHER, ID, cleaned=cleaned)


def test_a_misspelt_partition(tmp_path):
    with pytest.raises(CorruptTableError, match=r"'.*' in partition 'p' may be meant"):
        check(tmp_path, ID, ID, partition="q", cleaned=True)


def test_groups_that_were_written_together_and_cleaned(tmp_path):
    neighbour = ID[:-1] + "1"
    check(tmp_path, ID, neighbour, cleaned=True)
    check(tmp_path / "elsewhere", ID, ("q", neighbour))


def test_a_group_that_no_cleaner_can_have_removed(tmp_path):
    with pytest.raises(CorruptTableError, match="may be meant"):
        check(tmp_path, ID, ID[:-1] + "1")


def test_groups_that_are_cleaned_or_there(tmp_path):
    check(tmp_path, ID, OTHER)
    check(tmp_path / "elsewhere", ID, ID, OTHER)


def test_ids_that_are_alike_on_purpose(tmp_path):
    """A writer of bucketed tables uses the same ids in every partition, which is not reported as a misspelt name."""
    check(tmp_path, FIXED, ("q", FIXED), FIXED.replace("1", "2"))


def test_another_group_that_is_replaced_too_is_not_meant(tmp_path):
    storage = LocalStorage(str(tmp_path))
    instant = Instant(REPLACED, "replacecommit")
    near = ID.replace("4f26", "4f27")
    check_replaced(Timeline.load(storage), {("p", ID): instant, ("p", near): instant}, {("p", ID): 0})
