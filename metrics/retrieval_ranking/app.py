"""The page of this metric: `python app.py`."""

from qassay.pages.page import Page

PAGE = Page(
    name="retrieval_ranking",
    app=__file__,
    columns={
        "run": "{query: {document: score}} or {query: [document, ...]}, best first; or a ranked list per query",
        "qrels": "{query: {document: relevance}} or {query: [relevant document, ...]}; or such a list per query",
    },
    optional={
        "ids": "one id per query, beside lists",
        "weights": "one number per query",
        "groups": "one label per query, such as its topic",
    },
    example={
        "run": {"q1": {"d1": 2.0, "d2": 1.5, "d3": 0.1}, "q2": {"d4": 1.0}, "q3": {"d7": 0.3, "d6": 0.3}},
        "qrels": {"q1": {"d2": 3, "d3": 1, "d9": 1}, "q2": {"d4": 1}, "q3": {"d6": 2}},
    },
    options="measures=mrr@10,map,ndcg@10\nties=worst\nconfidence=0.9",
)

if __name__ == "__main__":
    PAGE.launch()
