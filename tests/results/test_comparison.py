"""Reports of comparisons: what is compared, what is told, which examples are shown."""

import csv
import dataclasses
import io
import json
from pathlib import Path

import numpy as np
import pytest

import qassay
from qassay.cli import main
from qassay.core.interval_settings import Intervals
from qassay.files.score_files import open_files, score_opened
from qassay.files.scored import Scored
from qassay.results.document import DocumentSettings, compare_document
from qassay.results.rows import difference_rows
from qassay.results.text import render
from qassay.stats.compare import compare_scores
from qassay.stats.difference import ComparisonSettings

QUICK = ComparisonSettings(intervals=Intervals(n_resamples=50), n_permutations=200)


def compared(folder: Path, gold, *systems, metric="answer_match", **options) -> Scored:
    paths = []
    for name, answers in {"gold": gold, **dict(systems)}.items():
        paths.append(folder / f"{name}.json")
        paths[-1].write_text(json.dumps(answers), encoding="utf-8")
    given = open_files(metric, str(paths[0]), [str(path) for path in paths[1:]], {})
    (scored,) = score_opened(given, options={metric: options})
    return scored


GOLD = [{"id": f"q{i}", "question": f"What is {i}?", "references": [f"number {i}"]} for i in range(12)]
RIGHT = {row["id"]: row["references"][0] for row in GOLD}


@pytest.fixture
def one(tmp_path):
    worse = {**RIGHT, "q3": "nothing", "q5": "number"}
    better = {**RIGHT, "q7": "number 7 of them"}
    return compared(tmp_path, GOLD, ("worse", worse), ("better", better))


def test_examples_have_their_texts_and_the_values_of_both_systems(one):
    (part,) = compare_document([one], QUICK)["parts"]
    examples = part["examples"]
    assert "norm:squad" in part["signature"].split("|") and examples["are_texts"]
    first, second = (examples["systems"][name] for name in ("worse", "better"))
    gains = np.array(second["values"]["f1"]) - first["values"]["f1"]
    assert np.flatnonzero(gains).tolist() == [3, 5, 7] and gains[3] == 1 and np.argmin(gains) == 7
    assert (examples["question"][3], examples["gold"][3]) == ("What is 3?", ["number 3"])
    assert (first["answers"][3], second["answers"][3]) == (["nothing"], ["number 3"])
    kinds = [part["kinds"]["order"][of["kinds"][3]]["name"] for of in (first, second)]
    assert kinds == ["no shared word", "correct"]


def test_examples_that_a_system_lacks_are_omitted_with_a_remark(tmp_path):
    part = {name: text for name, text in RIGHT.items() if name not in ("q1", "q2")}
    one = compared(tmp_path, GOLD, ("whole", RIGHT), ("part", part))
    skipped = {
        name: system._replace(scores=qassay.score("answer_match", **one.gold.columns, **system.columns, missing="skip"))
        for name, system in one.systems.items()
    }
    found = compare_document([one._replace(systems=skipped)], QUICK)
    assert {row["n"] for row in difference_rows(found)} == {10}
    assert sorted(remark["text"] for remark in found["remarks"] if "omitted" in remark["text"]) == [
        "part: 2 without a prediction: omitted",
        "whole: 2 questions omitted because another system lacks them",
    ]
    assert found["parts"][0]["notes"]["part"] == {"skipped": 2}
    texts = [*(render(found, form) for form in ("table", "markdown", "latex"))]
    assert all("2 questions omitted" in text for text in texts)


def test_slices_must_not_depend_on_the_systems(one):
    with pytest.raises(ValueError, match="'error_kind'.*'q3'"):
        compare_document([one], QUICK, DocumentSettings(by=["error_kind"]))


def test_lower_is_better(tmp_path):
    gold = [{"id": str(i), "reference": ["a", "b"][i % 2]} for i in range(8)]
    good = [{"id": str(i), "prediction": ["a", "b"][i % 2]} for i in range(8)]
    bad = [{"id": str(i), "prediction": "a"} for i in range(8)]
    one = compared(tmp_path, gold, ("bad", bad), ("good", good), metric="label_metrics")
    document = compare_document([one], QUICK, DocumentSettings(["error_rate"]))
    (difference,) = difference_rows(document)
    assert difference["values"] == [0.5, 0.0] and difference["lower_is_better"]
    assert [difference[name] for name in ("better", "equal", "worse", "winner")] == [4, 4, 0, "good"]
    settings = ComparisonSettings(correction="none", intervals=Intervals(0.8, n_resamples=50), n_permutations=200)
    for given, word in ((QUICK, "could be chance"), (settings, "better")):  # p = 0.125
        found = compare_document([one], given, DocumentSettings(["error_rate"]))
        assert [row["verdict"] for row in difference_rows(found)] == [word]
    assert "| error_rate | 8 | 0.5000 (0.2936–0.7064) | 0.0000 (0.0000–0.1703) |" in render(found, "markdown")


@pytest.mark.parametrize("test", ["permutation", "bootstrap"])
def test_a_p_without_an_extreme_round_is_an_upper_bound(tmp_path, test):
    gold = [{**row, "id": f"q{place}"} for place, row in enumerate(GOLD * 5)]
    right = {row["id"]: row["references"][0] for row in gold}
    wrong = {key: f"{place * '1 '}number" if place > 4 else text for place, (key, text) in enumerate(right.items())}
    one = compared(tmp_path, gold, ("wrong", wrong), ("right", right))
    settings = dataclasses.replace(QUICK, test=test)
    found = compare_document([one], settings, DocumentSettings(["f1"]))
    assert [(row["test"], row["p_value"]) for row in difference_rows(found)] == [(test, 1 / 201)]
    for form, text in (("table", "<= 0.0050"), ("markdown", "= 0.0050"), ("latex", "= 0.0050")):
        assert text in render(found, form), form
    assert next(csv.DictReader(io.StringIO(render(found, "csv"))))["p_corrected"] == str(1 / 201)
    systems = {name: system.scores for name, system in one.systems.items()}
    (difference,) = compare_scores(systems, ["f1"], {}, settings).differences
    assert (difference.test, difference.p_value) == (test, 1 / 201) and difference.is_least(200)
    drawn, exact = (
        dataclasses.replace(difference, **known) for known in ({"p_value": 2 / 201}, {"test": "exact permutation"})
    )
    assert not drawn.is_least(200) and not exact.is_least(200)


def ranked(capsys, *arguments):
    command, *rest = arguments
    rest += ["--questions", "count"] if command == "leaderboard" else []
    assert main([command, "samples/rankings/qrels.txt", "samples/rankings/bm25.run", *rest]) == 0
    return capsys.readouterr().out


def test_the_first_requested_measure_leads(capsys):
    files = ("compare", "samples/rankings/dense.run")
    for names in (("ndcg@10", "map"), ("map", "ndcg@10")):
        found = json.loads(ranked(capsys, *files, "--measures", *names, "--format", "json"))["parts"][0]
        assert found["leads"] == names[0] and found["requested"]


def test_the_tests_of_slices_are_listed(capsys):
    files = ("compare", "samples/rankings/dense.run", "--measures", "map")
    assert "in slices also exact permutation test" in ranked(capsys, *files, "--by", "relevant_count")
    assert "in slices" not in ranked(capsys, *files)


def test_cautions_are_in_words(capsys):
    more = ("--measures", "map", "--format", "json", "--by", "relevant_count")
    for command in ("compare", "leaderboard"):
        found = json.loads(ranked(capsys, command, "samples/rankings/dense.run", *more))
        (part,) = found["parts"]
        (slicing,) = part["slices"]
        lists = [*slicing["comparisons"], *slicing["ranks"], part["comparisons"], part["ranks"]]
        codes = {code for of in lists for one in of for code in one["cautions"]}
        assert codes and codes == found["cautions"].keys()
        assert all(" " in text for text in found["cautions"].values())
