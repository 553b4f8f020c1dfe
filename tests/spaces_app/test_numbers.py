"""The numbers of the tabs are those of Python and of the command line."""

import csv
import io
import json
import re
import shlex

import pytest

import qassay
from qassay.answer_match.answerability import answered_table, no_answer_decision, reliability, threshold_curve
from qassay.cli import main
from qassay.reports.finding import plain_text
from qassay.reports.one_pair import compared_pairs, of_pair
from qassay.reports.slice_gaps import widest_gaps
from qassay.spaces_app import agreement_lists
from qassay.spaces_app.agreement_view import AgreementChoices, found_html, judged_file
from qassay.spaces_app.analysis import Settings, analyze
from qassay.spaces_app.compare_view import pair_details
from qassay.spaces_app.comparisons import CompareChoices, compare_command, comparison_of
from qassay.spaces_app.findings import finding_of, worst_slice
from qassay.spaces_app.inputs import sample_analysis, sample_inputs
from qassay.spaces_app.labels_view import LabelChoices, calibrated, calibration_html, labels_csv, read_labels
from qassay.spaces_app.no_answer_view import BEST, OWN, answered_view, no_answer_head, probability_view, threshold_range
from qassay.spaces_app.samples import FOLDER, SAMPLES
from qassay.spaces_app.score_view import score_html
from qassay.spaces_app.slice_overview import finding, sides_of, slices_overview, weakest_slices
from qassay.spaces_app.slices_view import outliers_of_systems, slice_report, slices_page

QUICK = CompareChoices(test="t")
ANSWERS = FOLDER / "answers"
ATTACK = "<script>alert(1)</script>"


def words(page):
    page = re.sub(r"</?(bdi|wbr|code|a)\b[^>]*>", "", re.sub("<svg.*?</svg>", " ", page, flags=re.DOTALL))
    return " ".join(re.sub(r"<[^>]+>", " ", page).split())


# --- values -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SAMPLES)
def test_every_sample_shows_all_its_values_and_its_signature(name):
    analysis = sample_analysis(name)
    page = words(score_html(analysis))
    assert analysis.report.signatures[analysis.family.name] in page
    for system, cells in analysis.report.systems.items():
        summary = analysis.scores(system).summary(list(analysis.main_measures))
        for measure in analysis.main_measures:
            assert cells[measure].value == pytest.approx(100 * summary[measure], nan_ok=True)
            assert f"{cells[measure].value:.2f}" in page, (system, measure)


def test_what_is_missing_unknown_or_empty_is_told(analysis_of):
    gold = {"a": ["x"], "b": ["y"], "c": ["z"]}
    systems = {"one": {"a": "x", "b": "", "q": "?"}, "two": {"a": "", "b": "y", "c": "z"}}
    page = words(score_html(analysis_of(gold, systems)))
    for told in (
        "one: 2 of 3",
        "one: 1 of 3",
        "one: 1 without a prediction",
        "one: 1 predicted under an id",
        "two: nothing",
    ):
        assert told in page, told


def test_a_star_is_where_the_paired_test_agrees_and_the_best_is_bold(analysis_of):
    gold = {str(number): ["x"] for number in range(12)}
    right, half = dict.fromkeys(gold, "x"), {key: "x" if int(key) % 6 else "n" for key in gold}
    wrong = dict.fromkeys(gold, "n")

    def row(systems):
        page = score_html(analysis_of(gold, systems))
        return next(part for part in page.split("<tr>") if "<code><bdi>exact_<wbr>match</bdi></code>" in part)

    by_chance = row({"one": right, "two": half})
    assert "★" not in by_chance and by_chance.count("<strong>") == 1 and "<strong>100.00</strong>" in by_chance
    assert row({"one": wrong, "two": right}).count("★") == 1
    assert "★" not in row({"one": wrong, "two": right, "three": half}), "not better than every other"
    assert "<strong>" not in row(dict.fromkeys(("one", "two"), half))


# --- slices -----------------------------------------------------------------------------------------------------------


def test_values_of_slices_are_those_of_the_core_and_few_is_said_of_the_value_that_rests_on_few():
    """Of 30 examples an interval near 100 rests on few, others do not."""
    analysis = sample_analysis("answers")
    parts = analysis.scores("large_model").by(analysis.labels("large_model", "language"))
    cells = slice_report(analysis, "language").slices["language"]
    for label, part in parts.items():
        cell = cells[label]["large_model"]["f1"]
        assert cell.value == pytest.approx(100 * part.summary(["f1"])["f1"]) and cell.n == len(part)
    assert f"{cells['fr']['large_model']['f1'].value:.2f}" in slices_page(analysis, "language", "f1")
    cells = slice_report(analysis, "gold_count").slices["gold_count"]["2"]
    assert [(system, of["f1"].is_few) for system, of in cells.items()] == [
        ("small_model", False),
        ("large_model", True),
    ]
    marks = re.findall(r'<g class="([^"]*)"><title>2, (\w+):', slices_page(analysis, "gold_count", "f1"))
    assert [(whose, "few" in color.split()) for color, whose in marks] == [
        ("small_model", False),
        ("large_model", True),
    ]


def test_slices_begin_with_the_slice_of_the_answer_and_those_of_few_examples_come_last():
    for name in ("answers", "labels"):
        analysis = sample_analysis(name)
        listed, worst = weakest_slices(analysis), worst_slice(analysis)
        few = [one.value.n < 30 for one in listed if not one.is_nearly_all]
        assert few == sorted(few) and len({*few}) == 1 + (name == "answers")
        assert worst is None or (worst.slice, worst.label) == (listed[0].slicing, listed[0].label)


def test_systems_measured_on_different_questions_are_compared_on_those_of_both():
    """Of 12 questions the readers of both systems were measured on 6: the slices say the difference that the answer says."""
    analysis = analyze(sample_inputs("rag")._replace(measures=["reader_topk_f1"]))
    assert {cell.n for cell in analysis.cells("reader_topk_f1").values()} == {6, 12}
    sides = sides_of(analysis)
    assert (sides.measure, sides.system, sides.other) == ("reader_topk_f1", "dense", "keyword")
    assert f"+{sides.whole:.2f} " in " ".join(map(plain_text, finding_of(analysis).sentences))
    assert f"+{sides.whole:.2f} over the 6 questions" in finding(analysis, {})
    slices = weakest_slices(analysis)
    assert sum(one.value.n for one in slices) == 6
    assert sum(one.gap * one.value.n for one in slices) == pytest.approx(6 * sides.whole)


def test_a_slice_stands_out_only_where_the_test_says_so(analysis_of):
    def many(right):
        rows = [f"{'a' if row < right else 'b'},a,easy\nb,a,hard\n" for row in range(100)]
        return analysis_of("".join(["prediction,reference,topic\n", *rows]), settings=Settings(n_resamples=100))

    (found,) = outliers_of_systems(many(90), "topic", "exact_match").values()
    assert [(one.label, one.value, one.n, one.is_better) for one in found] == [("hard", 0.0, 100, False)]
    assert not any(outliers_of_systems(many(0), "topic", "exact_match").values())
    golds = [{"id": str(n), "question": f"{('who', 'when')[n % 2]} {n}?", "answers": ["a"]} for n in range(200)]
    analysis = analysis_of(golds, {"one": {str(n): "x" if n % 2 and n % 20 > 3 else "a" for n in range(200)}})
    assert [hollow for (label, _), hollow in hollow_bars(slices_overview(analysis)).items() if "when" in label] == [
        False
    ]


def hollow_bars(page):
    """A slice in words and n -> whether the bar of its difference is hollow."""
    found = re.findall(
        r'<li class="gap">.*?class="slice">(.*?)</span></span>.*?n&nbsp;=&nbsp;([\d,]+).*?<svg class="gap-bar (\w+)( open)?"',
        page,
    )
    return {of[:2]: bool(of[3]) for of in found}


# --- comparisons ------------------------------------------------------------------------------------------------------


def test_slices_and_compare_are_as_sure_of_the_same_slices_and_order_them_by_their_difference():
    analysis = sample_analysis("answers")
    report = comparison_of(analysis, CompareChoices())
    (pair,) = compared_pairs(report)
    compared, listed = hollow_bars(pair_details(analysis, report, pair)), hollow_bars(slices_overview(analysis))
    shared = {*compared} & {*listed}
    assert shared and {one: listed[one] for one in shared} == {one: compared[one] for one in shared}
    gaps = widest_gaps(of_pair(report, pair), "f1")
    order = [(gap.is_few, gap.difference.n < 5, -abs(gap.difference.difference)) for gap in gaps]
    assert order == sorted(order)


@pytest.mark.parametrize(("name", "measures"), [("answers", "usual"), ("labels", "all")])
def test_the_command_line_gives_the_same_comparison(name, measures, monkeypatch, capsys):
    analysis = sample_analysis(name)
    choices = CompareChoices(analysis.systems[1], "t", "bonferroni", measures)
    _, *arguments = shlex.split(compare_command(analysis, choices))
    monkeypatch.chdir(FOLDER.parent)
    assert main([*arguments[:-2], "--format", "json"]) == 0
    told = json.loads(capsys.readouterr().out)["differences"]
    asked = comparison_of(analysis, choices).differences
    assert [(one["measure"], one["n"]) for one in told] == [(one.measure, one.n) for one in asked]
    for field in ("difference", "p_value", "p_adjusted"):
        assert [one[field] for one in told] == pytest.approx([getattr(one, field) for one in asked], nan_ok=True)
    assert CompareChoices("gone").fitting(analysis).baseline is None


# --- no answer --------------------------------------------------------------------------------------------------------


def test_thresholds_of_no_answer_are_those_of_the_core():
    sample = sample_analysis("answers")
    scores, head = sample.scores("large_model"), words(no_answer_head(sample))
    found = scores.summary()
    for name in ("exact_match", "f1"):
        values = [f"{100 * found[key]:.2f}" for key in (name, f"best_{name}")]
        gain = f"+{100 * (found[f'best_{name}'] - found[name]):.2f}"
        assert f"{name} {values[0]} {values[1]} {gain} {found[f'best_{name}_threshold']:.4g} 25.00" in head
    for which, threshold in (("as scored", None), (BEST, found["best_f1_threshold"]), (OWN, 0.25), (OWN, 1.0)):
        page = words(answered_view(sample, which, threshold if which == OWN else None))
        table, decision = answered_table(scores, threshold), no_answer_decision(scores, threshold)
        large = page[page.index("large_model") :]
        for kind in ("answered", "withheld"):
            cells = [table[kind][name] for name in ("has_answer", "no_answer")]
            assert " ".join(f"{cell.n} {cell.right} right" for cell in cells) in large
        assert f"precision {100 * decision.precision:.2f}, recall {100 * decision.recall:.2f}" in large
        f1 = found["f1"] if threshold is None else threshold_curve(scores).at(threshold)
        assert f"f1 {100 * f1:.2f}" in large
    assert f"large_model {reliability(scores).error:.3f} 64" in words(probability_view(sample))
    assert threshold_range(sample) == (0.0, 1.0, 0.5)


# --- human labels and agreement ---------------------------------------------------------------------------------------


def test_calibrated_values_are_those_of_python(analysis_of):
    analysis, labels = sample_analysis("answers"), ANSWERS / "large_model_labels.csv"
    scores, content = analysis.scores("large_model"), read_labels(str(labels), labels.name).content
    choices = LabelChoices("large_model", measures=("exact_match", "f1"), width=15)
    found = qassay.calibrate(scores, labels, ["exact_match", "f1"])
    result = calibrated(analysis, choices, {"large_model": content})
    page = calibration_html(analysis, choices, result)
    for one in found.values():
        assert (
            f">{100 * one.value:.2f}<" in page and f"{100 * one.interval[0]:.2f} to {100 * one.interval[1]:.2f}" in page
        )
    assert f"about {found['exact_match'].labels_needed(0.15)} labels" in page
    assert result.next_ids == found["f1"].to_next(20)
    choices = LabelChoices("large_model", "", ("exact_match",), "rogan_gladen", None, "normal")
    (one,) = calibrated(analysis, choices, {"large_model": content}).found
    expected = qassay.calibrate(scores, labels, "exact_match", method="rogan_gladen", interval_method="normal")
    assert tuple(one.interval) == tuple(expected.interval)
    runs = sample_analysis("runs")
    verdicts = {key: n > 0 for n, key in enumerate([*runs.scores("sampled_model").ids][:21])}
    result = calibrated(runs, LabelChoices("sampled_model (2)"), {"sampled_model (2)": verdicts})
    assert result.found[0].measured == runs.scores("sampled_model").run_values()["2"]["exact_match"], (
        "labels are of one run"
    )


def test_the_table_to_fill_in_comes_back_with_ids_of_any_characters_and_is_no_formula(analysis_of, tmp_path):
    odd = [
        "=y",
        "-a",
        "+1",
        "@z",
        "\ta",
        "\rb",
        "a\nb",
        " x ",
        "\ud800",
        "a\\b",
        "é",
        '"q"',
        "a,b",
        "'=",
        "'x",
        f"={ATTACK}",
    ]
    analysis = analysis_of(
        {key: ["Rome"] for key in odd}, {"a": {key: "Rome" if at % 2 else "x" for at, key in enumerate(odd)}}
    )
    choices = LabelChoices("a", n_next=50)
    drawn = calibrated(analysis, choices, {})
    assert "<script" not in calibration_html(analysis, choices, drawn)
    rows = list(csv.reader(io.StringIO(labels_csv(analysis, choices, drawn).decode())))
    assert [cell for row in rows for cell in row if cell.startswith(("=", "+", "-", "@", "\t", "\r"))] == ["+1"], (
        "a number"
    )
    with (tmp_path / "filled.csv").open("w", newline="") as file:
        csv.writer(file).writerows([rows[0], *([row[0], at % 3 > 0, *row[2:]] for at, row in enumerate(rows[1:]))])
    (one,) = calibrated(analysis, choices, {"a": read_labels(str(tmp_path / "filled.csv"), "filled.csv").content}).found
    expected = qassay.calibrate(analysis.scores("a"), {key: at % 3 > 0 for at, key in enumerate(drawn.next_ids)})
    assert one.n_labelled == len(odd) and (one.value, one.agreement) == (expected.value, expected.agreement)
    twins = analysis_of({key: ["x"] for key in ("=y", "'=y", "z")}, {"a": {"z": "x"}})
    with pytest.raises(ValueError, match="=y"):  # CSV cannot tell them apart
        labels_csv(twins, choices, calibrated(twins, choices, {}))


def test_an_agreement_is_that_of_python_and_its_numbers_lead_to_lists_of_answers(tmp_path):
    path = ANSWERS / "labelled_answers.csv"
    judged = judged_file(str(path), path.name, AgreementChoices())
    page, found = found_html(judged), qassay.agreement(path)
    assert judged.found.to_dict() == found.to_dict()
    lists = {part.split('"')[0]: part.split("</details></div>")[0] for part in page.split('<div id="')[1:]}
    assert {*re.findall(r'<a class="go" href="#([^"]*)"', page)} == {*lists}, (
        "every list is linked, every link is to one"
    )
    rows = page[page.index("<tbody>") :].split("</tbody>")[0].split("<tr>")[1:]
    for one, row in zip(found.measures, rows, strict=True):
        low, high = one.intervals["auc"]
        assert f"{one.auc:.3f}" in row and f"{low:.3f} to {high:.3f}" in row
        values, right = judged.values[one.measure], judged.labels.right == 1
        different = (values >= 0.5) != right
        anchor = re.search(rf'<a class="go" href="#([^"]*accuracy)">{one.accuracy:.3f}</a>', row)
        assert bool(anchor) == different.any()
        if anchor:
            body = lists[anchor[1]]
            assert f"{different.sum()} of 36" in body and body.count('<th scope="row">') == different.sum()
            shown = [float(cell) for cell in re.findall(r"<td>([\d.]+)</td></tr>", body)]
            assert sorted(shown) == pytest.approx(sorted(values[different]), abs=6e-4)
        lost = (values[right][:, None] < values[~right]) + (values[right][:, None] == values[~right]) / 2
        assert f"{lost.sum():g} of {lost.size} pairs" in page and 1 - lost.mean() == pytest.approx(one.auc)


def test_lists_of_an_agreement_are_bounded_and_escaped(tmp_path, monkeypatch):
    path = tmp_path / "labelled.csv"
    rows = [f"q{n},a,b,{n % 2},{ATTACK}{n % 2}" for n in range(60)]
    path.write_text("\n".join(["question,gold,answer,label,system", *rows]), "utf-8")
    judged = judged_file(str(path), "labelled.csv", AgreementChoices(("answer_match",)))
    for most, shown in ((1_000, 20), (1, 1)):
        monkeypatch.setattr(agreement_lists, "_MOST_ROWS", most)
        page = found_html(judged)
        body = page.split('<div id="agreement-0-n"')[1].split("</details></div>")[0]
        assert f"the first {shown} below" in body and body.count('<th scope="row">') == shown
        assert "<script" not in page and "&lt;script" in page
