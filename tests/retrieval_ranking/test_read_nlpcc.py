"""The pairs and scores of NLPCC-DBQA."""

import pytest

from qassay.files import FileError, read_gold, read_predictions

PAIRS = "谁?\ta b\t1\n谁?\tc\t0\nwhere?\td\t0\n谁?\te\t1\n"
SCORES = "0.5\n1e-1\n-2\n3\n"


@pytest.mark.parametrize(
    "change", [str, lambda text: text.replace("\n", "\r\n"), str.rstrip, lambda text: "\ufeff" + text]
)
def test_a_question_that_comes_back_is_another_query(save_table, change):
    gold = read_gold(save_table(change(PAIRS), "gold"))
    assert (gold.kind, gold.metric, gold.options) == ("nlpcc", "retrieval_ranking", {"preset": "nlpcc"})
    assert gold.ids == ["0", "1", "2"]
    assert gold.details == {"question": ["谁?", "where?", "谁?"]}
    assert gold.columns["references"].to_pydict() == {
        "query": ["0", "0", "1", "2"],
        "document": ["0", "1", "2", "3"],
        "relevance": [1, 0, 0, 1],
    }
    predictions = read_predictions(save_table(change(SCORES)), gold)
    assert predictions.columns["predictions"].to_pydict() == {
        "query": ["0", "0", "1", "2"],
        "document": ["0", "1", "2", "3"],
        "score": [0.5, 0.1, -2.0, 3.0],
    }


@pytest.mark.parametrize(
    "text, words",
    [
        ("q\ta\t1\nq\tb\tyes\n", "line 2: the label 'yes' is not an integer"),
        ("q\ta\t1\nq\tb\t0.5\n", "line 2: the label '0.5' is not an integer"),
        ("q\ta\t1\nq\tb\tc\t0\n", "line 2 has 4 columns between tabs"),
        ("q\ta\t1\n\nq\tb\t0\n", "line 2 has 1 column between tabs"),
    ],
)
def test_bad_pairs(save_table, text, words, refused):
    refused(words, read_gold, save_table(text))


@pytest.mark.parametrize(
    "text, words",
    [
        ("0.5\nhigh\n1\n2\n", "line 2: 'high' is not a number; give one score per line"),
        ("0.5\n\n1\n2\n", "line 2: '' is not a number"),
        ("0.5\n1_0\n1\n2\n", "line 2: '1_0' is not a number"),
        ("0.5\n\u30001\n1\n2\n", "is not a number; give one score per line"),
        ("0.5\n1\n", "this has 2 scores, and "),
        ("1\n", "this has 1 score, and "),
        ("1\n" * 5, "has 4 pairs; give one score per pair"),
        ("0 Q0 0 1 2.5 x\n", "this looks like a TREC run, but "),
        ('{"0": {"0": 0.5}}', "has pairs of NLPCC-DBQA; give scores, one per line of it"),
        (
            PAIRS,
            "this looks like pairs of NLPCC-DBQA (question, sentence, label), not a run; the gold file comes first",
        ),
    ],
)
def test_bad_scores(save_table, text, words, refused):
    gold = read_gold(save_table(PAIRS, "gold"))
    refused(words, read_predictions, save_table(text), gold)


def test_scores_go_with_pairs_only(save_table):
    with pytest.raises(
        FileError, match="looks like scores without ids, one per line, not qrels; the gold file comes first"
    ):
        read_gold(save_table(SCORES))
    gold = read_gold(save_table("1 0 a 1\n", "gold"))
    with pytest.raises(FileError, match="scores without ids go with pairs of NLPCC-DBQA.*which .*gold does not have"):
        read_predictions(save_table(SCORES), gold)
