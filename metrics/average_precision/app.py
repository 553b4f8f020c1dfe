"""The page of this metric: `python app.py`."""

from qassay.pages.page import Page

PAGE = Page(
    name="average_precision",
    app=__file__,
    columns={
        "predictions": 'one score per example, or {"class": score}; for task=boxes {"boxes": [...], "scores": [...]} per image',
        "references": 'true or false per example, or its class or classes; for task=boxes {"boxes": [...]} per image',
    },
    optional={
        "ids": "one id per example",
        "weights": "one number per example",
        "groups": "one label per example, such as its article",
    },
    example={
        "predictions": [
            {"cat": 0.8, "dog": 0.3, "fox": 0.1},
            {"cat": 0.2, "dog": 0.7, "fox": 0.4},
            {"cat": 0.6, "dog": 0.2, "fox": 0.3},
            {"cat": 0.1, "dog": 0.4, "fox": 0.9},
            {"cat": 0.4, "dog": 0.6, "fox": 0.5},
        ],
        "references": [["cat"], ["dog"], ["dog"], ["fox"], ["dog", "fox"]],
    },
    options="interpolation=voc11\nper_class=true\nconfidence=0.9",
)

if __name__ == "__main__":
    PAGE.launch()
