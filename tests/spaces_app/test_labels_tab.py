"""The tab Human labels: numbers as on the command line, what to label next, bad files, runs, hostile texts."""

import csv
import io
import re
from types import SimpleNamespace

import pytest

import qassay
from qassay.spaces_app.analysis import Analysis
from qassay.spaces_app.human_labels import kept_calibration
from qassay.spaces_app.inputs import sample_analysis
from qassay.spaces_app.kept_work import KeptWork
from qassay.spaces_app.labels_view import LabelChoices, calibrated, calibration_html, labels_csv, read_labels
from qassay.spaces_app.samples import FOLDER, SAMPLES

LABELS = FOLDER / "answers" / "large_model_labels.csv"
EMPTY = (("exact_match",), "ppi", "", "20", "", "auto", "", "")  # what the boxes hold that nobody touched


@pytest.fixture(scope="module")
def page(gr, build_tab):
    from qassay.spaces_app.labels_tab import build_labels_tab

    server = SimpleNamespace(kept_work=KeptWork(), shows=lambda session, analysis: analysis.inputs.title == session)
    built = build_tab(lambda state: build_labels_tab(state, gr.HTML(), server))
    return SimpleNamespace(**built._asdict(), server=server)


@pytest.fixture
def press(gr, page, tmp_path, monkeypatch):
    """A function of what a visitor filled in -> message, HTML, path of the table to fill in."""
    monkeypatch.setenv("GRADIO_TEMP_DIR", str(tmp_path / "uploads"))

    def call(labels=None, other_labels=None, system="large_model", other="", analysis=None, is_sample=False, **given):
        names = ("measures", "method", "width", "n_next", "lam", "intervals", "ids", "verdicts")
        values = [given.pop(name, usual) for name, usual in zip(names, EMPTY, strict=True)]
        assert not given
        handler = page.handlers["calibrate"][is_sample]
        steps = handler(analysis or sample_analysis("answers"), system, other, labels and str(labels),
                        other_labels and str(other_labels), False, None, *values)  # fmt: skip
        assert next(steps)[1:3] == ["", ""], "old numbers go first"
        _, message, html, table, *_ = next(steps)
        if message:
            with pytest.raises(gr.Error) as toast:
                next(steps)
            assert toast.value.message in message, "the same words in the toast and beside the field"
        return message, html, table.value and table.value["path"] if not message else ""

    return call


@pytest.fixture
def put(tmp_path):
    def call(name, text):
        (tmp_path / name).write_text(text)
        return tmp_path / name

    return call


def content(path):
    return read_labels(str(path), path.name).content


def test_the_numbers_are_those_of_python(press):
    message, html, _ = press(LABELS, measures=["exact_match", "f1"], width="15")
    scores = sample_analysis("answers").scores("large_model")
    found = qassay.calibrate(scores, LABELS, ["exact_match", "f1"])
    assert message == ""
    for one in found.values():
        assert (
            f">{100 * one.value:.2f}<" in html and f"{100 * one.interval[0]:.2f} to {100 * one.interval[1]:.2f}" in html
        )
    needed = found["exact_match"].labels_needed(0.15)
    assert f"for an interval 15 wide exact_match needs about {needed} labels." in html
    finding = (
        "large_model: people would give 91.64 (80.68 to 98.80) of 100. exact_match alone gives 71.88, which is too low."
    )
    assert f'<p class="finding">{finding}</p>' in html[: html.index("<table")]
    next_id = found["f1"].to_next(20)[0]
    assert f'<a class="go" href="?tab=errors&amp;system=large_model&amp;example={next_id}">' in html
    assert "PPI++, adjusted t" in html and "95 % interval" in html
    assert all(str(identifier) in html for identifier in found["f1"].to_next(20))


def test_who_opens_the_tab_first_sees_the_labels_of_the_sample(gr, page, tmp_path, monkeypatch):
    monkeypatch.setenv("GRADIO_TEMP_DIR", str(tmp_path))
    show, analysis = page.handlers["show_sample"][0], sample_analysis("answers")
    form, message, html, table, is_first = show(analysis, page.tab.refresh(analysis)[-1])
    assert form.open is False and "Labels of the sample: large_model" in form.label and "of 100." in html
    assert table.value["path"].endswith("/qassay-to-label-large_model.csv") and (message, is_first) == ("", False)
    others = [(analysis, False), (sample_analysis("labels"), page.tab.refresh(sample_analysis("labels"))[-1])]
    assert all(value == gr.skip() for one, asked in others for value in show(one, asked))


def test_a_reload_shows_what_was_calibrated_and_no_other_visitor_sees_it(gr, page, press, put, analysis_of):
    """The visitor gets a copy of a sample. The labels count again without their file."""
    tab, shared = page.tab, sample_analysis("answers")
    verdicts = "".join(f"{key},{n % 2}\n" for n, key in enumerate(list(shared.scores("small_model").ids)[:30]))
    votes = put("votes.csv", "id,label\n" + verdicts)

    def calibrate(analysis, session, path, width="15", is_again=True):
        names = ("exact_match", "f1"), "ppi", width, "7", "", "normal", "", ""
        steps = page.handlers["calibrate"][0](
            analysis,
            "small_model",
            "",
            path and str(path),
            None,
            is_again,
            SimpleNamespace(session_hash=session),
            *names,
        )
        next(steps)
        return next(steps, None)

    assert calibrate(shared, "other files, which were scored meanwhile", votes) is None
    form, _, html, table, own, told = calibrate(shared, shared.inputs.title, votes)
    assert own is not shared and own.inputs == shared.inputs and kept_calibration(shared) is None
    token = re.search('data-work="(.+?)".*data-sample="answers"', told)[1]
    assert page.server.kept_work.find(token, Analysis) is own and "small_model" in form.label

    def refreshed(analysis):
        values = tab.refresh(analysis)
        names = (part.elem_id or getattr(part, "label", "") for part in tab.outputs)
        return dict(zip(names, values, strict=True))

    again = refreshed(own)
    assert again["labels-page"] == html and "human+label" in html and again["labels-form"].label == form.label
    assert (again["System"].value, again["Compare with"].value) == ("small_model", "")
    assert again["Measures"].value == ["exact_match", "f1"] and again["Method of these intervals"] == "normal"
    assert (again["Target width"], again["To label next"]) == ("15", "7")
    assert "small_model: 30 labels that you gave" in again["labels-found"]
    assert tab.refresh(own)[-2:] == [True, False] and tab.refresh(shared)[-2:] == [False, True], (
        "the labels of the sample do not follow"
    )
    assert refreshed(shared)["labels-page"] == "" and refreshed(shared)["labels-form"].open
    *_, after, _, is_own, is_told = calibrate(own, own.inputs.title, None, "12")
    assert after.replace("12 wide", "15 wide").count("wide") == html.count("wide") and "12 wide" in after
    assert is_own == is_told == gr.skip(), "the same work has its token"
    assert kept_calibration(own).chosen.width == 12
    assert page.handlers["look"][0](str(votes), None)[-1] is False
    assert refreshed(own)["labels-page"] == after, "another page that shows them keeps them"
    assert "To label first" in calibrate(own, own.inputs.title, None, is_again=False)[2], "labels that were taken away"


@pytest.mark.parametrize("is_sample", [True, False])
def test_the_labels_of_a_sample_and_no_labels_make_no_copy_of_it(gr, page, is_sample, tmp_path, monkeypatch):
    monkeypatch.setenv("GRADIO_TEMP_DIR", str(tmp_path))
    shared, request = sample_analysis("answers"), SimpleNamespace(session_hash=sample_analysis("answers").inputs.title)
    before = page.server.kept_work.last_used_first()
    steps = page.handlers["calibrate"][is_sample](shared, "large_model", "", None, None, False, request, *EMPTY)
    next(steps)
    _, message, html, _, own, told = next(steps)
    assert message == "" and ("of 100." if is_sample else "To label first") in html
    assert own == told == gr.skip() and page.server.kept_work.last_used_first() == before


def test_methods_and_settings_reach_the_numbers():
    analysis = sample_analysis("answers")
    scores = analysis.scores("large_model")
    choices = LabelChoices("large_model", "", ("exact_match",), "rogan_gladen", None, "normal")
    (one,) = calibrated(analysis, choices, {"large_model": content(LABELS)}).found
    expected = qassay.calibrate(scores, LABELS, "exact_match", method="rogan_gladen", interval_method="normal")
    assert tuple(one.interval) == tuple(expected.interval)
    choices = LabelChoices("large_model", lam=1.0, n_next=None)
    result = calibrated(analysis, choices, {"large_model": content(LABELS)})
    assert result.found[0].value == qassay.calibrate(scores, LABELS, lam=1).value and result.next_ids == []


def test_without_labels_the_first_examples_are_drawn_and_come_back_as_labels(press, put):
    message, html, table = press(n_next="40", system="large_model")
    assert message == "" and "To label first" in html and "40 questions, answers of <bdi>large_model</bdi>" in html
    rows = list(csv.DictReader(io.StringIO(open(table, newline="").read())))
    with LABELS.open() as file:
        drawn = list(csv.DictReader(file))
    assert [row["id"] for row in rows] == [row["id"] for row in drawn], "as the command line draws them"
    assert list(rows[0]) == ["id", "label", "question", "answer", "gold"] and {row["label"] for row in rows} == {""}
    filled = io.StringIO()
    writer = csv.DictWriter(filled, rows[0])
    writer.writeheader()
    writer.writerows({**row, "label": verdict["label"]} for row, verdict in zip(rows, drawn, strict=True))
    assert press(put("filled.csv", filled.getvalue()))[1] == press(LABELS)[1]


def test_two_systems_and_their_difference(press, put):
    small = put("small.csv", "id,label\n" + "\n".join(f"{identifier},{place % 2}" for place, identifier in enumerate(
        sample_analysis("answers").scores("small_model").ids)))  # fmt: skip
    message, html, _ = press(LABELS, small, other="small_model", n_next="")
    assert message == "" and "exact_match: large_model" in html and "exact_match: small_model" in html
    assert "exact_match: small_model − large_model" in html and "To label" not in html
    assert "small_model has no labels; a difference needs" in press(LABELS, other="small_model")[0]
    assert "large_model has no labels; a difference needs" in press(None, small, other="small_model")[0]
    assert "a difference is of two systems" in press(LABELS, LABELS, other="large_model")[0]
    for labels in (LABELS, None):
        message = press(labels, small)[0]
        assert "there are labels of another system, but no other system is chosen; choose it, or omit them" in message


def test_measures_of_all_metrics_can_be_calibrated(analysis_of):
    gold = {f"q{n}": [f"city {n}"] for n in range(30)}
    analysis = analysis_of(gold, {"a": {key: f"{key} city" for key in gold}}, metric="all", options=("model=lite",))
    labels = {key: n % 2 for n, key in enumerate(gold)}
    result = calibrated(analysis, LabelChoices("a", measures=("sas", "f1")), {"a": labels})
    assert [one.measure for one in result.found] == ["f1", "sas"]
    with pytest.raises(ValueError, match="f2"):
        calibrated(analysis, LabelChoices("a", measures=("f2", "sas")), {"a": labels})


def test_labels_are_of_one_run(page, analysis_of):
    analysis = sample_analysis("runs")
    head, systems = page.tab.refresh(analysis)[2:4]
    assert "Labels are of the answers of one run" in head
    assert [value for _, value in systems.choices] == [f"sampled_model ({n})" for n in (1, 2, 3, 4)]
    ids = list(analysis.scores("sampled_model").ids)
    verdicts = dict.fromkeys(ids[:20], 1) | {ids[20]: 0}
    result = calibrated(analysis, LabelChoices("sampled_model (2)"), {"sampled_model (2)": verdicts})
    assert result.found[0].measured == analysis.scores("sampled_model").run_values()["2"]["exact_match"]
    with pytest.raises(ValueError, match="Unknown system 'sampled_model'.*; there are sampled_model"):
        calibrated(analysis, LabelChoices("sampled_model"), {})


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("id,label\nlighthouse-1,1\n", "labels.csv: 1 label is too few for an interval"),
        ("id,label\n" + "nobody,1\n" * 12, "labels.csv: 12 of 12 labels have unknown ids"),
        ("id,label\nlighthouse-1,7\n", "labels.csv: the verdict of &#x27;lighthouse-1&#x27; is 7, outside 0..1"),
        ("id,label\nlighthouse-1,maybe\n", "labels.csv: the verdict of"),
        ("uid,right\nlighthouse-1,1\n", "labels.csv: no column is known to hold the"),
        ("\0", "labels.csv: this is a binary file"),
    ],
)
def test_wrong_labels_are_told_with_the_name_of_the_file_and_clear_the_numbers(press, put, tmp_path, text, words):
    message, html, _ = press(put("labels.csv", text))
    assert words in message and html == "" and 'role="alert"' in message and "Not calibrated" in message
    assert str(tmp_path) not in message


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"labels": None, "n_next": ""}, "give a file of labels, or a number of examples"),
        ({"width": "200"}, "width: it must be above 0 and at most 100; got 200"),
        ({"width": "ten"}, "target width: &#x27;ten&#x27; is not a number"),
        ({"width": "1" * 50}, "target width: 50 characters are too many"),
        ({"n_next": "2.5"}, "to label next: it must be an integer; got 2.5"),
        ({"n_next": "0"}, "the number of examples to label next must be an integer of at least 1"),
        ({"n_next": "2000"}, "at most 1,000"),
        ({"lam": "inf"}, "lam must be a finite number"),
        ({"lam": "1", "method": "rogan_gladen"}, "lam is for the method ppi"),
        ({"measures": ["f1"], "method": "rogan_gladen"}, "f1"),
        ({"ids": "no such"}, "no such"),
        ({"system": "nobody"}, "Unknown system &#x27;nobody&#x27;; there are small_model, large_model"),
    ],
)
def test_wrong_choices_are_told(press, given, words):
    assert words in press(**{"labels": LABELS, **given})[0]


def test_files_are_described_and_their_columns_offered(page, put):
    look = page.handlers["look"][0]
    votes = put("votes.csv", "uid,right\na,1\n")
    found, ids, verdicts, *results = look(str(votes), None)
    assert "votes.csv" in found and [value for _, value in ids.choices] == ["", "uid", "right"]
    assert ids.choices == verdicts.choices and results[1:3] == ["", ""], "what was calibrated with other files goes"
    assert look(None, None)[0] == ""
    assert "bad.csv: this file is empty" in look(str(put("bad.csv", "")), None)[0]
    scores = sample_analysis("answers").scores("large_model")
    table = put("named.csv", "uid,right\n" + "".join(f"{identifier},1\n" for identifier in list(scores.ids)[:20]))
    choices = LabelChoices("large_model", columns={"ids": "uid", "labels": "right"})
    assert calibrated(sample_analysis("answers"), choices, {"large_model": content(table)}).found[0].n_labelled == 20


def test_the_sample_has_labels(press, page):
    refreshed = dict(zip(map(id, page.tab.outputs), page.tab.refresh(sample_analysis("answers")), strict=True))
    (button,) = [part for part in page.tab.outputs if part.elem_id == "labels-sample"]
    assert refreshed[id(button)].visible and press(is_sample=True)[1] == press(LABELS)[1]
    assert "the sample has labels of large_model only" in press(is_sample=True, system="small_model")[0]
    refreshed = dict(zip(map(id, page.tab.outputs), page.tab.refresh(sample_analysis("labels")), strict=True))
    assert not refreshed[id(button)].visible
    assert len(page.tab.refresh(None)) == len(page.tab.outputs)


def test_texts_of_users_stay_text(analysis_of):
    nasty = "<script>alert(1)</script>"
    gold = {f"={nasty}{n}": [nasty] for n in range(12)}
    analysis = analysis_of(gold, {"a": {key: nasty for key in gold}})
    choices = LabelChoices("a", n_next=3)
    result = calibrated(analysis, choices, {})
    html = calibration_html(analysis, choices, result)
    assert "<script" not in html and "&lt;script&gt;" in html
    assert all(not line.startswith("=") for line in labels_csv(analysis, choices, result).decode().splitlines())


def test_the_table_to_fill_in_comes_back_with_ids_of_any_characters(analysis_of, put):
    odd = ["=y", "-a", "+1", "@z", "\ta", "\rb", "a\nb", " x ", "\ud800", "a\\b", "é", '"q"', "a,b", "'=", "'x", "1"]
    gold = {key: ["Rome"] for key in odd}
    analysis = analysis_of(gold, {"a": {key: "Rome" if at % 2 else "x" for at, key in enumerate(odd)}})
    choices = LabelChoices("a", n_next=50)
    rows = list(csv.reader(io.StringIO(labels_csv(analysis, choices, calibrated(analysis, choices, {})).decode())))
    filled = io.StringIO()
    csv.writer(filled).writerows([rows[0], *([row[0], at % 3 > 0, *row[2:]] for at, row in enumerate(rows[1:]))])
    table = {"a": content(put("filled.csv", filled.getvalue()))}
    (one,) = calibrated(analysis, choices, table).found
    drawn = calibrated(analysis, choices, {}).next_ids
    expected = qassay.calibrate(analysis.scores("a"), {key: at % 3 > 0 for at, key in enumerate(drawn)})
    assert one.n_labelled == len(odd) and (one.value, one.agreement) == (expected.value, expected.agreement)


def test_ids_that_csv_cannot_tell_apart_are_refused(analysis_of):
    gold = {key: ["x"] for key in ("=y", "'=y", "z")}
    analysis, choices = analysis_of(gold, {"a": dict.fromkeys(gold, "x")}), LabelChoices("a", n_next=3)
    with pytest.raises(ValueError, match="to label next: CSV cannot tell the id .*=y.* from another id; rename it"):
        labels_csv(analysis, choices, calibrated(analysis, choices, {}))


@pytest.mark.parametrize("name", SAMPLES)
def test_every_family_is_calibrated_and_has_examples_to_label(name):
    analysis = sample_analysis(name)
    system = analysis.by_run.systems[0]
    ids = list(analysis.by_run.scores(system).ids)
    drawn = calibrated(analysis, LabelChoices(system, n_next=5), {})
    assert len(drawn.next_ids) == min(5, len(ids))
    shown = calibration_html(analysis, LabelChoices(system, n_next=5), drawn)
    assert str(drawn.next_ids[0]) in shown
    labels = {key: n % 3 > 0 for n, key in enumerate(ids)}
    if name == "curves":
        with pytest.raises(ValueError, match="no measure of these scores is a mean of values per example"):
            calibrated(analysis, LabelChoices(system), {system: labels})
    elif len(ids) > 40:
        result = calibrated(analysis, LabelChoices(system), {system: labels})
        assert len(result.found) == 1 and "by itself" in calibration_html(analysis, LabelChoices(system), result)
