"""The page of this metric: `python app.py`."""

from qassay.pages.page import Page

PAGE = Page(
    name="answer_equivalence",
    app=__file__,
    columns={
        "predictions": 'one answer per question, "" for none; or {id: answer}',
        "references": "a list of gold answers per question, [] if there is none; or {id: [answer, ...]}",
    },
    optional={
        "questions": "the text of each question",
        "ids": "one id per question",
        "weights": "one number per question",
        "groups": "one label per question, such as its article",
    },
    example={
        "predictions": ["The capital of France is Paris.", "in 1996", "Paris or Lyon", "I don't know.", "8 legs"],
        "references": [["Paris"], ["1986", "in 1986"], ["Paris"], [], ["eight"]],
        "questions": [
            "what is the capital of France?",
            "when did it happen?",
            "what is the capital of France?",
            "who lives on Mars?",
            "how many legs has a spider?",
        ],
    },
    options="threshold=0.5\nmissing=skip\nconfidence=0.9",
    # A model would be fetched, and its code maybe run, on the machine of whoever serves the page.
    fixed={"model": "lite", "progress": False},
    explains="explain",
)

if __name__ == "__main__":
    PAGE.launch()
