"""The tab Agreement: numbers as in Python, columns that are chosen, files to keep, bad files, limits, hostile texts."""

import json
import re
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import qassay
from qassay.pages import uploads
from qassay.spaces_app import agreement_lists, agreement_view
from qassay.spaces_app.agreement_view import (
    FILES,
    AgreementChoices,
    JudgedTable,
    found_html,
    judged_file,
    metrics_of_texts,
)
from qassay.spaces_app.kept_work import KeptWork
from qassay.spaces_app.samples import FOLDER

LABELLED = FOLDER / "answers" / "labelled_answers.csv"
QUICK = {"metrics": ["answer_match"]}
ATTACK = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def page(gr, build_tab):
    from qassay.spaces_app.agreement_tab import build_agreement_tab

    kept = KeptWork()
    built = build_tab(lambda state: build_agreement_tab(state, gr.HTML(), kept))
    return SimpleNamespace(**built._asdict(), kept=kept)


@pytest.fixture
def press(gr, page, tmp_path, monkeypatch):
    """A function of what a visitor filled in -> message, HTML, paths of the files."""
    from qassay.spaces_app.agreement_tab import Boxes

    monkeypatch.setenv("GRADIO_TEMP_DIR", str(tmp_path / "uploads"))
    empty = Boxes(metrics_of_texts(), "", "", [], *[""] * 6)

    def call(path=None, is_sample=False, **given):
        steps = page.handlers["find"][is_sample](path and str(path), None, *empty._replace(**given))
        assert next(steps)[1:3] == ["", ""], "old numbers go first"
        form, message, html, row, *files, _, _ = next(steps)
        if message:
            with pytest.raises(gr.Error) as toast:
                next(steps)
            assert toast.value.message in message, "the same words in the toast and beside the field"
            assert html == "" and not row.visible
            return message, "", []
        assert form.open is False, "the numbers come first"
        return message, html, [file.value["path"] for file in files]

    return call


@pytest.fixture
def table(tmp_path):
    """`table(head, row, n=20)`: a CSV of so many rows, of which {} is the number, and {label} 0 or 1."""

    def write(head, row, n=20):
        path = tmp_path / "labelled.csv"
        lines = [head, *(row.format(place, label=place % 2) for place in range(n))]
        path.write_text("\n".join(lines), "utf-8")
        return path

    return write


def lists_of(html):
    """Anchor -> the HTML of its list."""
    return {part.split('"')[0]: part.split("</details></div>")[0] for part in html.split('<div id="')[1:]}


def unlinked(html):
    """HTML without the tags of links."""
    return re.sub("</?a[^>]*>", "", html)


def test_the_sample_has_the_numbers_of_python_and_of_the_files(press):
    message, html, paths = press(is_sample=True)
    found = qassay.agreement(LABELLED)
    assert message == ""
    html = unlinked(html)
    for one in found.measures:
        low, high = one.intervals["auc"]
        assert re.search(rf">{one.measure}</th><td>36</td><td>{one.auc:.3f}<span[^>]*>{low:.3f} to {high:.3f}<", html)
    assert (
        "<h2>Systems</h2>" in html and "3 of 3" in html and "accepting every answer gives an accuracy of 0.611" in html
    )
    assert [Path(path).name for path in paths] == [f"qassay-agreement-labelled_answers{ending}" for ending in FILES]
    best = max(found.measures, key=lambda one: one.auc)
    low, high = best.intervals["auc"]
    told = f"{best.measure} agrees best with these labels: AUC {best.auc:.3f} ({low:.3f} to {high:.3f})."
    assert best.measure == "equivalence" and html.index(told) < html.index("<table")
    assert json.loads(open(paths[-1]).read()) == json.loads(json.dumps(found.to_dict()))


def test_who_opens_the_tab_first_sees_the_sample(gr, page, tmp_path, monkeypatch):
    monkeypatch.setenv("GRADIO_TEMP_DIR", str(tmp_path))
    form, message, html, *_, is_first = page.handlers["show_sample"][0](True)
    assert "Sample: labelled_answers.csv" in form.label and message == "" and "equivalence agrees best" in html
    assert is_first is False and all(value == gr.skip() for value in page.handlers["show_sample"][0](False))


def test_a_reload_shows_the_table_of_the_visitor(gr, page, press, table):
    """By its token; a press without the file leaves the numbers, a file that is taken away takes them."""
    find, kept = page.handlers["find"][0], page.kept
    path = table("question,gold,answer,label", "q{},a,a,{label}")
    given = (["answer_match"], "", "", [], *[""] * 6)
    _, (form, _, html, bar, *_, own, told) = find(str(path), None, *given)
    token = re.fullmatch('<i data-table="(.+)"></i>', told)[1]
    (found, is_first, *values), misfits = page.tab.restore(token)
    assert values[0].label == form.label == "labelled.csv · change" and values[2] == html and values[3].visible
    assert (
        values[-2:] == [own, told] and is_first is False and "labelled.csv: the numbers below" in found and not misfits
    )
    assert len(page.tab.outputs) == len(page.tab.refresh(None)) == len(values) + 2
    steps = find(None, own, *given)
    assert all(value == gr.skip() for value in next(steps))
    _, message, *others = next(steps)
    assert "give labelled.csv again, or use the sample" in message and all(value == gr.skip() for value in others)
    assert kept.find(token, JudgedTable) is own and own.rows == 20
    *_, second, _ = list(find(str(path), own, *given))[-1]
    assert page.handlers["look"][0](None)[-2:] == [None, '<i data-table=""></i>']
    assert second is not own and kept.find(token, JudgedTable) is own, "another page may show it"
    kept.forget(own)
    values, misfits = page.tab.restore(token)
    assert misfits == ["The labelled answers are no longer stored; give their file again"]
    assert values[-1] == '<i data-table=""></i>' and all(value == gr.skip() for value in values[:-1])
    assert page.tab.restore("")[1] == []


def test_columns_and_settings_that_were_chosen_count(press, table):
    path = table("asked,a,b,said,votes,bot", "q{},x/y,z,x,{label},m")
    told = press(path, **QUICK)[0]
    assert "no column is known to hold" in told and "under Options, the column of " in told and "labelled" in told
    given = {"references": ["a", "b"], "predictions": "said", "labels": "votes", "question": "asked", "system": "bot"}
    _, html, _ = press(path, **QUICK, **given, separator="/", right_from="0.7")
    html = unlinked(html)
    assert ">exact_match</th><td>20</td><td>0.500" in html and ">m</th>" in html
    assert "sas" not in html and "groups of answers with the same asked" in html


@pytest.mark.parametrize(
    ("head", "row", "given", "message"),
    [
        ("question,gold,answer,label", "q{0},a,a,{0}", {}, "say from which label on an answer is right"),
        ("question,gold,answer,label", "q{},a,a,{label}", {"right_from": "much"}, "right from: 'much' is not a number"),
        ("question,gold,answer,label", "q{},a,a,maybe", {}, "row 0: the label 'maybe' is not a number"),
        ("question,gold,answer,label,id", "q{},a,a,{label},7", {}, "duplicate id '7' in rows 0 and 1"),
        ("question,gold,answer,label", "q{},a,a,{label}", {"metrics": ["label_metrics"]}, "does not score answers as texts"),
    ],
)  # fmt: skip
def test_errors_are_those_of_the_command_line(press, table, head, row, given, message):
    told = press(table(head, row), **QUICK | given)[0].replace("&#x27;", "'")
    assert "No agreement" in told and message in told and "--" not in told


def test_without_a_file_it_says_so(press):
    assert "give a file of answers with labels, or use the sample" in press()[0]


def test_limits_of_uploads_hold(press, table, monkeypatch):
    path = table("question,gold,answer,label,system", "q{},a,a,{label},m")
    monkeypatch.setattr(agreement_view, "MOST_LABELLED", 19)
    assert "20 labelled answers are too many; at most 19" in press(path, **QUICK)[0]
    monkeypatch.setattr(agreement_view, "MOST_LABELLED", 20)
    monkeypatch.setattr(agreement_view, "_MOST_SYSTEMS", 9)
    path = table("question,gold,answer,label,system", "q{0},a,a,{label},m{0}")
    assert "20 systems are too many; at most 9" in press(path, **QUICK)[0]
    path.write_bytes(b"\x1f\x8b" + b"0" * 99)
    assert "this is a gzip file" in press(path, **QUICK)[0]
    monkeypatch.setattr(uploads, "MAX_ROWS", 15)
    assert (
        "20 rows are too many; at most 15" in press(table("question,gold,answer,label", "q{},a,a,{label}"), **QUICK)[0]
    )


def test_what_a_file_is_is_told_and_old_numbers_go(page):
    told, references, *_, message, html, row = page.handlers["look"][0](str(LABELLED))[:12]
    assert "labelled_answers.csv" in told and "36 rows" in told
    assert [name for name, _ in references.choices] == ["question", "gold_answers", "answer", "system", "label"]
    assert (message, html, row.visible) == ("", "", False)


def test_texts_of_a_file_are_escaped(table):
    path = table("question,gold,answer,label,system", f"q{{0}},a,a,{{label}},{ATTACK}")
    html = found_html(judged_file(str(path), "labelled.csv", AgreementChoices(("answer_match",))))
    assert "<script" not in html and "&lt;script" in html


def test_numbers_lead_to_the_answers_that_people_judge_differently(table):
    judged = judged_file(str(LABELLED), LABELLED.name, AgreementChoices())
    html = found_html(judged)
    lists = lists_of(html)
    assert set(re.findall(r'<a class="go" href="#([^"]*)"', html)) == set(lists), (
        "every list is linked, every link is to one"
    )
    rows = html[html.index("<tbody>") :].split("</tbody>")[0].split("<tr>")[1:]
    for one, row in zip(judged.found.measures, rows, strict=True):
        values, right = judged.values[one.measure], judged.labels.right == 1
        assert f">{one.measure}</a></th>" in row
        for number, threshold in ((f"{one.accuracy:.3f}", 0.5), (f"{one.best_threshold:.3f}", one.best_threshold)):
            different = (values >= threshold) != right
            names = re.findall(rf'<a class="go" href="#([^"]*(?:accuracy|threshold))">{number}</a>', row)
            if not different.any():
                assert not names
                continue
            body = lists[names[-1] if threshold != 0.5 else names[0]]
            assert f"{different.sum()} of 36 answers" in body and body.count('<th scope="row">') == different.sum()
            assert (
                f"(right but not accepted: {(different & right).sum()}, wrong but accepted: {(different & ~right).sum()})"
                in body
            )
            shown = [float(cell) for cell in re.findall(r"<td>([\d.]+)</td></tr>", body)]
            assert sorted(shown) == pytest.approx(sorted(values[different]), abs=6e-4)
            first = float(re.search(r"threshold ([\d.]+)", body).group(1))
            assert f"threshold {threshold:.3f}" in body
            distances = [abs(value - first) for value in shown]
            assert distances == pytest.approx(sorted(distances, reverse=True), abs=2e-3)


def test_a_long_list_says_how_long_it_is_and_a_measure_like_people_has_none(table):
    judged = judged_file(
        str(table("question,gold,answer,label", "q{},a,b,{label}", 60)),
        "labelled.csv",
        AgreementChoices(("answer_match",)),
    )
    html = found_html(judged)
    assert '<tr><th scope="row"><bdi>q1</bdi></th>' in html and "<td>1</td><td>0.000</td></tr>" in html
    assert "30 of 60 answers, the first 20 below (right but not accepted: 30, wrong but accepted: 0)" in html
    assert lists_of(html)["agreement-0-accuracy"].count('<th scope="row">') == 20
    path = table("question,gold,answer,label", "q{0},1,{label},{label}", 60)
    html = found_html(judged_file(str(path), "labelled.csv", AgreementChoices(("answer_match",), ("exact_match",))))
    assert "people disagree" not in html and "All 60 answers, the first 20 below" in html
    assert {name.rpartition("-")[2] for name in lists_of(html)} == {"n", "ece", "0", "9"}, (
        "nothing costs AUC or correlation"
    )


def test_all_lists_together_have_a_bounded_number_of_answers(table, monkeypatch):
    path = table("question,gold,answer,label,system", "q{0},a,b,{label},m{label}", 60)
    judged = judged_file(str(path), "labelled.csv", AgreementChoices(("answer_match",)))
    numbers = set()
    for most in (1_000, 100, 1):
        monkeypatch.setattr(agreement_lists, "_MOST_ROWS", most)
        lists = lists_of(found_html(judged))
        shown = {name: len(re.findall("<tr>", body)) - 1 for name, body in lists.items() if "-ece" not in name}
        assert sum(shown.values()) <= max(most, len(shown)) and min(shown.values()) >= 1
        n = shown["agreement-0-n"]
        assert f"All 60 answers, the first {n} below" in lists["agreement-0-n"]
        assert f"30 of 60 answers, the first {n} below (right but" in lists["agreement-0-accuracy"]
        numbers.add(n)
    assert max(numbers) == 20 and min(numbers) == 1 and len(numbers) == 3


def test_the_other_numbers_lead_to_the_answers_behind_them(table):
    judged = judged_file(str(LABELLED), LABELLED.name, AgreementChoices())
    html = found_html(judged)
    lists, labels = lists_of(html), judged.labels

    def link(text, row):
        return lists[re.search(rf'<a class="go" href="#([^"]*)">{re.escape(text)}</a>', row)[1]]

    def shown(body):
        return [
            [re.sub("<.*?>", "", cell) for cell in re.findall("<td.*?>(.*?)</td>", row)]
            for row in body.split("<tr>")[2:]
        ]

    tables = [[*part.split("<tr>")[1:]] for part in re.findall("<tbody>(.*?)</tbody>", html)[:3]]
    for number, (one, row) in enumerate(zip(judged.found.measures, tables[0], strict=True)):
        values, right = judged.values[one.measure], labels.right == 1
        assert "All 36 answers, the first 20 below" in link("36", row)
        below, equal = (op(values[right][:, None], values[~right]) for op in (np.less, np.equal))
        cost = below + equal / 2
        body = link(f"{one.auc:.3f}", row)
        wrong = int((cost.sum(1) > 0).sum() + (cost.sum(0) > 0).sum())
        assert (
            f"AUC {one.auc:.3f}: {wrong} of 36 answers" in body
            and f"{cost.sum():g} of 308 pairs in the wrong order" in body
        )
        assert 1 - cost.sum() / 308 == pytest.approx(one.auc)
        shares = [float(cells[-1].split()[0]) / float(cells[-1].split()[2]) for cells in shown(body)]
        assert shares == sorted(shares, reverse=True) and shares[0] == pytest.approx(
            max(cost.mean(1).max(), cost.mean(0).max())
        )
        lowers = (values - values.mean()) * (labels.labels - labels.labels.mean()) < 0
        body = link(f"{one.pearson:.3f}", row)
        assert f"Pearson {one.pearson:.3f}: {lowers.sum()} of 36 answers" in body and "Part of Pearson" in body
        scaled = [(column - column.mean()) / column.std() for column in (values, labels.labels)]
        assert np.mean(scaled[0] * scaled[1]) == pytest.approx(one.pearson)
        parts = [float(cells[-1]) for cells in shown(body)]
        assert parts == pytest.approx(sorted(scaled[0] * scaled[1] / 36)[: len(parts)], abs=6e-4) and parts[0] < 0
        bins = html.split(f'id="agreement-{number}-ece"')[1].split("</table>")[0].split("<tr>")[2:]
        cells = [re.findall(r"[\d.]+", re.sub("<.*?>", " ", bin_)) for bin_ in bins]
        assert sum(int(n) for _, _, n, *_ in cells) == 36
        assert sum(float(part) for *_, part in cells) == pytest.approx(one.ece, abs=0.006)
        for (low, high, n, mean, *_), bin_ in zip(cells, bins, strict=True):
            assert f"Value {low} to {high}: {n} answer" in link(n, bin_) and float(low) <= float(mean) <= float(high)
        assert f'href="#agreement-{number}-accuracy">{one.measure}</a>' in tables[2][number]
        furthest = re.search('href="#(agreement-system-.)-.">', tables[2][number])[1]
        gaps = [abs(system.means[one.measure] - system.people) for system in judged.found.systems]
        assert gaps[int(furthest[-1])] == pytest.approx(one.largest_difference)
    for system, row in zip(judged.found.systems, tables[1], strict=True):
        names = np.array(judged.labelled.systems) == system.system
        assert (
            link(system.system, row) == link("12", row) == link(f"{system.people:.3f} ({row.split(' (')[1][0]})", row)
        )
        told = [float(cells[2]) for cells in shown(link("12", row))]
        assert len(told) == 12 and told == sorted(labels.labels[names])
        for place, one in enumerate(judged.found.measures):
            unlike = (judged.values[one.measure] != labels.verdicts) & names
            name = f"{row.split('-system-')[1][0]}-{place}"
            assert (f"agreement-system-{name}" in lists) == unlike.any() == (f'href="#agreement-system-{name}"' in row)
            if unlike.any():
                assert f"{one.measure}</bdi>: {unlike.sum()} of 12 answers" in lists[f"agreement-system-{name}"]
