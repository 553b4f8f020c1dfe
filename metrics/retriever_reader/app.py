"""The page of this metric: `python app.py`."""

from qassay.pages.page import Page

PAGE = Page(
    name="retriever_reader",
    app=__file__,
    columns={
        "predictions": 'per question {"documents": ranked ids, "answers": ranked answers, null for no answer}',
        "references": 'per question {"documents": gold ids, "answers": gold answers, "is_impossible": true or false}',
    },
    optional={
        "ids": "one id per question",
        "weights": "one number per question",
        "groups": "one label per question, such as its article",
    },
    example={
        "predictions": [
            {"documents": ["d2", "d1"], "answers": [{"document_id": "d1", "start": 15, "end": 20}]},
            {"documents": ["d3"], "answers": [None]},
            {"documents": ["d5"], "answers": [{"document_id": "d5", "start": 0, "end": 4}]},
        ],
        "references": [
            {"documents": ["d1"], "answers": [{"document_id": "d1", "start": 10, "end": 20}], "is_impossible": False},
            {"documents": ["d3"], "answers": [], "is_impossible": True},
            {"documents": ["d4"], "answers": [{"document_id": "d4", "start": 0, "end": 4}], "is_impossible": False},
        ],
    },
    options="unit=offset\ntop_k=3\nconfidence=0.9",
)

if __name__ == "__main__":
    PAGE.launch()
