"""The subject of an error: it is marked once, keeps type and message, and survives pickling."""

import pickle

import pytest

import qassay
from qassay.cluster.blocks import plain_error
from qassay.core.errors import NoGoldAnswer, NothingToScore, NoWeight, about, blamed, column_to_blame
from qassay.registry import FAMILIES


def test_the_inner_block_marks_the_error():
    with pytest.raises(ValueError, match="^x$") as caught, about("references"), about("weights"):
        raise ValueError("x")
    assert column_to_blame(caught.value) == "weights"
    with pytest.raises(TypeError) as caught, about("references"):
        raise blamed(TypeError("lengths differ"), None)
    assert column_to_blame(caught.value) is None
    with pytest.raises(KeyError) as caught, about("references"):
        raise KeyError("x")
    assert not hasattr(caught.value, "column")
    assert column_to_blame(ValueError("x")) is None


@pytest.mark.parametrize("kind", [ValueError, TypeError, NothingToScore, NoWeight, NoGoldAnswer])
def test_errors_travel_with_their_column(kind):
    error = blamed(kind("row 3"), "references")
    sent = pickle.loads(pickle.dumps(error))
    assert (type(sent), str(sent), column_to_blame(sent)) == (kind, "row 3", "references")
    plain = plain_error(error)
    assert isinstance(error, type(plain)) and plain.__class__.__module__ == "builtins"
    assert (str(plain), column_to_blame(plain)) == ("row 3", "references")


def test_options_say_what_data_decided_and_what_they_omit():
    found = qassay.score("label_metrics", ["a", "b", "c", "d"], ["a"] * 4).options.from_data()
    assert found == ("its classes", "the option labels, for example labels=['a', 'b', 'c', ...]")
    for name, options, reasons in (
        ("answer_match", {"missing": "zero"}, []),
        ("average_precision", {}, []),
        ("factoid_accuracy", {"phase": "A"}, ["skipped"]),
        ("retrieval_ranking", {"missing": "skip", "skip_trivial": True}, ["skipped", "trivial"]),
        ("retrieval_ranking", {"skip_trivial": True}, ["trivial"]),
    ):
        made = FAMILIES[name].load()[1](**options)
        assert list(made.leaves_out()) == reasons
        assert made.from_data() is None
