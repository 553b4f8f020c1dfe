"""What a family gets without saying anything: the base of those to come."""

import pytest

import karat
from karat.families import Family, get_family
from karat.files import Gold


@pytest.fixture
def scores():
    return karat.score("answer_match", {"a": "x", "b": "y"}, {"b": ["y"], "a": ["z"], "c": []}, missing="zero")


def gold(ids, **details):
    return Gold("gold.json", "table", {}, {}, ids, details)


def test_measures(scores):
    names = list(scores.measures)
    assert Family().usual_measures(scores) == names[:10] and len(names) > 10
    assert Family().main_measures(scores) == names[:2]
    assert Family().shown_measures(["f1"], scores) == ["f1"]
    assert Family().measure_options(["f1"], ["question_word"], gold(None), "table") == {}


def test_counts_and_their_words(scores):
    assert Family().notes_of(scores) == {"missing": 1}
    assert Family().note_words(scores.options)["missing"] == "without a prediction: scored 0"


def test_labels_of_gold_rows_follow_the_ids_of_the_scores(scores):
    there = gold(["a", "b", "x", "c", "b"], question=["Who?", "When?", "Where?", "Why?", "How?"])
    assert Family().slices(there, scores)["question_word"]() == ["when", "who", "why"]
    assert Family().of_examples(["u", "v", "w"], gold(None), scores) == ["u", "v", "w"]
    assert Family().slices(gold(None), scores) == {}


def test_an_unknown_family_is_named_with_those_there_are():
    with pytest.raises(ValueError, match=r"no metric 'retrieval' .*; there are: answer_match, .*retrieval_ranking"):
        get_family("retrieval")
