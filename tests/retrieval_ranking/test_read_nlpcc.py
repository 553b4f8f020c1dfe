"""The pairs and scores of NLPCC-DBQA."""

import pytest

from qassay.files import FileError, read_gold, read_predictions

PAIRS = "谁?\ta b\t1\n谁?\tc\t0\nwhere?\td\t0\n谁?\te\t1\n"
SCORES = "0.5\n1e-1\n-2\n3\n"


@pytest.mark.parametrize("change", [str, lambda text: "\ufeff" + text.rstrip().replace("\n", "\r\n")])
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


def test_bad_pairs_and_scores(save_table, refused):
    for text, words in (
        ("q\ta\t1\nq\tb\t0.5\n", "line 2 is not a question, a sentence and a label"),
        ("q\ta\t1\n\nq\tb\t0\n", "line 2 is not a question"),
    ):
        refused(words, read_gold, save_table(text))
    gold = read_gold(save_table(PAIRS, "gold"))
    for text, words in (
        ("0.5\n\n1\n2\n", "line 2: ''"),
        ("0.5\n1_0\n1\n2\n", "line 2: '1_0'"),
        ("1\n" * 5, "4 pairs"),
        ("0 Q0 0 1 2.5 x\n", "pairs of NLPCC-DBQA"),
    ):
        refused(words, read_predictions, save_table(text), gold)


def test_scores_go_with_pairs_only(save_table):
    with pytest.raises(FileError, match="as gold"):
        read_gold(save_table(SCORES))
    gold = read_gold(save_table("1 0 a 1\n", "gold"))
    with pytest.raises(FileError, match="NLPCC-DBQA.*gold"):
        read_predictions(save_table(SCORES), gold)
