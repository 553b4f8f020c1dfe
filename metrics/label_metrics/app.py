"""The page of this metric: `python app.py`."""

from qassay.pages.page import Page

PAGE = Page(
    name="label_metrics",
    app=__file__,
    columns={
        "predictions": 'one label per row, a list of labels, or {"label": score}; or {id: row}',
        "references": "the true label, or a list of true labels, of each row; or {id: row}",
    },
    optional={
        "ids": "one id per row",
        "weights": "one number per row",
        "groups": "one label per row, such as its article",
    },
    example={
        "predictions": ["music", "sports", "law", "art", "music", "law"],
        "references": ["music", "health", "law", "art", "art", "law"],
    },
    options="per_class=true\nzero_division=1\nconfidence=0.9",
)

if __name__ == "__main__":
    PAGE.launch()
