"""Remarks: once for each public call, where it was called, and in its result."""

import pickle
import threading
import warnings

import pytest

import qassay
from qassay.core.remarks import collected, public, remark

RUN, QRELS = {"q1": {"d1": 1.0, "d2": 0.5}}, {"q1": {"D7": 1}}  # no document is judged


@public
def outer(times):
    for _ in range(times):
        inner()
    return times


@public
def inner():
    remark("odd")


@public
def refusing():
    remark("odd")
    raise ValueError("refused")


def heard(function, *arguments):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        function(*arguments)
    assert {warning.filename for warning in caught} <= {__file__}
    assert {warning.category for warning in caught} <= {UserWarning}
    return [str(warning.message) for warning in caught]


def test_the_outermost_call_issues_each_remark_once():
    assert heard(outer, 3) == ["odd"] and heard(inner) == ["odd"] and heard(outer, 0) == []
    assert heard(remark, "alone") == ["alone"]


def test_remarks_of_a_call_that_raises_are_issued():
    with pytest.warns(UserWarning, match="odd"), pytest.raises(ValueError, match="refused"):
        refusing()
    assert heard(inner) == ["odd"], "the call has been closed"


def test_collected_remarks_are_not_issued():
    def collect():
        with collected() as found:
            outer(2)
        assert list(found) == ["odd"]

    assert heard(collect) == []


def test_threads_do_not_share_a_call():
    found = []

    def elsewhere():
        with collected() as own:
            inner()
        found.append(list(own))

    @public
    def call():
        thread = threading.Thread(target=elsewhere)
        thread.start()
        thread.join()

    assert heard(call) == [] and found == [["odd"]]


def test_scores_keep_the_remarks_of_their_call():
    with pytest.warns(UserWarning, match="'d1'") as caught:
        scores = qassay.score("retrieval_ranking", RUN, QRELS)
    assert [str(warning.message) for warning in caught] == [*scores.remarks]
    with collected():
        again = qassay.score("retrieval_ranking", RUN, QRELS)
    assert again.remarks == () and again == scores and again.signature() == scores.signature()
    assert pickle.loads(pickle.dumps(scores)).remarks == scores.remarks


@pytest.mark.parametrize(
    "call",
    [
        lambda: qassay.stream("retrieval_ranking").add(RUN, QRELS),
        lambda: qassay.load("retrieval_ranking").compute(predictions=RUN, references=QRELS),
    ],
)
def test_other_ways_to_score_issue_the_same_remark(call):
    (line,) = heard(call)
    assert "'d1'" in line and "'D7'" in line
