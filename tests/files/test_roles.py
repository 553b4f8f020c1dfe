"""The roles that columns of tables can have, as the families name them."""

from qassay.files.roles import all_roles, asked_roles


def test_a_page_asks_for_columns_of_answers_then_of_rankings_then_of_runs():
    names = [
        "predictions",
        "references",
        "ids",
        "question",
        "query",
        "document",
        "score",
        "relevance",
        "run",
        "qrels",
        "answers",
        "run_id",
    ]
    assert list(asked_roles()) == names and set(names) <= set(all_roles())
    assert asked_roles()["score"] == "score (rankings)"
