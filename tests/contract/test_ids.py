"""1 and "1" are one id in every family: in columns, in files, in comparisons and in streams."""

import json

import pytest

import qassay

from .families import MODULES, every_module


def by(ids, rows):
    return dict(zip(ids, rows, strict=True))


@every_module
def test_a_number_and_its_digits_are_one_id(module):
    predictions, references = (column[:2] for column in module.given.values())
    same = qassay.score(module.metric, by([1, 2], predictions), by([1, 2], references), **module.options)
    for given, gold in (([1, 2], ["1", "2"]), (["1", "2"], [1, 2]), (["2", "1"], [2, 1])):
        step = 1 if str(given[0]) == "1" else -1
        found = qassay.score(
            module.metric, by(given, predictions[::step]), by(gold, references[::step]), **module.options
        )
        assert found.summary() == same.summary()
        assert [str(identifier) for identifier in found.ids] == [str(identifier) for identifier in gold]
    second = qassay.score(
        module.metric, by(["2", "1"], predictions[::-1]), by(["2", "1"], references[::-1]), **module.options
    )
    compared = qassay.compare({"a": same, "b": second}, n_resamples=20, n_permutations=20)
    assert {(difference.n, difference.difference) for difference in compared.differences} <= {(2, 0.0), (1, 0.0)}


@pytest.mark.parametrize(
    "name",
    ["answer_match", "semantic_answer_similarity", "answer_equivalence", "label_metrics", "average_precision"],
)  # the tables of the others have more columns than these; tested in their own folders
def test_files_say_the_same(tmp_path, name):
    """A JSON object has keys of text, whatever the ids were; a table may have numbers."""
    module, files = MODULES[name], []
    for role, ids in (("references", [1, 2]), ("predictions", ["2", "1"])):
        rows = by([1, 2], module.given[role][:2])
        files.append(tmp_path / f"{role}.jsonl")
        lines = [json.dumps({"id": identifier, role: rows[int(identifier)]}) for identifier in ids]
        files[-1].write_text("\n".join(lines), "utf-8")
    (found,) = qassay.score_files(files[0], [files[1]], name, **module.options).values()
    assert found.summary() == qassay.score(name, **module.part([0, 1]), **module.options).summary()


def test_a_stream_refuses_an_id_in_two_kinds():
    stream = qassay.stream("answer_match")
    stream.add({1: "x"}, {1: ["x"]})
    with pytest.raises(ValueError, match="batch 2 has the id '1'"):
        stream.add({"1": "x"}, {"1": ["x"]})


def test_other_dicts_by_id():
    answers, gold = {"1": "x", "2": ""}, {"1": ["x"], "2": []}
    scores = qassay.score("answer_match", answers, gold, no_answer_probabilities={1: 0.1, 2: 0.9})
    other = qassay.score("answer_match", {2: ""}, {2: []}, no_answer_probabilities={"2": 0.9})
    assert scores.columns["no_answer_probability"].tolist() == [0.1, 0.9] and len(other) == 1
    rows = [{"id": 1, "answers": ["x"]}, {"id": 0, "answers": []}]  # of plain answers, which are matched by their order
    by_order = qassay.score("answer_match", ["x", ""], rows, no_answer_probabilities={0: 0.9, 1: 0.1})
    assert by_order.columns["no_answer_probability"].tolist() == [0.1, 0.9]
    again = qassay.score("answer_match", answers, gold)
    found = qassay.compare({"a": again, "b": again}, by={"half": {1: "u", 2: "v"}}, n_resamples=20, n_permutations=20)
    assert list(found.slices["half"]) == ["u", "v"]


@pytest.mark.parametrize(
    "metric", ["answer_match", "semantic_answer_similarity", "answer_equivalence", "retriever_reader"]
)
def test_duplicates_are_refused_or_one_counts(metric):
    """The other row is gone, of both sides."""
    module = MODULES[metric]
    rows = [0, -1, 0]
    twice = {**module.part(rows), "predictions": [module.given["predictions"][row] for row in (0, -1, -1)]}
    with pytest.raises(ValueError, match=r"ids?\[2\] repeats the id 1 of row 0"):
        qassay.score(metric, **twice, ids=[1, 2, 1], **module.options)
    for keep, kept in (("first", [0, 1]), ("last", [1, 2])):
        found = qassay.score(metric, **twice, ids=[1, 2, 1], duplicates=keep, **module.options)
        expected = {side: [column[row] for row in kept] for side, column in twice.items()}
        alone = qassay.score(metric, **expected, **module.options)
        assert found.columns.keys() == alone.columns.keys()
        for name, column in found.columns.items():
            assert column.tolist() == pytest.approx(alone.columns[name].tolist(), nan_ok=True), name


def test_duplicates_of_rows_with_ids_take_the_rows_of_plain_columns_with_them():
    rows = [{"id": name, "prediction_text": text} for name, text in (("a", "x"), ("b", "y"), ("a", "z"))]
    for keep, right in (("first", ["x", "y", "-"]), ("last", ["-", "y", "z"])):
        found = qassay.score("answer_match", rows, [[text] for text in right], duplicates=keep)
        assert (found["exact_match"], len(found), found.notes["duplicates"]) == (1.0, 2, 1)
    assert len(qassay.score("answer_match", ["x", "y"], [["x"], ["y"]], ids=[-1, -2])) == 2  # of one hash
