"""The page of this metric: `python app.py`."""

from qassay.pages.page import Page

PAGE = Page(
    name="claim_support",
    app=__file__,
    columns={
        "predictions": 'the verdicts on each answer: "support", "partial_support" or "not_support" for each nugget',
        "references": 'the importance of each nugget: "vital" or "okay"',
    },
    optional={
        "ids": "one id per question",
        "weights": "one number per question",
        "groups": "one label per question, such as its topic",
    },
    example={
        "predictions": [
            ["support", "partial_support", "not_support"],
            ["support", "support", None, "not_support"],
            ["not_support", "partial_support"],
        ],
        "references": [["vital", "vital", "okay"], ["vital", "okay", "okay", "vital"], ["vital", "okay"]],
    },
    options="unjudged=zero\nempty=skip\nconfidence=0.9",
)

if __name__ == "__main__":
    PAGE.launch()
