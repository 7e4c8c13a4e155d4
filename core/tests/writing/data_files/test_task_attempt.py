"""Names and numbers that no other attempt at a task uses."""

from __future__ import annotations

import re

from hoodoo.writing.data_files.data_file import StoredFiles
from hoodoo.writing.data_files.returned_files import ReturnedFiles
from hoodoo.writing.data_files.task_attempt import Numbering, TaskAttempt, WriteToken


def test_two_attempts_at_one_task_have_different_tokens():
    first, second = WriteToken(3), WriteToken(3)
    assert str(first) != str(second)
    assert str(first) == str(first)


def test_a_token_is_three_java_ints_and_begins_with_the_task():
    for _ in range(50):
        match = re.fullmatch(r"3-(\d+)-(\d+)", str(WriteToken(3)))
        assert max(map(int, match.groups())) < 2**31


def test_no_number_is_given_out_twice():
    numbering = Numbering()
    assert [numbering.reserve(count) for count in (3, 0, 2, 1)] == [0, 3, 3, 5]


def test_an_attempt_stores_its_files_unless_others_are_given(storage):
    assert TaskAttempt(storage, WriteToken(1)).files == StoredFiles(storage)
    returned = ReturnedFiles(storage, 10)
    assert TaskAttempt(storage, WriteToken(1), returned).files is returned


def test_each_attempt_numbers_by_itself(storage):
    first, second = TaskAttempt(storage, WriteToken(1)), TaskAttempt(storage, WriteToken(1))
    first.numbering.reserve(10)
    assert second.numbering.reserve(1) == 0
