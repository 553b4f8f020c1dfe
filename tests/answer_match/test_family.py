"""What the command line knows about answer_match."""

CONTEXT = "The Seine flows through Paris to Le Havre."
QUESTIONS = [
    ("a", "Where?", [("Paris", 24), ("Paris", 24)]), ("b", "What?", [("The Seine", 0)]),
    ("c", "Who?", []), ("d", "To?", [("Le Havre", 33)]),
]  # fmt: skip
ASKED = [
    {"id": i, "question": asked, "answers": [{"text": t, "answer_start": at} for t, at in golds]}
    for i, asked, golds in QUESTIONS
]
SQUAD = {"version": "2.0", "data": [{"title": "T", "paragraphs": [{"context": CONTEXT, "qas": ASKED}]}]}


def test_answers_as_texts(examples_of):
    kinds, texts = examples_of(SQUAD, {"d": "to Le Havre", "a": "Paris", "c": "Anna"})
    assert kinds == ["correct", "no prediction", "answered an unanswerable", "too long"]
    assert texts == [
        ("Where?", ["Paris"], ["Paris"]),
        ("What?", ["The Seine"], []),
        ("Who?", [], ["Anna"]),
        ("To?", ["Le Havre"], ["to Le Havre"]),
    ]
    assert examples_of(SQUAD, {"d": "to Le Havre", "a": "Paris", "c": "Anna"}, rows=[3, 0])[1] == [texts[3], texts[0]]
    assert examples_of(SQUAD, {"d": "to Le Havre", "c": "Anna"}, missing="skip")[1] == texts[2:]


def test_ranked_and_withheld_answers_as_texts(examples_of):
    ranked = {"a": ["Rome", "Paris", "Oslo"], "b": ["", "Seine"], "c": [""], "d": "Le Havre"}
    _, texts = examples_of(SQUAD, ranked, "answer_match", top_k=(1, 2))
    assert [text.answers for text in texts] == [["Rome", "Paris"], ["", "Seine"], [], ["Le Havre"]]
    table = "id,prediction,no_answer_probability\na,Paris,0.1\nb,The Seine,0.9\nc,x,0.9\nd,Le Havre,0.5\n"
    kinds, texts = examples_of(SQUAD, table, no_answer_threshold=0.5)
    assert kinds == ["correct", "gave no answer", "correct", "correct"]
    assert [text.answers for text in texts] == [["Paris"], [], [], ["Le Havre"]]


def test_every_kind_of_file_has_texts(examples_of):
    passage = {
        "passage": "...",
        "qa_pairs": [
            {"query_id": "a", "question": "n?", "answer": {"number": "5"}, "validated_answers": [{"number": "6"}]},
            {"query_id": "b", "question": "s?", "answer": {"spans": ["x y", "z"]}},
        ],
    }
    kinds, texts = examples_of({"p": passage}, {"a": "5", "b": ["z", "x"]})
    assert kinds == ["correct", "partial"] and texts == [("n?", ["5", "6"], ["5"]), ("s?", ["x y z"], ["z x"])]
    hotpot = [{"_id": "a", "question": "q?", "answer": "Paris", "supporting_facts": [["T", 0]], "context": []}]
    found = examples_of(hotpot, {"answer": {"a": "in Paris"}, "sp": {"a": [["T", 0]]}})
    assert found == (["too long"], [("q?", ["Paris"], ["in Paris"])])
    assert examples_of([["Paris"]], ["x"]) == (["no shared word"], [(None, ["Paris"], ["x"])])
    rows = '{"id": 7, "gold": ["Paris"], "prediction": "Paris", "question": "W?"}\n'
    both = rows + '{"id": 8, "gold": [], "prediction": "", "question": "V?"}\n'
    assert examples_of(both)[1] == [("W?", ["Paris"], ["Paris"]), ("V?", [], [])]
    assert examples_of(rows, {"7": "Rome"})[1] == [("W?", ["Paris"], ["Rome"])]  # JSON keys are text


def test_examples_show_the_duplicate_that_counts(examples_of):
    for duplicates, answer in (("first", "x"), ("last", "Paris")):
        system = "id,prediction\n1,x\n1,Paris\n"
        assert examples_of({"1": ["Paris"]}, system, duplicates=duplicates)[1] == [(None, ["Paris"], [answer])]
