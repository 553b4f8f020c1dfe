"""The families by name: listed without being loaded, in one order, and each with its kinds of files."""

import subprocess
import sys

import pytest

import qassay
from qassay.files.kinds import GOLD, PREDICTIONS, all_files, all_kinds
from qassay.registry import DEFAULT, FAMILIES, get_family


def test_families_are_a_mapping_in_order():
    assert list(FAMILIES)[0] == DEFAULT and len(FAMILIES) == len(list(FAMILIES))
    assert FAMILIES["answer_match"] is get_family("answer_match") and "nonsense" not in FAMILIES
    with pytest.raises(KeyError):
        FAMILIES["nonsense"]


@pytest.mark.parametrize(
    ("name", "told"),
    [
        *((name, "qassay.export(scores, path, about)") for name in ("export", "every_eval_ever", "eval_results")),
        *((name, "qassay.testing.assert_not_worse(") for name in ("assert_not_worse", "non_inferiority")),
        ("log_samples", "the log that lm_eval writes"),
        ("scorer", "qassay.scorer(metric, **options)"),
        ("mteb", "retrieval_ranking reads of it: TASK_predictions.json"),
        ("lm_eval", "qassay.integrations.lm_eval"),
        ("lm_eval", "answer_match reads of it: the log that log_samples writes"),
    ],
)
def test_explain_says_who_does_what_no_metric_does(name, told):
    assert told in str(qassay.explain(name))


def test_importing_the_package_loads_no_family():
    code = (
        "import sys, qassay, qassay.registry as r; list(r.FAMILIES), 'answer_match' in r.FAMILIES; "
        "print(sorted({name.split('.')[1] for name in sys.modules if name.startswith('qassay.')} & set(r.FAMILIES)), "
        "'numpy' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "[] False\n"


@pytest.mark.parametrize("kind", all_kinds(), ids=lambda kind: f"{kind.name}-{kind.order}")
def test_kinds_belong_to_their_family_and_have_what_they_serve_as(kind):
    assert kind in all_files()[kind.metric].kinds and kind.fits
    if kind.metric != "retriever_reader":  # reads files of every kind itself
        assert (kind.gold_reader is not None) == (GOLD in kind.serves)
        assert (kind.prediction_reader is not None) == bool(kind.serves - {GOLD})
    assert PREDICTIONS in kind.serves or not kind.is_table
