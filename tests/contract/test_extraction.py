"""The option `extract` in every family that scores texts: the same rules, counts, tables and messages."""

import pytest

import qassay
from qassay.core.options import keyword_names
from qassay.registry import FAMILIES

EXTRACTING = [name for name in FAMILIES if "extract" in keyword_names(FAMILIES[name].load()[1])]
BASE = {"semantic_answer_similarity": {"model": "lite"}}
WRITTEN = ["so <answer>Paris</answer>", "Paris", None, "hm <answer></answer>", "Rome <answer>"]
GOLDS = [["Paris"], ["Paris"], ["Paris"], [], []]

every_family = pytest.mark.parametrize("name", EXTRACTING)


def score(name, predictions=WRITTEN, references=GOLDS, **options):
    return qassay.score(name, predictions, references, **BASE.get(name, {}), **options)


@every_family
@pytest.mark.parametrize(
    ("policy", "as_answers"),
    [("zero", None), ("empty", ["Paris", "", None, "", ""]), ("whole", ["Paris", "Paris", None, "", "Rome <answer>"])],
)
def test_an_answer_that_is_not_found(name, policy, as_answers):
    assert len(EXTRACTING) == 3
    found = score(name, extract="answer_tag", unextracted=policy)
    assert found["unextracted"] == 2 and found.subsets["unextracted"].tolist() == [False, True, False, False, True]
    assert found["missing"] == 1
    main = FAMILIES[name].about.main_measures(found)[0]
    if as_answers is None:
        assert found.columns[main].tolist()[1:] == [0, 0, 1, 0]
    else:
        plain = score(name, as_answers)
        assert found.columns[main].tolist() == plain.columns[main].tolist()
    assert FAMILIES[name].about.notes_of(found)["unextracted"] == 2


@every_family
def test_refused(name):
    with pytest.raises(ValueError, match=r"answer_tag .* predictions\[1\].* unextracted="):
        score(name, extract="answer_tag", unextracted="error")
    with pytest.raises(ValueError, match="unextracted=empty needs extract"):
        score(name, unextracted="empty")
    with pytest.raises(ValueError, match="unextracted=nought is unknown"):
        score(name, extract="boxed", unextracted="nought")
    with pytest.raises(ValueError, match=r"predictions\[1\] \(id 'b'\): ZeroDivisionError"):
        score(name, {"a": None, "b": "x"}, {"a": ["x"], "b": ["x"]}, extract=lambda text: 1 / 0)


@every_family
def test_batches_and_blanks(name):
    stream = qassay.stream(name, **BASE.get(name, {}), extract="answer_tag")
    for part in (slice(0, 2), slice(2, 5)):
        stream.add(predictions=WRITTEN[part], references=GOLDS[part])
    assert stream.scores() == score(name, extract="answer_tag")
    _, options_class = FAMILIES[name].load()
    options = options_class(**BASE.get(name, {}), extract="answer_tag", unextracted="error")
    assert "unextracted" in FAMILIES[name].score_blank([["Paris"]], options=options).measures
