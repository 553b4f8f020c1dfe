"""The page of this metric: `python app.py`."""

from qassay.pages.page import Page

PAGE = Page(
    name="answer_match",
    app=__file__,
    columns={
        "predictions": 'one answer per question, "" for none; or {id: answer}',
        "references": "a list of gold answers per question, [] if there is none; or {id: [answer, ...]}",
    },
    optional={
        "ids": "one id per question",
        "weights": "one number per question",
        "groups": "one label per question, such as its article",
        "no_answer_probabilities": "one number per prediction",
    },
    example={
        "predictions": {"q1": "in France", "q2": "Rome", "q3": "", "q4": "four nations"},
        "references": {"q1": ["France"], "q2": ["Rome", "Roma"], "q3": [], "q4": ["four"]},
    },
    options="normalizer=squad\nmissing=skip\nconfidence=0.9",
)

if __name__ == "__main__":
    PAGE.launch()
