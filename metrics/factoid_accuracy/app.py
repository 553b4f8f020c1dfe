"""The page of this metric: `python app.py`."""

from qassay.pages.page import Page

PAGE = Page(
    name="factoid_accuracy",
    app=__file__,
    columns={
        "predictions": "per question candidates, a list of entities, or a text with yes or no; or rows of BioASQ",
        "references": "the names of the entity, lists of names, or yes or no; or rows of BioASQ with id and type",
    },
    optional={
        "ids": "one id per question",
        "question_types": "factoid, list, yesno or summary, one per question",
        "weights": "one number per question",
        "groups": "one label per question, such as its article",
    },
    example={
        "predictions": [
            {"id": "q1", "exact_answer": [["Dog"], ["wolf"]]},
            {"id": "q2", "exact_answer": [["cat"], ["fox"]]},
            {"id": "q3", "exact_answer": [["oak"], ["elm"], ["fir"]]},
            {"id": "q4", "exact_answer": "yes"},
        ],
        "references": [
            {"id": "q1", "type": "factoid", "exact_answer": ["dog", "canine"]},
            {"id": "q2", "type": "factoid", "exact_answer": ["fox"]},
            {"id": "q3", "type": "list", "exact_answer": [["oak"], ["elm", "Ulmus"], ["ash"], ["yew"]]},
            {"id": "q4", "type": "yesno", "exact_answer": "no"},
        ],
    },
    options="version=9\ntop_k=5\nconfidence=0.9",
)

if __name__ == "__main__":
    PAGE.launch()
