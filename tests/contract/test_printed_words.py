"""`qassay explain` knows every word of printed tables: headings, measures, verdicts, columns of CSV and keys of signatures."""

import csv
import io
import json
import re
from pathlib import Path

import pytest

import qassay
from qassay.cli import main
from qassay.results.text import render

S = Path(__file__).parents[2] / "samples"
A, K, L, V, F, P = (S / name for name in ("answers", "rankings", "labels", "verdicts", "factoid", "pipeline"))
ONE, TWO = f"{A}/gold.json {A}/large_model.json", f"{A}/gold.json {A}/small_model.json {A}/large_model.json"
ALL = "--measures all --no-intervals"
LABELS, QUICK = f"--labels {A}/large_model_labels.csv", "--permutations 100 --resamples 50"
COMMANDS = {
    "answers": f"score {TWO} --by question_word answer_type error_kind",
    "confidences": f"score {ONE} --confidences {A}/large_model_no_answer.json {ALL}",
    "runs": f"score {A}/gold.json {A}/sampled_model.csv --columns run_id=seed --pass-at 1,2 --groups article -m f1",
    "similarity": f"score {ONE} --metric semantic_answer_similarity --option model=lite {ALL}",
    "equivalence": f"score {TWO} --metric answer_equivalence --option model=lite {ALL}",
    "rankings": f"score {K}/qrels.txt {K}/bm25.run --by relevant_count {ALL}",
    "factoid": f"score {F}/gold.json {F}/careful.json --by type {ALL}",
    "pipeline": f"score {P}/gold.json {P}/dense.json --metric retriever_reader --by failure {ALL}",
    **{name: f"score {V}/dense_{name}.{ending} {ALL}" for name, ending in {"nuggets": "jsonl", "claims": "json", "citations": "jsonl"}.items()},
    "labels": f"score {L}/desk.csv {L}/desk_rules.csv --metric label_metrics {ALL}",
    "spam": f"score {L}/spam.csv --metric average_precision {ALL}",
    "boxes": f"score {L}/pages.jsonl {L}/pages_found.jsonl {ALL}",
    "compare": f"compare {TWO} --by question_word --groups article -m f1 {QUICK}",
    "compare three": f"compare {TWO} {S}/leaderboard/systems/cedar.json -m f1 {QUICK}",
    "leaderboard": f"leaderboard {A}/gold.json {S}/leaderboard/systems --about {S}/leaderboard/about.yaml {QUICK}",
    "check": f"check {A}/large_model.json --baseline {A}/small_model.json --gold {A}/gold.json --measure f1=0.01",
    "calibrate": f"calibrate {ONE} {LABELS} --next 3",
    "calibrate two": f"calibrate {TWO} {LABELS} {LABELS} -m f1",
    "agreement": f"agreement {A}/labelled_answers.csv --metric answer_match --resamples 50",
    "judges": f"agreement {A}/judged_answers.csv --raters ann bob eve --judges model",
    "plan": f"plan {TWO} --measures f1 --difference 0.05",
}  # fmt: skip
# Names that samples give: systems, people, slices and labels. Numbers are counts by number.
GIVEN = set(
    """small_model large_model sampled_model alder birch cedar juniper keywords maple bm25 dense careful desk_rules spam pages_found
dense_nuggets dense_claims dense_citations chat reader small ann bob eve model language de en es fr ja""".split()
)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_printed_word_is_explained(name, capsys, tmp_path):
    arguments = COMMANDS[name].split()
    forms = {}
    for form in ("json", "markdown", "csv"):
        if form == "json" or arguments[0] in ("calibrate", "agreement", "plan"):
            assert main([*arguments, "--format", form, *["--markdown", f"{tmp_path}/comment"] * (name == "check")]) == 0
            forms[form] = capsys.readouterr().out
        elif name == "check":
            forms |= {"markdown": (tmp_path / "comment").read_text("utf-8"), "csv": ""}
        else:
            forms[form] = render(json.loads(forms["json"]), form)
    words = {
        *next(csv.reader(io.StringIO(forms["csv"])), ()),
        *_words_of_tables(forms["markdown"]),
    }
    words |= {
        part.partition(":")[0]
        for text in re.findall(r"`(\w+[|][^`]*)`", forms["markdown"])
        for part in text.split("|")[1:]
    }
    unknown = []
    for word in {word for word in words if word and word not in GIVEN and not word.isdecimal()}:
        if not any(f": {system}" in word for system in GIVEN):  # a title of several heads, as of calibrated values
            try:
                qassay.explain(word)
            except ValueError:
                unknown.append(word)
    assert not unknown


BELOW_TABLES = """Holm, paired, two-sided, level, rounds, resamples, seed, Romano–Wolf, kinds of errors, largest losses, expected value,
assumed, own_scores, unscored, queries, refs:max, model:lite, fingerprint:a9947d8a722d, trec, zero, linear, float64, num_relevant, lite,
judged without the question"""


@pytest.mark.parametrize("word", re.split(r",\s+", BELOW_TABLES))
def test_words_of_lines_below_tables_and_values_of_signatures_are_explained(word):
    assert "always None" not in repr(qassay.explain(word))


def _words_of_tables(text):
    """The heads of the tables of Markdown, the measures and the verdicts."""
    lines = text.splitlines()
    for head, rule, *rows in (lines[at:] for at in range(len(lines))):
        if rule.startswith("| ---"):
            heads, found = (
                _cells(head),
                [_cells(row) for row in rows[: next((n for n, row in enumerate(rows) if not row), None)]],
            )
            yield from heads
            yield from (
                cell for row in found for name, cell in zip(heads, row, strict=True) if name in ("measure", "verdict")
            )
        if len(rows) < 2:
            return


def _cells(row):
    plain = [re.sub(r"\\(.)", r"\1", cell).strip().strip("`") for cell in row[2:-2].split(" | ")]
    return [re.sub(r"^[^\w*]+ ", "", cell) for cell in plain]  # signs before a verdict
