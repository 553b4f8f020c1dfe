"""Files of verdicts: JSON of the programs, tables of grades, two systems, and refused input."""

import json
from pathlib import Path

import pandas as pd
import pytest

import qassay
from qassay.core.examples import Examples
from qassay.files import FileError, read_gold, read_predictions
from qassay.registry import get_family

SAMPLES = Path(__file__).parents[2] / "samples" / "verdicts"
METRIC = "claim_support"
CLAIMS = [
    {
        "query_id": "q1",
        "gt_answer_claims": ["it is red"],
        "answer2response": ["Entailment", "Neutral"],
        "response2answer": ["Entailment"],
        "retrieved2response": [[1, 0], [0, 0]],
        "retrieved2answer": [[1, 1]],
    },
    {
        "query_id": "q2",
        "gt_answer_claims": ["it is new"],
        "answer2response": [None],
        "response2answer": ["Contradiction"],
        "retrieved2response": [[1, 0]],
        "retrieved2answer": [[0, None]],
    },
]
STATEMENTS = [
    {
        "id": "q1",
        "docs": 5,
        "statements": [
            {"citations": [1, 3], "entailed": True, "alone": [1, 0], "without": [0, 1]},
            {"citations": [], "text": "it is blue"},
        ],
    },
    {"id": "q2", "docs": list("abcd"), "statements": [{"citations": [2, 3], "entailed": False}, {"citations": [7]}]},
]
NUGGETS = [
    {"qid": "q1", "query": "who?", "nuggets": [{"text": "a", "importance": "vital", "assignment": "support"}, {"text": "b", "importance": "okay", "assignment": "failed"}]},
    {"qid": "q2", "query": "why?", "nuggets": [{"text": "c", "importance": "okay", "assignment": "partial_support"}]},
]  # fmt: skip


def scored(path, system=None, **options):
    found = qassay.score_files(path, system and [system], options.pop("metric", METRIC), **options)
    return next(iter(found.values()))


@pytest.mark.parametrize(
    "value, values",
    [
        ({"results": CLAIMS}, {"precision": 0.5, "recall": 0.5, "faithfulness": 0.75, "unjudged_verdicts": 2}),
        ({"data": STATEMENTS}, {"citation_recall": 0.25, "citation_precision": 0.25}),
    ],
)
def test_what_the_programs_write(value, values, save):
    assert scored(save("whole.json", value)).summary([*values]) == values


@pytest.mark.parametrize("value", [CLAIMS, STATEMENTS, NUGGETS], ids=["claims", "citations", "nuggets"])
def test_lines_tables_and_lists_give_the_same(value, save):
    whole = scored(save("whole.jsonl", value), metric=None)
    assert qassay.score(METRIC, value) == qassay.score(METRIC, pd.DataFrame(value)) == whole
    ids = [row.get("qid", row.get("query_id", row.get("id"))) for row in value]
    assert list(whole.ids) == ids


def test_grades_by_the_usual_name_and_by_another(save):
    path = save("grades.csv", "id,grade,field\na,CORRECT,x\nb,,x\nc,INCORRECT,y\n")
    assert scored(path).summary(["correct", "unjudged"]) == {"correct": 0.5, "unjudged": 1}
    other = save("other.csv", "id,judged\nc,A\na,C\nb,B\n")
    found = qassay.score_files(path, [other], METRIC, columns={"predictions": "judged"})
    assert found["other"].columns["correct"].tolist() == [0.0, 0.0, 1.0]
    with pytest.raises(FileError, match="claim_support"):
        scored(other)
    assert read_gold(path, metric=METRIC).details == {"field": ["x", "x", "y"]}


def test_two_systems_of_one_list_of_nuggets():
    files = [str(SAMPLES / f"{name}_nuggets.jsonl") for name in ("keyword", "dense")]
    found = qassay.score_files(files[0], files)
    assert list(found) == ["keyword_nuggets", "dense_nuggets"] and found["keyword_nuggets"]["unjudged"] == 1
    groups = qassay.score_files(*files[:1], groups="question_word")["keyword_nuggets"].groups
    assert set(groups.labels) == {"how", "what", "where", "who"}


def test_a_list_of_nuggets_alone_is_a_gold_file(save):
    bare = [
        {**row, "nuggets": [{"text": n["text"], "importance": n["importance"]} for n in row["nuggets"]]}
        for row in NUGGETS
    ]
    gold, system = save("gold.jsonl", bare), save("system.jsonl", NUGGETS[::-1])
    assert scored(gold, system) == scored(save("whole.jsonl", NUGGETS))
    with pytest.raises(ValueError, match="gold data of claim_support only"):
        scored(gold)
    with pytest.raises(FileError, match="nuggets without assignments"):
        read_predictions(gold, read_gold(gold))


def test_files_that_do_not_go_together(save):
    nuggets, claims = save("nuggets.jsonl", NUGGETS), save("claims.jsonl", CLAIMS)
    with pytest.raises(FileError, match="claims.jsonl: .* claims, but .* nuggets"):
        scored(nuggets, claims)
    with pytest.raises(FileError, match="task=claims"):
        scored(nuggets, task="claims")
    changed = json.loads(json.dumps(NUGGETS).replace('"text": "a"', '"text": "z"'))
    with pytest.raises(
        FileError, match=r"the id 'q1' has \['okay: b', 'vital: z'\] as gold, but \['okay: b', 'vital: a'\] in"
    ):
        scored(nuggets, save("changed.jsonl", changed))
    with pytest.raises(FileError, match="has no 'importance'"):
        scored(save("bare.jsonl", [{"qid": 1, "nuggets": [{"assignment": "support"}]}]))


def test_examples_as_people_read_them(save):
    family = get_family(METRIC)
    for value, gold, answers in (
        (NUGGETS, ["vital: a", "okay: b"], ["support: a", "failed: b"]),
        (STATEMENTS, [], ["True: citations 1, 3", "no verdict: it is blue"]),
        (CLAIMS, ["it is red"], [
            "answer2response: Entailment, Neutral", "response2answer: Entailment", "retrieved2response: (1, 0), (0, 0)",
            "retrieved2answer: (1, 1)",
        ]),
    ):  # fmt: skip
        path = save("file.jsonl", value)
        read = read_gold(path)
        columns = read_predictions(path, read).columns
        scores = qassay.score(METRIC, **read.columns, **columns, **read.options)
        shown = family.about.example_texts(Examples(read, columns, scores, [0]))[0]
        assert (shown.gold, shown.answers) == (gold, answers)
