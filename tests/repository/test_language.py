"""Plain technical English in docstrings, comments, messages and documents: a list of banned phrases.

`python tests/repository/test_language.py` prints the violations in the checked files, and exits with 1 if it finds any.
With `--count` it prints the number of violations by folder for the whole repository, with `--all` every violation.
The module imports nothing but the standard library, so that `tox -e lint` can run it.
"""

from __future__ import annotations

import ast
import io
import os
import re
import sys
import tokenize
from collections import Counter
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]

CHECKED = ("",)
"""Prefixes of the paths that must not have violations: the whole repository."""

GENERATED = ("docs/options.md", "docs/plugins/")
"""Pages that are generated from docstrings and option declarations, which are checked instead."""

BANNED = {
    r"tells?|told": "name the action: 'states', 'passes', 'receives'",
    r"knows|believes|thinks|wants|wishes": "code has no mind: 'stores', 'assumes', 'requires'",
    r"asks|asked": "'requests', 'calls', 'reads'",
    r"says?|said": "'states', 'shows', 'has'",
    r"look(?:s|ed|ing)? at": "'reads', 'checks', 'examines'",
    r"(?:gives?|gave|given|giving)(?: [a-z']+){1,4} back": "'returns', 'restores'",
    r"nobody|somebody|whoever|everybody|anybody": "name the process, the user or the file",
    r"(?<!there\s)(?:is|are|was|were) no(?! longer\b| more\b| less\b| \w+er than\b)(?= \w)": "'is not a'",
    r"beside": "'next to', 'with', 'during', 'in addition to'",
    r"meanwhile": "'in the meantime', 'at the same time'",
    r"anew": "'again'",
    r"tak(?:es?|en|ing) leave|took leave": "'removes', 'disables'",
    r"stands?(?! for\b)|stands? for itself|stood": "'is', 'survives', 'is stored'",
    r"(?:becomes?|became|comes?|came) of": "'result', 'becomes'",
    r"(?:gives?|gave|given|giving) back": "'releases', 'returns'",
    r"but for": "'except'",
    r"for good|for ever": "'permanently', 'always'",
    r"all the same": "'nevertheless'",
    r"that there (?:is|are|was|were)": "'existing'",
    r"by turns": "'alternately'",
    r"the best part of": "give a number",
    r"in hand": "'already read', 'available'",
    r"let no|have no part": "'prevent', 'disable'",
    r"thereof|whereof|whereby|wherein|lest|whence|thence|hitherto|forthwith": "use a modern word",
}
"""Regular expressions of banned phrases, with replacements. A space matches any white space."""

OPENINGS = ("As", "How", "Of", "That", "What", "When", "Where", "Whether", "Which", "Who", "Whose")
"""Words that must not open a docstring: use an imperative verb for a function and a noun for a class."""


def _compiled(phrase: str) -> re.Pattern[str]:
    """Return the pattern of a phrase, as whole words, in which a space matches any white space."""
    return re.compile(r"\b(?:" + phrase.replace(" ", r"\s+") + r")(?!\w)", re.IGNORECASE)


_PHRASES = {_compiled(phrase): hint for phrase, hint in BANNED.items()}
_OPENING = re.compile(rf"\s*({'|'.join(OPENINGS)})\b")
_WORDS_OF_PROSE = 3
_CODE = re.compile(r"```.*?```|``.*?``|`[^`]*`|<!--.*?-->|\]\([^)]*\)|https?://\S+", re.DOTALL)


class Text(NamedTuple):
    """A piece of prose of a file."""

    line: int
    text: str
    is_docstring: bool = False


class Violation(NamedTuple):
    """A banned phrase or opening in a file, with a hint for its replacement."""

    path: str
    line: int
    phrase: str
    hint: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: '{self.phrase}': use {self.hint}"


def files() -> Iterator[str]:
    """Yield the paths of all files with prose, relative to the repository, in order."""
    ignored = [pattern.rstrip("/") for pattern in (ROOT / ".gitignore").read_text(encoding="utf-8").split()]
    for place, folders, names in os.walk(ROOT):
        folders[:] = sorted(name for name in folders if name != ".git" and not any(fnmatch(name, i) for i in ignored))
        for name in sorted(names):
            path = Path(place, name).relative_to(ROOT).as_posix()
            if name.endswith((".md", ".py", ".toml", ".ini")) and not path.startswith(GENERATED):
                yield path


def texts(path: str, source: str) -> Iterator[Text]:
    """Yield the prose of a file: a document, or comments; of Python also docstrings and, outside of tests, messages."""
    if path.endswith(".md"):
        yield Text(1, source)
    elif path.endswith(".py"):
        yield from _comments(source)
        yield from _strings(ast.parse(source), messages="tests/" not in path)
    else:
        for number, line in enumerate(source.splitlines(), 1):
            yield Text(number, line.partition("#")[2])


def _comments(source: str) -> Iterator[Text]:
    """Yield comments, with adjacent lines joined: a phrase may extend over a line break."""
    block: list[str] = []
    begin = last = 0
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            if block and token.start[0] != last + 1:
                yield Text(begin, "\n".join(block))
                block = []
            begin = begin if block else token.start[0]
            last = token.start[0]
            block.append(token.string.lstrip("# "))
    if block:
        yield Text(begin, "\n".join(block))


def _strings(tree: ast.Module, *, messages: bool) -> Iterator[Text]:
    """Yield docstrings, also those of attributes, and with `messages` the other strings of several words."""
    docstrings = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            docstrings.add(node.value)
            yield Text(node.lineno, node.value.value, is_docstring=True)
    for node in ast.walk(tree) if messages else ():
        is_text = isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in docstrings
        if is_text and len(node.value.split()) >= _WORDS_OF_PROSE:
            yield Text(node.lineno, node.value)


def violations(path: str, source: str) -> Iterator[Violation]:
    """Yield the banned phrases of a file, and the banned openings of its docstrings."""
    for line, text, is_docstring in texts(path, source):
        opening = _OPENING.match(text) if is_docstring else None
        if opening:
            yield Violation(path, line, f"{opening[1]} ...", "an imperative verb or a noun as the first word")
        prose = _CODE.sub(lambda code: re.sub(r"[^\n]", " ", code[0]), text)
        prose = re.sub(r"[ \t]*\n[ \t]*", "\n", prose)
        for pattern, hint in _PHRASES.items():
            for found in pattern.finditer(prose):
                yield Violation(path, line + prose.count("\n", 0, found.start()), " ".join(found[0].split()), hint)


def violations_below(prefixes: tuple[str, ...]) -> list[Violation]:
    """Return the violations of all files whose paths start with one of the prefixes."""
    paths = (path for path in files() if path.startswith(prefixes))
    return [found for path in paths for found in violations(path, (ROOT / path).read_text(encoding="utf-8"))]


def folder_of(path: str) -> str:
    """Return the folder under which `--count` reports a file."""
    parts = path.split("/")[:-1]
    return "/".join(parts[: 4 if parts[:2] == ["core", "src"] else 2]) or "."


def test_a_banned_phrase_is_found_wherever_prose_is():
    source = '''"""Module."""
# the reader is
# no reader
LIMIT = 1
"""What is allowed."""


def check(name):
    """Return whether nobody `told` it."""
    raise ValueError(f"{name} is beside the table")
'''

    found = [(violation.line, violation.phrase) for violation in violations("core/src/x.py", source)]

    assert sorted(found) == [(2, "is no"), (5, "What ..."), (9, "nobody"), (10, "beside")]
    assert [str(v) for v in violations("docs/x.md", "# A\n\nit is\nanew `told`\n")] == [
        "docs/x.md:4: 'anew': use 'again'"
    ]


def test_plain_sentences_are_accepted():
    plain = "There is no table, and there\n  is no row. A lock is no longer held.\n\n`nobody` stands for a user.\n"

    assert list(violations("docs/x.md", plain)) == []
    assert list(violations("x.py", '"""Return what is left."""\n\ntold = "told"\n')) == []


def main(arguments: list[str]) -> int:
    """Print violations, or their number by folder, and return the exit code."""
    if arguments == ["--count"]:
        found = Counter(folder_of(violation.path) for violation in violations_below(("",)))
        for folder, number in sorted(found.items()):
            print(f"{number:6} {folder}")
        print(f"{found.total():6} in all")
        return 0
    shown = violations_below(("",) if arguments == ["--all"] else CHECKED)
    for violation in shown:
        print(violation)
    return 1 if shown else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
