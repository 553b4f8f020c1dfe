"""Names from other tools lead somewhere: as an alias if the meaning is identical, else through a message."""

import re
from pathlib import Path

import pytest

import qassay
from qassay.cli import main
from qassay.core.options import keyword_names
from qassay.registry import FAMILIES, get_family

SAMPLE = Path(__file__).resolve().parents[2] / "samples" / "answers"
ANSWERS = {"predictions": ["a"], "references": [["a"]]}


def test_aliases_and_pointers_are_not_measures_or_options():
    for family in FAMILIES.values():
        options_class = family.load()[1]
        measures = {
            measure for columns, options in family.smallest for measure in family.score(**columns, **options).measures
        }
        assert set(options_class.aliases.values()) <= measures and not set(options_class.aliases) & measures
        assert not set(options_class.pointers) & set(keyword_names(options_class))
        assert all(key == key.lower() for key in (*options_class.aliases, *options_class.pointers, *family.known_as))


def test_explain_leads_to_the_name_here(capsys):
    for name, told in (
        ("em", "the measure exact_match of answer_match"),
        ("LLM judge", "answer_equivalence"),
        ("P.5,10", "the measure p@10 of retrieval_ranking"),
        ("map@0.6", "the measure map@0.6 of average_precision"),
        ("wrong", "a kind of the slice error_kind of factoid_accuracy"),
        ("Holm", "Holm's correction"),
        ("exact permutation test", "a test of a comparison"),
        ("P", "P: the p-value in tables and sentences: p_corrected P: the measure p@k of retrieval_ranking"),
    ):
        assert told in " ".join(repr(qassay.explain(name)).split())
        assert main(["explain", name]) == 0
        assert told in " ".join(capsys.readouterr().out.split())
    assert repr(qassay.explain("map@0.6")).count("the measure") == 1  # of rankings a cutoff is a rank
    for wrong, right in (("exact_macth", "exact_match"), ("too longg", "too long")):
        with pytest.raises(ValueError, match=rf"'{wrong}' \(did you mean '{right}'\?\)"):
            qassay.explain(wrong)


def test_names_of_other_programs_in_place_of_a_metric(capsys):
    for name, told in (
        ("squad_v2", "qassay.load('answer_match', 'squad_v2')"),
        ("trec_eval", "retrieval_ranking"),
    ):
        with pytest.raises(ValueError, match=f"no metric '{name}': .*{re.escape(told)}"):
            qassay.score(name, ["a"], [["a"]])
        assert main(["score", str(SAMPLE / "gold.json"), str(SAMPLE / "small_model.json"), "--metric", name]) == 2
        assert told in capsys.readouterr().err


def test_measures_by_their_other_names():
    scores = qassay.score("answer_match", **ANSWERS)
    assert scores.summary("f1") == {"f1": 1.0}
    assert scores.summary(["EM", "f1"]) == {"exact_match": 1.0, "f1": 1.0} and scores["em"] == 1.0
    assert list(scores.interval(names="em")) == ["exact_match"]
    assert qassay.compare({"a": scores, "b": scores}, "em").differences[0].measure == "exact_match"
    ranked = qassay.score("answer_match", [["b", "a"]], [["a"]], top_k=(1, 2))
    assert ranked.summary("em@2") == {"exact_match@2": 1.0}
    labels = qassay.score("label_metrics", ["a"], ["a"])
    with pytest.raises(ValueError, match=r"no measure 'f1': write macro_f1, micro_f1 or weighted_f1"):
        labels.summary("f1")


def test_names_of_trec_eval_in_python():
    columns = {"predictions": {"q": {"d": 1.0, "e": 0.5}}, "references": {"q": {"d": 1}}}
    scores = qassay.score("retrieval_ranking", **columns, measures=["P.5,10", "ndcg_cut.5"])
    assert scores.options.measures == ("p@5", "p@10", "ndcg@5")
    assert scores.summary("P.5,10") == {"p@5": 0.2, "p@10": 0.1} and scores["ndcg_cut_5"] == 1.0
    with pytest.raises(ValueError, match=r"no measure 'ndcg_cut_20'.*score with measures=\[..., 'ndcg@20'\]"):
        scores.summary("ndcg_cut_20")


@pytest.mark.parametrize(
    ("metric", "option", "told"),
    [
        ("label_metrics", "average", "micro_f1, macro_f1 and weighted_f1"),
        ("answer_match", "k", "top_k="),
        ("retrieval_ranking", "k", "measures="),
    ],
)
def test_options_of_other_libraries(metric, option, told):
    columns = get_family(metric).smallest[0][0]
    with pytest.raises(TypeError, match=f"{metric} has no column or option '{option}': .*{told}"):
        qassay.score(metric, **columns, **{option: 1})
    with pytest.raises(TypeError, match=f"does not take '{option}' here: .*{told}"):
        qassay.load(metric, **{option: 1})
