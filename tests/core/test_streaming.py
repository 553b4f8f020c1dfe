"""Streams: bad batches leave nothing behind, and batches may leave no row."""

import pickle

import pyarrow as pa
import pytest

import qassay


def test_it_answers_at_any_time():
    stream = qassay.stream("answer_match")
    with pytest.raises(ValueError, match="nothing was added"):
        stream.summary()
    stream.add(["a"], [["a"]])
    assert stream.summary(["exact_match"]) == {"exact_match": 1.0}
    stream.add(["a"], [["b"]])
    assert stream.summary(["exact_match", "total"]) == {"exact_match": 0.5, "total": 2}
    assert repr(stream).startswith("<ScoreStream of 2 examples in 2 batches; answer_match|")
    assert pickle.loads(pickle.dumps(stream)).scores() == stream.scores()


def test_a_bad_batch_leaves_nothing_behind():
    stream = qassay.stream("answer_match")
    stream.add(["a"], [["a"]], ids=["q1"])
    before = stream.scores()
    for bad, error, message in (
        ({"predictions": ["a", 1], "references": [["a"], ["b"]], "ids": ["x", "y"]}, ValueError, r"predictions\[1\]"),
        ({"predictions": ["a", "b"], "references": [["a"], ["b"]], "ids": ["x", "q1"]}, ValueError, "batch 2 has the id 'q1'"),
        ({"predictions": ["a"], "references": [["a"]]}, ValueError, "batch 2 has none, but the batches before had ids"),
        (
            {"predictions": ["a"], "references": [["a"]], "ids": ["x"], "no_answer_probabilities": [0.1]},
            ValueError,
            "batch 2 has other columns",
        ),
    ):  # fmt: skip
        with pytest.raises(error, match=message):
            stream.add(**bad)
        assert stream.scores() == before
    stream.add(["a", "b"], [["a"], ["b"]], ids=["x", "y"])
    assert len(stream) == 3


def test_classes_must_be_given():
    stream = qassay.stream("label_metrics")
    with pytest.raises(ValueError, match=r"labels=\['cat', 'dog'\]"):
        stream.add(["cat"], ["dog"])
    assert len(stream) == 0
    stream = qassay.stream("label_metrics", labels=["cat", "dog", "fox"])
    for one, other in (("cat", "dog"), ("dog", "dog")):
        stream.add([one], [other])
    assert stream.scores() == qassay.score(
        "label_metrics", ["cat", "dog"], ["dog", "dog"], labels=["cat", "dog", "fox"]
    )


# --- batches without remaining rows -----------------------------------------------------------------------------------


def test_batches_without_a_remaining_query():
    options = {"missing": "skip", "skip_trivial": True}
    batches = [([None], [["b"]]), ([["a"], None, ["x", "a"]], [["a"], ["b"], ["a"]]), ([None, None], [["c"], ["d"]])]
    stream = qassay.stream("retrieval_ranking", **options)
    none: dict = {"query": [], "docid": [], "score": []}
    for empty in ((none, none), (none, {}), ({**none, "label": []},)):
        stream.add(*empty)
    for refused in ((none, {"q": ["d"]}), ({"q": []}, {"q": []})):
        with pytest.raises(ValueError, match="is empty|nothing to score"):
            stream.add(*refused)
    for run, qrels in batches:
        stream.add(run, qrels)
    whole = qassay.score(
        "retrieval_ranking",
        [row for run, _ in batches for row in run],
        [row for _, q in batches for row in q],
        **options,
    )
    assert stream.scores() == whole
    assert list(stream.scores().ids) == list(whole.ids)
    assert stream.summary() == whole.summary()


def test_batches_without_a_remaining_question():
    gold = [{"id": row, "type": "factoid", "exact_answer": [["a"], []][row % 2]} for row in range(6)]
    found = [{"id": row, "exact_answer": ["a"]} for row in (0, 1, 3, 5, 7)]
    stream = qassay.stream("factoid_accuracy", missing="skip")
    for start in (2, 0, 4):
        own = [row for row in found if start <= row["id"] < start + 2 or row["id"] == 7 and start == 2]
        stream.add(own, gold[start : start + 2])
    whole = qassay.score("factoid_accuracy", found, gold, missing="skip")
    assert stream.scores() == whole
    assert whole.notes == {"unmatched": 1, "duplicates": 0, "skipped": 2, "no_gold": 3}
    pipelines = [None, {"documents": ["d"], "answers": []}]
    stream = qassay.stream("retriever_reader", missing="skip")
    for row in pipelines:
        stream.add([row], pipelines[1:])
    assert stream.scores() == qassay.score("retriever_reader", pipelines, pipelines[1:] * 2, missing="skip")


def test_a_stream_without_remaining_rows_says_so_when_it_is_asked():
    stream = qassay.stream("retrieval_ranking", missing="skip")
    stream.add([None], [["a"]])
    with pytest.raises(ValueError, match=r"no example is left to score \(1 skipped\)"):
        stream.scores()
    assert len(stream) == 0


def test_batches_whose_weights_are_all_0():
    stream = qassay.stream("answer_match")
    stream.add(["a"], [["a"]], weights=[0.0])
    with pytest.raises(ValueError, match="all weights are 0"):
        stream.summary()
    stream.add(["a", "b"], [["b"], ["b"]], weights=[1.0, 3.0])
    assert stream.scores() == qassay.score(
        "answer_match", ["a", "a", "b"], [["a"], ["b"], ["b"]], weights=[0.0, 1.0, 3.0]
    )
    with pytest.raises(ValueError, match=r"weights\[0\] is -1"):
        stream.add(["a"], [["a"]], weights=[-1.0])


def test_positions_count_omitted_examples_of_any_column():
    run, qrels = [["a"], None, ["b"]], [["a"], ["b"], ["b"]]
    whole = qassay.score("retrieval_ranking", run * 2, qrels * 2, missing="skip")
    for kind in (list, iter, pa.array, lambda rows: pa.chunked_array([rows])):
        stream = qassay.stream("retrieval_ranking", missing="skip")
        for _ in range(2):
            stream.add(kind(run), kind(qrels))
        assert list(stream.scores().ids) == [0, 2, 3, 5] and stream.scores() == whole
