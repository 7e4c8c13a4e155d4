"""The verdicts of Hudi's keys, compared with the list of keys from its bundles."""

from __future__ import annotations

from pathlib import Path

import pytest

from hoodoo.cli.reference.hudi_page import all_keys, hudi_page, verdict_in_words
from hoodoo.errors import OptionError
from hoodoo.options.hudi import VERDICTS, Effect, earlier_keys, listed_keys, preferred_name, verdict_of
from hoodoo.options.parsing.parse import option_of

PAGE = Path(__file__).parents[4] / "docs/hudi-keys.md"

# a hand-written list: keys of each group of Hudi's documentation, with the verdict that users need
KNOWN = {
    "hoodie.datasource.write.recordkey.field": "option `record_key`",
    "hoodie.datasource.view.type": "option `query_type`",
    "hoodie.table.services.enabled": "option `table_services`",
    "hoodie.keygen.timebased.timestamp.type": "option of the key generator (`keygen_options`)",
    "hoodie.write.lock.zookeeper.url": "option of the lock provider (`lock_options`)",
    "hoodie.upsert.shuffle.parallelism": "no effect: parallelism",
    "hoodie.metrics.datadog.api.key": "no effect: metrics",
    "hoodie.datasource.hive_sync.enable": "option `hive_sync`",
    "hoodie.datasource.hive_sync.metastore.uris": "option of the catalog provider (`catalog_options`)",
    "hoodie.datasource.hive_sync.bucket_sync": "no effect: catalog sync",
    "hoodie.clustering.inline": "no effect, with a notice: clustering",
    "hoodie.metadata.record.index.enable": "option `index_record_keys`",
    "hoodie.metadata.keep.max.commits": "no effect: metadata table",
    "hoodie.populate.meta.fields": "option `populate_meta_fields`",
    "hoodie.allow.operation.metadata.field": "refused: meta columns",
    "hoodie.partition.ttl.inline": "refused: partition lifetime",
    "hoodie.datasource.read.incr.filters": "refused: rows of a query",
    "hoodie.precommit.validators": "refused: validators",
}


@pytest.mark.parametrize("key", KNOWN)
def test_the_verdict_of_a_key(key: str) -> None:
    assert verdict_in_words(key) == KNOWN[key]


def test_every_key_of_hudi_has_a_verdict() -> None:
    assert len(listed_keys()) > 600
    assert len(earlier_keys()) > 40
    assert all(verdict_in_words(key) for key in all_keys())


def test_a_key_that_hudi_does_not_have_has_no_verdict() -> None:
    with pytest.raises(LookupError, match="no verdict"):
        verdict_in_words("hoodie.no.such.key")


def test_every_rule_decides_about_a_key() -> None:
    decided = {verdict_of(key) for key in all_keys() if option_of(key) is None}
    outside = {
        "Flink",
        "object stores",
        "other sources of Spark",
        "programs around Hudi",
        "settings of Spark",
        "streams",
    }
    idle = [verdict for verdict in VERDICTS if verdict not in decided and verdict.subject not in outside]
    # these keys are no `ConfigProperty`, or their names have changed before the releases of the list
    places = {"hoodie.table.path", "hoodie.table.base.path", "hoodie.table.location"}
    assert {key for verdict in idle for key in verdict.keys} == {"hoodie.index.global.index", *places}


def test_every_pattern_matches_a_key_of_its_rule_or_names_one() -> None:
    for verdict in VERDICTS:
        for pattern in verdict.keys:
            assert verdict.matches(pattern.replace("*", "x").lower()), pattern
            assert pattern == pattern.lower() or "*" not in pattern


def test_a_reason_is_a_clause_that_names_no_key_of_another_rule() -> None:
    for verdict in VERDICTS:
        assert len(verdict.reason) > 20
        assert not verdict.reason.endswith(".")
        assert bool(verdict.advice) == (verdict.effect is Effect.MISSED), verdict.keys


def test_an_alternative_name_has_the_effect_of_its_key() -> None:
    for key, others in listed_keys().items():
        for name in others:
            assert verdict_in_words(name) == verdict_in_words(key)


def test_the_preferred_name_of_an_alternative() -> None:
    assert preferred_name("hoodie.cleaner.policy") == "hoodie.clean.policy"
    assert preferred_name("hoodie.clean.policy") == "hoodie.clean.policy"


@pytest.mark.parametrize(
    ("key", "value", "effect"),
    [
        ("hoodie.clustering.inline", "false", None),
        ("hoodie.clustering.inline", False, None),
        ("hoodie.clustering.inline", "TRUE", Effect.MISSED),
        ("hoodie.allow.operation.metadata.field", "false", None),
        ("hoodie.write.concurrency.early.conflict.detection.enable", "true", Effect.NONE),
        ("hoodie.write.num.retries.on.conflict.failures", "0", None),
        ("hoodie.write.num.retries.on.conflict.failures", 3, Effect.MISSED),
        ("hoodie.metrics.graphite.port", "4756", Effect.NONE),
    ],
)
def test_the_effect_of_a_value(key: str, value: object, effect: Effect | None) -> None:
    verdict = verdict_of(key)
    assert verdict is not None
    assert verdict.effect_of(key, value) is effect


@pytest.mark.parametrize(
    ("key", "value"), [("hoodie.allow.operation.metadata.field", "true"), ("hoodie.metadata.index.async", "maybe")]
)
def test_a_refused_value_is_named_with_the_reason(key: str, value: str) -> None:
    verdict = verdict_of(key)
    assert verdict is not None
    with pytest.raises(OptionError, match=value) as raised:
        verdict.effect_of(key, value)
    assert verdict.reason in str(raised.value)


def test_the_checked_in_page_is_up_to_date() -> None:
    if not PAGE.parent.exists():
        pytest.skip("the documentation is part of the checkout only")
    assert PAGE.read_text() == hudi_page(), "run: python -m hoodoo.cli.reference.hudi_page docs/hudi-keys.md"
