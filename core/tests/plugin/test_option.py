"""Options: declared as fields, given by name or key, converted from strings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import pytest
from attrs import Factory, frozen, validators

from hoodoo.errors import OptionError, UnknownOption
from hoodoo.plugin import option
from hoodoo.plugin.option import convert_options, describe_options

LABEL = "merger 'sample' (acme 1.0)"


@frozen
class Sample:
    column: str = option(help="Column to compare.")
    strict: bool = option(default=False, key="hoodie.sample.strict", help="Refuse ties.")
    depth: int = option(default=3)
    ratio: float = option(default=0.5)
    names: tuple[str, ...] = option(default=())
    sizes: list[int] = option(default=Factory(list))
    rules: Mapping[str, str] = option(default=Factory(dict))
    zone: str | None = option(default=None)
    side: Literal["left", "right"] = option(default="left")
    mixed: tuple[str, ...] | dict[str, int] = option(default=())
    anything: Any = option(default=None)


def convert(**given):
    return convert_options(LABEL, describe_options(Sample), {"column": "c", **given})


def test_an_option_is_described_as_it_is_declared():
    infos = {info.name: info for info in describe_options(Sample)}

    assert list(infos)[:2] == ["column", "strict"]
    assert infos["column"].required
    strict = infos["strict"]
    assert (strict.key, strict.type, strict.required, strict.default, strict.help) == (
        "hoodie.sample.strict", "bool", False, False, "Refuse ties.",
    )  # fmt: skip
    assert infos["names"].type == "tuple[str, ...]"
    assert infos["zone"].type == "str | None"
    assert infos["rules"].default == {}


def test_a_class_without_attrs_has_no_options():
    class Plain:
        pass

    assert describe_options(Plain) == ()


@pytest.mark.parametrize(
    ("name", "given", "expected"),
    [
        ("strict", "true", True),
        ("strict", " FALSE ", False),
        ("strict", "1", True),
        ("strict", True, True),
        ("depth", "12", 12),
        ("depth", -1, -1),
        ("ratio", "1e-3", 0.001),
        ("ratio", 2, 2.0),
        ("names", "a, b ,c", ("a", "b", "c")),
        ("names", ["a", "b"], ("a", "b")),
        ("names", "", ()),
        ("sizes", "1,2", [1, 2]),
        ("rules", '{"a": "b"}', {"a": "b"}),
        ("rules", {"a": "b"}, {"a": "b"}),
        ("zone", None, None),
        ("zone", "UTC", "UTC"),
        ("side", "right", "right"),
        ("mixed", '{"a": 1}', ('{"a": 1}',)),
        ("mixed", {"a": "1"}, {"a": 1}),
        ("mixed", ["x"], ("x",)),
        ("anything", 5, 5),
    ],
)
def test_values_are_converted_to_the_type_of_the_option(name, given, expected):
    value = convert(**{name: given})[name]

    assert value == expected
    assert type(value) is type(expected)


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("column", 5),
        ("column", None),
        ("strict", "maybe"),
        ("strict", 1),
        ("depth", "3.5"),
        ("depth", 3.5),
        ("depth", True),
        ("ratio", "much"),
        ("ratio", 10**400),
        ("names", 7),
        ("names", ["a", 1]),
        ("sizes", "1,x"),
        ("rules", "a=b"),
        ("rules", "[1]"),
        ("rules", "[" * 100_000),
        ("rules", {"a": 1}),
        ("side", "up"),
    ],
)
def test_a_value_of_another_type_is_refused_naming_option_and_plugin(name, given):
    with pytest.raises(OptionError, match=rf"option '{name}' of merger 'sample' \(acme 1\.0\) takes ") as caught:
        convert(**{name: given})
    assert repr(given) in str(caught.value)


def test_an_option_is_set_by_its_key_whatever_the_case():
    assert convert(**{"hoodie.sample.strict": "true"}) == {"column": "c", "strict": True}
    assert convert(**{"Hoodie.Sample.STRICT": "true"}) == {"column": "c", "strict": True}


def test_name_and_key_together_must_agree():
    assert convert(**{"hoodie.sample.strict": "true", "strict": True})["strict"] is True
    with pytest.raises(OptionError, match=r"option 'strict' of .* is given twice, as True and 'false'"):
        convert(strict=True, **{"hoodie.sample.strict": "false"})


def test_an_unknown_option_names_the_plugin_and_what_is_near():
    with pytest.raises(
        UnknownOption, match=r"merger 'sample' \(acme 1\.0\) has no option 'colum'; did you mean 'column'\?"
    ):
        convert(colum="c")
    with pytest.raises(UnknownOption, match="did you mean 'strict'"):
        convert(**{"hoodie.sample.strictly": True})
    with pytest.raises(UnknownOption, match="it has anything, column, depth"):
        convert(qqqqqqqqqqq=1)
    with pytest.raises(UnknownOption, match="it has no options"):
        convert_options(LABEL, (), {"x": 1})


def test_a_required_option_that_is_missing_is_named_with_its_help():
    with pytest.raises(OptionError, match=r"needs option 'column': Column to compare$"):
        convert_options(LABEL, describe_options(Sample), {})


VALIDATED = '''
    """Checks its options."""
    from attrs import frozen, validators
    from hoodoo.errors import OptionError
    from hoodoo.plugin import RowMerger, hookimpl, option

    @frozen
    class Checked(RowMerger):
        depth: int = option(default=1, validator=validators.ge(1))
        side: str = option(default="left")

        def __attrs_post_init__(self):
            if self.side == "up":
                raise OptionError("'side' cannot be up")

        def merge(self, older, newer, context, config):
            return newer

    @hookimpl
    def hoodoo_merger():
        return Checked
'''


def test_a_plugin_may_refuse_its_options(site):
    site.install_merger("checked", VALIDATED)
    catalogue = site.catalogue()

    assert catalogue.make("merger", "checked", {"depth": "2"}).depth == 2
    with pytest.raises(OptionError, match=r"merger 'checked' \(fake-checked 1\.0\) refuses its options: .*depth"):
        catalogue.make("merger", "checked", {"depth": "0"})
    with pytest.raises(OptionError, match=r"^'side' cannot be up$"):
        catalogue.make("merger", "checked", {"side": "up"})


def test_a_validator_of_attrs_can_be_given():
    @frozen
    class Bounded:
        depth: int = option(default=1, validator=validators.ge(1))

    assert Bounded(2).depth == 2
    with pytest.raises(ValueError, match="depth"):
        Bounded(0)
