"""The two later sets of adversarial cases and the cases in other languages are whole, balanced and new."""

import json
from collections import Counter
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parents[2] / "benchmarks" / "misleading_answers"
LANGUAGE_KINDS = {"explained", "other_entity", "wrong_number_or_date", "negation", "refusal", "paraphrase"}


def read(name):
    return [json.loads(line) for line in (HERE / name).read_text("utf-8").splitlines()]


def keys(rows):
    return [tuple(" ".join(row[name].casefold().split()) for name in ("question", "answer")) for row in rows]


@pytest.fixture(scope="module")
def fresh():
    return read("adversarial_fresh.jsonl")


@pytest.fixture(scope="module")
def unseen():
    return read("adversarial_unseen.jsonl")


@pytest.fixture(scope="module")
def other_languages():
    return read("other_languages.jsonl")


def test_every_kind_has_twelve_fresh_cases_and_both_verdicts(fresh):
    kinds = {row["kind"] for row in read("adversarial.jsonl")}
    accepted = Counter(row["kind"] for row in fresh if row["accept"])
    assert len(kinds) == 20
    assert Counter(row["kind"] for row in fresh) == dict.fromkeys(kinds, 12)
    assert accepted.pop("other_entity") == 3
    assert all(4 <= accepted[kind] <= 8 for kind in kinds - {"other_entity"})


def test_every_language_has_fifteen_cases_half_of_them_accepted(other_languages):
    accepted = Counter(row["language"] for row in other_languages if row["accept"])
    assert Counter(row["language"] for row in other_languages) == dict.fromkeys(
        ("de", "fr", "es", "zh", "ja", "ar"), 15
    )
    assert accepted.total() == 45 and all(n in (7, 8) for n in accepted.values())
    for language in accepted:
        assert {row["kind"] for row in other_languages if row["language"] == language} == LANGUAGE_KINDS


@pytest.mark.parametrize(
    ("name", "columns"),
    [
        ("adversarial_fresh.jsonl", ["kind", "question", "golds", "answer", "accept"]),
        ("adversarial_unseen.jsonl", ["kind", "question", "golds", "answer", "accept"]),
        ("other_languages.jsonl", ["language", "kind", "question", "golds", "answer", "accept"]),
    ],
)
def test_every_case_has_its_columns_and_one_to_four_different_gold_answers(name, columns):
    for row in read(name):
        assert list(row) == columns
        assert isinstance(row["accept"], bool) and isinstance(row["answer"], str) and row["question"].strip()
        assert 1 <= len(row["golds"]) <= 4 and len(set(row["golds"])) == len(row["golds"])
        assert all(isinstance(gold, str) and gold == gold.strip() != "" for gold in row["golds"])


def test_no_case_is_there_twice_or_in_the_first_set(fresh, unseen, other_languages):
    new = keys(fresh) + keys(unseen) + keys(other_languages)
    assert len(set(new)) == len(new)
    assert not set(new) & set(keys(read("adversarial.jsonl")))
