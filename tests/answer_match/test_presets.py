"""Presets of answer_match: what overrides them, and what they read beside answers."""

import dataclasses
import json

import pytest

import qassay
from qassay.answer_match.scoring import AnswerMatchOptions

WRITTEN = ["so <answer>the Paris</answer>", "<answer>Hamburg</answer>", "Rome"]
GOLDS = [["Paris"], ["ham"], ["Rome"]]


def score(**options):
    return qassay.score("answer_match", WRITTEN, GOLDS, **options)


# --- options --------------------------------------------------------------------------------------------------------------


def test_an_option_overrides_a_preset_and_is_in_the_signature():
    plain, other = score(preset="search_r1"), score(preset="search_r1", unextracted="whole", normalizer="squad")
    assert plain.columns["exact_match"].tolist() == [1, 0, 0] and other.columns["exact_match"].tolist() == [1, 0, 1]
    assert plain.signature(short=True).startswith("answer_match|preset:search_r1|v:")
    assert "|changed:" not in plain.signature() and "|preset:search_r1|changed:unextracted|" in other.signature()
    assert other.signature(short=True).startswith("answer_match|preset:search_r1|unextracted:whole|v:")
    for scores in (plain, other):
        for short in (False, True):
            assert qassay.from_signature(scores.signature(short)) == scores.options
        assert qassay.score("answer_match", WRITTEN, GOLDS, **scores.options.keywords()) == scores
        assert dataclasses.replace(scores.options) == scores.options


@pytest.mark.parametrize(
    ("options", "changed"),
    [
        ({"normalizer": "korquad"}, "normalizer,unit"),
        ({"unit": "token", "extract": "answer_tag", "missing": "zero"}, None),
    ],
)
def test_options_that_the_preset_does_not_set_are_changes_too(options, changed):
    other = score(preset="search_r1", **options).options
    assert (f"|changed:{changed}|" in other.signature()) if changed else "changed" not in other.signature()
    assert qassay.from_signature(other.signature()) == qassay.from_signature(other.signature(short=True)) == other


@pytest.mark.parametrize(
    ("options", "gold", "measures"),
    [
        ({"preset": "hotpotqa"}, ["the"], ("exact_match",)),
        ({"preset": "2wiki"}, ["the"], ("exact_match",)),
        ({"preset": "asqa"}, [["the"]], ("str_em", "str_hit")),
        ({"empty_gold": "keep"}, ["the"], ("exact_match", "f1")),
    ],
    ids=["hotpotqa", "2wiki", "asqa", "answers"],
)
def test_a_prediction_without_an_answer_scores_as_the_option_says(options, gold, measures):
    """Also where an empty answer would be right."""
    for unextracted, value in (("zero", 0.0), ("empty", 1.0)):
        scores = qassay.score(
            "answer_match", ["none"], [gold], **options, extract="answer_tag", unextracted=unextracted
        )
        assert {name: scores.columns[name].tolist() for name in measures} == dict.fromkeys(measures, [value])
        assert (scores["unextracted"], scores["missing"]) == (1, 0)


def test_an_option_set_back_to_its_default_is_in_the_signature():
    back = AnswerMatchOptions(preset="search_r1", empty_f1=1.0)
    assert "changed:empty_f1|" in back.signature() and "|empty_f1:1.0|" in back.signature()
    assert qassay.from_signature(back.signature()).empty_f1 == 1.0
    assert AnswerMatchOptions(preset="search_r1", empty_f1=None) == AnswerMatchOptions(preset="search_r1")
    with pytest.raises(ValueError, match="changed:unit of the signature does not fit the rest of it"):
        qassay.from_signature(back.signature().replace("changed:empty_f1", "changed:unit"))


# --- tasks, and what they read beside answers -----------------------------------------------------------------------------


IDS = ["b", "a", "c"]
ANSWERS, RIGHT = dict.fromkeys(IDS, "x"), {name: ["x"] for name in "abcd"}
GIVEN = {
    "gold_details": {"pages": [["p"], ["q"], ["r"], ["s"]]},  # in the order of the gold answers
    "predicted_details": {"pages": [["q"], ["q"], ["r"]], "other": [1, 2, 3]},
}


def kilt(predictions=ANSWERS, references=RIGHT, **columns):
    return qassay.score("answer_match", predictions, references, preset="kilt", **columns)


def test_details_in_every_layout(tmp_path):
    """They follow their rows: "b" and "c" name the right page, and "d" is missing."""
    scores = kilt(**GIVEN)
    assert scores.columns["r_precision"].tolist() == [0, 1, 1, 0]
    assert scores.subsets["missing"].tolist() == [False] * 3 + [True]
    rows = {name: [{"pages": pages} for pages in of["pages"]] for name, of in GIVEN.items()}
    assert kilt(**rows) == scores
    predictions = [
        {"id": name, "prediction_text": "x", "pages": pages}
        for name, pages in zip(IDS, GIVEN["predicted_details"]["pages"], strict=True)
    ]
    references = [
        {"id": name, "answers": ["x"], "pages": pages}
        for name, pages in zip(RIGHT, GIVEN["gold_details"]["pages"], strict=True)
    ]
    assert kilt(predictions, references) == scores
    stream = qassay.stream("answer_match", preset="kilt")
    stream.add(predictions=predictions[:2], references=references[:2])
    stream.add(predictions=predictions[2:], references=references[2:])
    assert stream.scores() == scores
    gold, system = tmp_path / "gold.jsonl", tmp_path / "own.csv"
    gold.write_text("\n".join(map(json.dumps, references)))
    system.write_text('id,prediction,pages\nb,x,"[""q""]"\na,x,"[""q""]"\nc,x,"[""r""]"\n')
    found = qassay.score_files(gold, system, preset="kilt")["own"]
    assert found.columns["r_precision"].tolist() == [0, 1, 1, 0]
    with pytest.raises(ValueError, match="example 'a' differs in its pages"):
        qassay.compare({"a": scores, "b": kilt(**{**GIVEN, "gold_details": {"pages": [["x"], ["q"], ["r"], ["s"]]}})})
    for columns, named in (
        ({"predicted_details": GIVEN["predicted_details"]}, "gold_details lacks 'pages'"),
        ({**GIVEN, "gold_details": {"pages": [["k"]]}}, r"references 4, gold_details\['pages'\] 1"),
        ({**GIVEN, "gold_details": ["k"] * 4}, "gold_details"),
        ({**GIVEN, "gold_details": [{"pages": ["p"]}, {}, {}, {}]}, r"gold_details\[1\] has no 'pages'"),
    ):
        with pytest.raises((TypeError, ValueError), match=named):
            kilt(**columns)


@pytest.mark.parametrize(
    ("preset", "gold", "same", "other"),
    [
        ("musique", {"support": [[0, 1]]}, {"support": [[1, 0]]}, {"support": [[0]]}),
        ("2wiki", {"evidences": [[["a", "b", "c"]]]}, {"evidences": [[["A", "b", "c"]]]}, {"evidences": [[]]}),
    ],
)
def test_gold_details_of_compared_systems_must_be_the_same(preset, gold, same, other):
    predicted = {"support": [[0]]} if preset == "musique" else {"evidence": [[]]}

    def scores(details):
        given = {"predicted_details": predicted, "gold_details": details, "preset": preset}
        return qassay.score(
            "answer_match",
            ["x"] * 2,
            [["x"]] * 2,
            **{
                name: {key: column * 2 for key, column in value.items()} if isinstance(value, dict) else value
                for name, value in given.items()
            },
        )

    qassay.compare({"a": scores(gold), "b": scores(same)})
    with pytest.raises(ValueError, match=next(iter(gold))):
        qassay.compare({"a": scores(gold), "b": scores(other)})


def test_lists_in_cells_are_json(tmp_path):
    table = tmp_path / "table.csv"
    table.write_text(
        "id,references,prediction,support,predicted_support\n"
        'a,Rome,Rome,"[1, 2]","[1, 2]"\nb,Rome,Rome,"[1, 2]","[2]"\nc,Rome,Rome,[],[]\n'
    )
    found = qassay.score_files(table, preset="musique")["table"]
    assert found.columns["support_f1"].tolist() == [1, 2 / 3, 1]


@pytest.mark.parametrize(
    ("preset", "gold", "own", "named"),
    [
        ("musique", {"support": [[1], [2]]}, None, "predicted_details lacks 'support'"),
        (
            "musique",
            {"answerable": [True, False], "question_id": [1, 2]},
            {"answerable": [True] * 2},
            "question_id '1'",
        ),
        ("musique", {"answerable": [True, 7]}, None, r"gold_details\['answerable'\]\[1\]"),
        ("2wiki", None, [{"evidence": []}] * 2, "gold_details lacks 'evidences'"),
        ("2wiki", [{"evidences": [["a", "b"]]}] * 2, [{"evidence": []}] * 2, r"gold_details\['evidences'\]\[0\]"),
    ],
)
def test_details_that_are_wrong(preset, gold, own, named):
    with pytest.raises((TypeError, ValueError), match=named):
        qassay.score(
            "answer_match", ["a", "b"], [["a"], ["b"]], preset=preset, gold_details=gold, predicted_details=own
        )


def test_a_preset_decides_the_metric_of_a_file(tmp_path):
    table = tmp_path / "table.csv"
    table.write_text("references,prediction\nRome,Rome\n")
    assert qassay.score_files(table, preset="mrqa")["table"].options.preset == "mrqa"
    with pytest.raises(ValueError, match="'mrqq'.*did you mean 'mrqa'"):
        qassay.score_files(table, preset="mrqq")
    with pytest.raises(ValueError, match="judgements|qrels|query"):  # of rankings, which this table does not have
        qassay.score_files(table, preset="nlpcc")
