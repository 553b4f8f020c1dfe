"""The page of this metric: `python app.py`."""

from qassay.pages.page import Page

PAGE = Page(
    name="semantic_answer_similarity",
    app=__file__,
    columns={
        "predictions": 'one answer per question, "" for none; or {id: answer}',
        "references": "a list of gold answers per question, [] if there is none; or {id: [answer, ...]}",
    },
    optional={
        "ids": "one id per question",
        "weights": "one number per question",
        "groups": "one label per question, such as its article",
    },
    example={
        "predictions": {"q1": "30 percent", "q2": "Barack Obama", "q3": "", "q4": "in 1996", "q5": "Denmark"},
        "references": {"q1": ["thirty percent"], "q2": ["Obama"], "q3": [], "q4": ["1986", "in 1986"], "q5": ["Rome"]},
    },
    options="thresholds=0.5,0.8\nmissing=skip\nconfidence=0.9",
    # A model would be fetched, and its code maybe run, on the machine of whoever serves the page.
    fixed={"model": "lite", "progress": False},
)

if __name__ == "__main__":
    PAGE.launch()
