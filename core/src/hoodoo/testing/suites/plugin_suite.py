"""Common base of the suites of all families: look-up of the plugin, merge vectors, and checks of overridden tests."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import attrs
import pytest

from hoodoo.errors import HoodooError, OptionError, PluginError, PluginFault, UnknownPlugin
from hoodoo.plugin.faults import packages_of, place_of
from hoodoo.plugin.installed.allow_list import BUILTIN, allowed_by
from hoodoo.plugin.installed.catalogue import PluginClass, PluginSpec, default_catalogue
from hoodoo.plugin.installed.families import FAMILIES
from hoodoo.plugin.installed.names import normalised
from hoodoo.testing.checks.failure_report import report
from hoodoo.testing.checks.generated import fail_with_fault
from hoodoo.testing.shared_data import shared_folder
from hoodoo.testing.vectors import delete_rules, run_vectors

__all__ = ["NamedSuite", "Suite", "replaces"]

Test = TypeVar("Test", bound=Callable[..., Any])

_PACKAGE = "hoodoo.testing"
_MARK = "_replaces_a_test_of_the_kit"
_FIRST = "test_is_found_by_its_name"


def replaces(reason: str) -> Callable[[Test], Test]:
    """Mark a method that replaces the kit's test of the same name.

    Without the mark such a method is an error, because a test that is overridden by accident would not be noticed.

    Args:
        reason: The reason why the kit's own test does not fit the plugin.

    Raises:
        PluginError: The reason is empty.
    """
    if not isinstance(reason, str) or not reason.strip():
        raise PluginError('`replaces` needs a reason; write, for example, @replaces("keys are random by definition")')

    def mark(test: Test) -> Test:
        setattr(test, _MARK, reason)
        return test

    return mark


class NamedSuite:
    """Base of the suites. The test of a plugin derives a class `Test...` from the suite of its family.

    Attributes:
        plugin: The name of the plugin, which is that of its entry point.
        options: The options of the plugin.
    """

    family: ClassVar[str]
    plugin: ClassVar[str]
    options: ClassVar[Mapping[str, Any]] = {}
    _problem: ClassVar[str]

    def __init_subclass__(cls, **arguments: Any) -> None:
        super().__init_subclass__(**arguments)
        if cls.__module__.startswith(f"{_PACKAGE}."):
            return
        kit = {name: (base, test) for base in reversed(cls.__mro__) for name, test in _tests_of(base)}
        for name, (base, test) in kit.items():
            found = inspect.getattr_static(cls, name)
            if found is not test and not hasattr(found, _MARK):
                raise PluginError(
                    f"{cls.__qualname__} overrides {name}, a test of {_PACKAGE}.{base.__name__}: give it another name, "
                    'or mark it as a replacement with a reason: @hoodoo.testing.replaces("reason")'
                )
        for name, test in vars(cls).items():
            if hasattr(test, _MARK) and name not in kit:
                raise PluginError(
                    f"{cls.__qualname__}.{name} is marked to replace a test that the kit does not have; rename it, or "
                    "remove the mark"
                )

    @property
    def label(self) -> str:
        """Return the name of the plugin in messages."""
        return f"{FAMILIES[self.family].noun} '{self.plugin}'"

    def loaded(self) -> PluginClass:
        """Return the imported plugin."""
        return default_catalogue().load(self.family, self.plugin)

    def made(self) -> Any:
        """Return a new instance with the options.

        Raises:
            HoodooError: `options` is not a mapping, or the plugin cannot be made with these options.
        """
        if not isinstance(self.options, Mapping):
            raise OptionError(
                f"`options` of {type(self).__qualname__} is {self.options!r}; it must be a dictionary: options = "
                "{'option': value}"
            )
        return default_catalogue().make(self.family, self.plugin, self.options)

    @contextmanager
    def errors_reported(self) -> Iterator[None]:
        """Report an exception of the plugin's own code as a failure of the test, with the line of that code.

        Errors that a plugin raises on purpose (`HoodooError`) and errors of other code are not changed.
        """
        try:
            yield
        except PluginFault as fault:
            fail_with_fault(fault)
        except HoodooError:
            raise
        except Exception as error:
            place = place_of(error, packages_of(self.made()))
            if not place:
                raise
            fail_with_fault(PluginFault(f"{self.label} raised {type(error).__name__}: {error}", place=place))

    def is_builtin(self) -> bool:
        """Return whether the plugin is one of the official plugins."""
        return allowed_by([BUILTIN], self.loaded().info)

    @pytest.fixture(autouse=True)
    def _skip_without_plugin(self, request: pytest.FixtureRequest) -> None:
        """Skip a test of the kit if the plugin cannot be made: `test_is_found_by_its_name` reports the reason.

        If that test is not among the selected tests, fail with the reason.
        """
        if request.function.__name__ == _FIRST or not request.function.__module__.startswith(f"{_PACKAGE}."):
            return
        cls = type(self)
        if "_problem" not in vars(cls):
            cls._problem = self._found_problem()
        if not cls._problem:
            return
        chosen = (item for item in request.session.items if getattr(item, "cls", None) is cls)
        if any(getattr(item, "originalname", "") == _FIRST for item in chosen):
            pytest.skip(f"{self.label} cannot be made: see {_FIRST}")
        pytest.fail(cls._problem, pytrace=False)

    def _found_problem(self) -> str:
        """Return the reason why the plugin cannot be made; "" if it can."""
        try:
            self.made()
        except UnknownPlugin as error:
            return (
                f"{error}\n\nInstall the distribution with its entry point, then run the tests again: pip install -e ."
            )
        except HoodooError as error:
            return str(error)
        return ""

    def test_is_found_by_its_name(self) -> None:
        """Test that the entry point leads to a documented class of the family, and that the options are valid."""
        if problem := self._found_problem():
            pytest.fail(problem, pytrace=False)
        info = default_catalogue().find(self.family, self.plugin)

        assert normalised(info.name) == normalised(self.plugin), (
            f"'{self.plugin}' is an alias; set `plugin` to the name of the plugin, '{info.name}'"
        )
        assert self.loaded().description, (
            f"module {info.module} has no docstring; add one, whose first line describes the plugin"
        )
        assert isinstance(self.made(), self.loaded().cls)


class Suite(NamedSuite):
    """Base of the suites of plugins that work on rows.

    Attributes:
        vectors: Merge vectors: paths of JSON files, relative to the folder of the test, or the vectors themselves.
    """

    vectors: ClassVar[Sequence[str | Path | Mapping[str, Any]]] = ()

    def test_travels_to_an_executor(self) -> None:
        """Test that the instance that an executor makes from name, version and options has the same options."""
        spec = default_catalogue().spec(self.family, self.plugin, self.options)
        arrived = PluginSpec.from_json(spec.to_json()).resolve()

        assert _fields(arrived) == _fields(self.made())

    def test_vectors(self) -> None:
        """Test that each merge vector gives the expected result."""
        vectors = [*self._own_vectors(), *self._shared_vectors()]
        if not vectors:
            pytest.skip(f"no merge vectors of {self.family} '{self.plugin}'")
        failures = run_vectors(vectors)
        lines = [
            line
            for failure in failures
            for line in ((f"{failure.id} expected", failure.expected), ("actual", failure.actual))
        ]
        if lines:
            pytest.fail(report(f"merge vectors that fail: {len(failures)} of {len(vectors)}", lines), pytrace=False)

    def _own_vectors(self) -> Iterator[dict[str, Any]]:
        folder = Path(inspect.getfile(type(self))).parent
        for given in self.vectors:
            if isinstance(given, Mapping):
                yield dict(given)
            else:
                yield from json.loads((folder / given).read_text(encoding="utf-8"))

    def _shared_vectors(self) -> Iterator[dict[str, Any]]:
        """Yield the shared vectors of an official plugin whose other plugins are installed; none for other plugins."""
        folder = shared_folder(Path(inspect.getfile(type(self))))
        for file in sorted(folder.glob("vectors/*.json")) if folder and self.is_builtin() else ():
            for vector in json.loads(file.read_text(encoding="utf-8")):
                same_plugin = vector["kind"] == self.family and normalised(vector["name"]) == normalised(self.plugin)
                if same_plugin and _can_run(vector):
                    yield vector


def _fields(instance: Any) -> dict[str, Any]:
    declared = attrs.fields(type(instance)) if attrs.has(type(instance)) else ()
    return {field.name: getattr(instance, field.name) for field in declared if field.init}


def _tests_of(base: type) -> Iterator[tuple[str, Any]]:
    if base.__module__.startswith(f"{_PACKAGE}."):
        yield from ((name, test) for name, test in vars(base).items() if name.startswith(("test_", "pytest_")))


def _can_run(vector: Mapping[str, Any]) -> bool:
    """Return whether the other plugins of a vector are installed. They may be missing when a plugin is tested alone."""
    if vector["kind"] not in ("payload", "merger"):
        return True
    payloads = {normalised(info.name) for info in default_catalogue().list("payload")}
    original = vector["config"].get("original_payload")
    if original is not None and normalised(original) not in payloads:
        return False
    installed = {normalised(info.name) for info in default_catalogue().list("delete")}
    return {normalised(name) for name in delete_rules(vector, default_catalogue())} <= installed
