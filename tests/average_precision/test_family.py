"""What the command line knows about average_precision."""


def test_examples_as_texts(examples_of):
    kinds, texts = examples_of("label,score\n1,0.25\n0,0.5\n", None, "average_precision")
    assert kinds is None and texts == [(None, ["yes"], ["0.25"]), (None, ["no"], ["0.5"])]
    rows = (
        '{"label": "cat", "scores": {"cat": 0.3, "dog": 0.7}}\n{"label": "dog", "scores": {"cat": 0.1, "dog": 0.9}}\n'
    )
    texts = examples_of(rows, None, "average_precision")[1]
    assert texts == [(None, ["cat"], ["dog 0.7", "cat 0.3"]), (None, ["dog"], ["dog 0.9", "cat 0.1"])]
    gold = '{"id": 1, "boxes": [[0, 0, 9, 9]], "labels": ["a"]}\n{"id": 2, "boxes": [], "labels": []}\n'
    found = '{"id": 2, "boxes": [], "scores": [], "labels": []}\n'
    found += '{"id": 1, "boxes": [[0, 0, 1.5, 1], [0, 0, 9, 9]], "scores": [0.2, 0.9], "labels": ["a", "b"]}\n'
    texts = examples_of(gold, found)[1]
    assert texts == [(None, ["a [0, 0, 9, 9]"], ["b [0, 0, 9, 9] 0.9", "a [0, 0, 1.5, 1] 0.2"]), (None, [], [])]
