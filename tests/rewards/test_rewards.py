"""Rewards: the numbers of published reward files, the calls of the trainers, and refused input."""

import functools
import importlib.util
import inspect
import json
import pickle
from collections import deque
from pathlib import Path
from types import MappingProxyType, SimpleNamespace
from unittest.mock import MagicMock

import numpy as np
import pytest

import qassay
from qassay.answer_equivalence.judges import Judge
from qassay.core.extraction import answer_tag
from qassay.rewards import RULES, compute_score

GOLDENS = json.loads((Path(__file__).parents[1] / "data" / "rewards.json").read_text("utf-8"))
SEARCHED = (
    "<think>a</think><search>b</search>\n<information>It is Rome.</information><think></think> <answer>Oslo</answer>"
)


def said(text, **message):
    return [{"role": "assistant", "content": text, **message}]


# --- numbers of published files -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", GOLDENS)
def test_numbers_of_the_published_file(case, load_script):
    """Every row is equal to the last bit, for every form of call."""
    rows, all_cases = load_script("rows"), load_script("goldens").REWARDS
    made = all_cases[case]
    assert all_cases.keys() == GOLDENS.keys() and {one.settings["rules"] for one in all_cases.values()} == RULES.keys()
    columns = rows.columns_of(made.rows, made.seed, made.n)
    texts, golds = columns["predictions"], columns["references"]
    assert rows.rows_hash(columns) == GOLDENS[case]["hash"] and made.n >= 300
    official = rows.unpack(GOLDENS[case])
    reward = qassay.reward(**made.settings)
    found = reward(completions=texts, golden_answers=golds)
    shown = [row for row in zip(official, found, texts, golds, strict=True) if row[0] != row[1]]
    assert not shown, shown[:3]
    assert len(set(official)) > 1
    for row in range(0, made.n, 10):  # as verl calls it
        assert reward(data_source="nq", solution_str=texts[row], ground_truth={"target": golds[row]}) == official[row]


def test_a_gold_answer_that_is_a_text_is_not_read_letter_by_letter():
    """As Search-R1's file does: "a" normalises to "", which is in every text."""
    right = qassay.reward(rules="search_r1_qa_em_format", retrieval_weight=0.5)
    assert right.one(f"<|im_start|>assistant{SEARCHED}", "Bari") == 0


# --- calls ------------------------------------------------------------------------------------------------------------


def test_as_trl_calls_it():
    """The arguments of GRPOTrainer._calculate_rewards (TRL 1.16)."""
    right = qassay.reward("f1")
    columns = {"prompts": ["q"] * 4, "completion_ids": [[1]] * 4, "trainer_state": None, "log_extra": print}
    answer, source = [["Rome"], ["Rome", "Roma"], None, []], ["nq", "nq", "math", "nq"]
    texts = ["<answer>in Rome</answer>", "Rome", "<answer>4</answer>", "<answer></answer>"]
    for completions in (texts, list(map(said, texts))):
        assert right(completions=completions, answer=answer, source=source, **columns) == [2 / 3, 0, None, 1]
    assert right(completions=texts[:2], answer=[{"target": None}, {"target": ["Rome"]}]) == [None, 0]
    assert right.__name__ == "f1" and qassay.reward("f1", name="answer_f1").__name__ == "answer_f1"


@pytest.mark.thorough
def test_trl_itself(monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    pytest.importorskip("trl", reason="needs trl: pip install trl")
    from trl import GRPOTrainer

    rewards = [qassay.reward("f1"), qassay.reward("format", layout="think_answer")]
    trainer = MagicMock(
        accelerator=MagicMock(device="cpu", gather=lambda rows: rows), reward_funcs=rewards, environments=None,
        reward_func_names=["f1", "format"], reward_processing_classes=[None, None], args=MagicMock(report_to=[]),
    )  # fmt: skip
    inputs = [{"prompt": "q", "answer": answer} for answer in (["Rome"], ["Rome"], None)]
    texts = ["<think>x</think><answer>in Rome</answer>", "Rome", "4"]
    found = GRPOTrainer._calculate_rewards(trainer, inputs, ["q"] * 3, texts, [[1]] * 3).tolist()
    assert found[:2] == [[pytest.approx(2 / 3), 1], [0, 0]] and np.isnan(found[2][0]) and found[2][1] == 0


def test_as_verl_calls_it(tmp_path):
    """As load_extern_object, get_custom_reward_fn and the reward managers of verl 0.9 do, with a file of two lines."""
    file = tmp_path / "my_reward.py"
    file.write_text('import qassay\ncompute_score = qassay.reward("f1", format_weight=0.5)\n')
    spec = importlib.util.spec_from_file_location("custom_module_1", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    one = {"data_source": "nq", "solution_str": "<answer>in Rome</answer>", "extra_info": {"num_turns": 1}}
    one["ground_truth"] = {"target": np.array(["Rome"], object)}
    assert module.compute_score(**one) == pytest.approx(5 / 6)
    assert not inspect.iscoroutinefunction(module.compute_score)
    assert pickle.loads(pickle.dumps(module.compute_score))(**one) == module.compute_score(**one)
    in_settings = functools.partial(compute_score, measure="f1", format_weight=0.5)  # with reward_kwargs
    more = {"reward_router_address": None, "reward_model_tokenizer": None}
    assert in_settings(**one) == in_settings(**one, **more) == module.compute_score(**one)
    many = {f"{name}s": np.array([value, value], object) for name, value in one.items()}
    assert in_settings(**many) == module.compute_score(**many) == [module.compute_score(**one)] * 2
    columns = MappingProxyType({"references": "unused"})  # as the dicts of OmegaConf, which are not dicts of Python
    assert in_settings(**one, columns=columns, normalizer="lower+spaces") == module.compute_score(**one)
    similar = {"measure": "sas_accuracy@0.7", "metric": "semantic_answer_similarity", "model": "lite"}
    assert compute_score(**one, **similar, thresholds=deque([0.7])) == qassay.reward(**similar, thresholds=(0.7,))(
        **one
    )
    parts = {"score": module.compute_score(**one), "acc": 2 / 3, "format": 1}
    assert compute_score(**one, measure="f1", format_weight=0.5, parts=True) == parts
    assert compute_score(**many, measure="f1", format_weight=0.5, parts=True) == [parts, parts]
    with pytest.raises(ValueError, match="None"):
        compute_score(**{**one, "ground_truth": None})
    with pytest.raises(ValueError, match="completion 1: "):
        compute_score(**{**many, "ground_truths": ["Rome", None]})


def test_as_verifiers_calls_it():
    """As Rubric of verifiers 0.3 does, which gives all that it has to a function that takes any keyword."""
    right = qassay.reward("exact_match")
    parameters = inspect.signature(right).parameters
    assert any(parameter.kind == parameter.VAR_KEYWORD for parameter in parameters.values())
    of_groups = {"states", "prompts", "completions", "answers", "tasks", "infos"}
    assert not parameters.keys() & of_groups
    others = {"prompt": said("?"), "state": {}, "info": {}, "task": None, "parser": None}
    message = SimpleNamespace(role="assistant", content="<answer>Rome</answer>", tool_calls=None)
    for completion in ("<answer>Rome</answer>", said("<answer>Rome</answer>"), [message]):
        assert right(completion=completion, answer="Rome", **others) == 1
    assert right(completion=[], answer="Rome", **others) == 0
    with pytest.raises(ValueError, match="columns="):  # "" is what it gives if there is none
        right(completion="<answer></answer>", answer="", **others)
    assert right(completion="<answer>Rome</answer>", answer="", golden_answers=["Rome"], **others) == 1
    assert qassay.reward(columns={"references": "answer"})(completion="<answer></answer>", answer="", **others) == 1


def test_what_is_scored_of_messages():
    right = qassay.reward("exact_match", extract="none")
    talk = [*said("Oslo"), {"role": "user", "content": "sure?"}, *said("Rome"), {"role": "tool", "content": "Bern"}]
    assert right.one(talk, "Rome") == 1
    assert right.one(said(None, tool_calls=[{}]), "Rome") == 0
    parts = [{"type": "thinking", "thinking": "Oslo"}, {"type": "text", "text": "Ro"}, {"type": "text", "text": "me"}]
    assert right.one(said(parts), "Rome") == 1


# --- what a reward is made of ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "contains"), [("exact_match", "token"), ("f1", "token"), ("contains", "token"), ("contains", "substring")]
)
def test_a_reward_is_the_number_of_score(name, contains):
    texts = ["so <answer>Rome, Italy</answer>", "no tag", "<answer>the</answer>", "<answer>rome</answer>"]
    golds = [["Rome"], ["tag"], [], ["Roma", "Rome"]]
    texts, golds = [*texts, *texts], [*golds, ["the"], [""], ["the", "it"], []]
    for unextracted in ("zero", "empty", "whole"):
        options = {"extract": "answer_tag", "unextracted": unextracted, "empty_f1": 0.0, "contains": contains}
        expected = qassay.score("answer_match", texts, golds, **options).columns[name].tolist()
        assert qassay.reward(name, **options).many(texts, golds) == expected


@pytest.mark.parametrize(
    ("layout", "text", "kept"),
    [
        ("answer", "<answer>x</answer> more", 1),
        ("think_answer", " <think>a < b</think>\n<answer>x</answer>\n", 1),
        ("think_answer", "<think>a</think>b<answer>x</answer>", 0),
        ("search", SEARCHED, 1),
        ("search", f"{SEARCHED}!", 0),
        ("search_after_prompt", SEARCHED, 0),
        ("search_after_prompt", f"<answer>a</answer><|im_start|>assistant\n{SEARCHED}", 1),
        (r"regex:(?s).*\[\d\].*", "so\n[1]\nx", 1),
        (r"regex:\d", "11", 0),
        (lambda text: 0.5, "", 0.5),
    ],
)
def test_layouts(layout, text, kept):
    assert qassay.reward("format", layout=layout).one(text) == kept


def test_where_no_answer_is_found():
    with pytest.raises(ValueError, match="'Rome'"):
        qassay.reward("f1", unextracted="error").one("Rome", "Rome")
    # By the preset, once.
    assert qassay.reward(preset="longbench:triviaqa", measure="f1").one("Rome\nor Oslo", "Rome") == 1
    boxed = qassay.reward(preset="search_r1", extract="boxed")
    assert boxed.one(r"\boxed{<answer>x</answer>}", "<answer>x</answer>") == 1


def test_columns_by_name():
    texts = ["<answer>Rome</answer>"]
    right = qassay.reward()
    rows = "Rome", ["Roma", "Rome"], {"target": ["Rome"]}, {"text": ["Rome"], "answer_start": [0]}, ("Rome",)
    for column in (*([row] for row in rows), np.array(["Rome"])):
        assert right(completions=texts, golden_answers=column) == [1]
    of_verl = {"style": "rule", "ground_truth": {"target": np.array(["Rome"])}}
    assert right(completions=texts, reward_model=[of_verl]) == [1]


def test_questions_reach_a_metric_that_reads_them():
    seen = []

    def judge(question, golds, answer):
        seen.append(question)
        return 0.5

    texts, gold = ["<answer>Rome</answer>"], ["Milan"]
    options = {"measure": "equivalence", "metric": "answer_equivalence", "model": judge}
    for name in ("questions", "question", "query", "question_text", "problem"):
        assert qassay.reward(**options)(completions=texts, answer=gold, **{name: [f"{name}?"]}) == [0.5]
        assert seen.pop() == f"{name}?"
    without = qassay.reward("accepted", metric="answer_equivalence")
    with pytest.warns(UserWarning, match="scored without questions"):
        assert without(completions=texts, answer=["Rome"]) == [1]
    named = qassay.reward(**options, columns={"questions": "asked"})
    assert named(completions=texts, answer=gold, question=["no"], asked=["Who?"]) == [0.5]
    assert named(solution_str=texts[0], ground_truth="Milan", extra_info={"asked": "What?"}) == 0.5
    assert seen == ["Who?", "What?"]
    with pytest.raises(ValueError, match="no column 'asked'; available: completions, answer"):
        named(completions=texts, answer=gold)


def test_copies_and_signature():
    reward = qassay.reward("f1", rules="verl", format_weight=0.1, layout="search")
    again = pickle.loads(pickle.dumps(reward))
    assert again.signature == reward.signature and again.one(SEARCHED, "Oslo") == 1 and again.__name__ == "f1"
    assert repr(reward) == f"<Reward {reward.signature}>"
    made = pickle.loads(pickle.dumps(qassay.reward("em", extract=answer_tag, name="x")))
    assert (made.__name__, made.signature.split("|")[2]) == ("x", "extract:custom:answer_tag")


# --- refused input --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({"measure": "exact_mach"}, ValueError, "'exact_mach' .*'exact_match'"),
        ({"metric": "retrieval_ranking"}, ValueError, "retrieval_ranking .*answer_match"),
        ({"rules": "ver1"}, ValueError, "rules=ver1 .*'verl'"),
        ({"layout": "serch", "format_weight": 0.1}, ValueError, "'serch' .*'search'.*answer, think_answer"),
        ({"format_weight": 1.5}, ValueError, "format_weight"),
        ({"format_weight": 0.6, "retrieval_weight": 0.6}, ValueError, "more than 1"),
        ({"measure": "format", "normalizer": "none"}, TypeError, "normalizer"),
        ({"mesure": "f1"}, TypeError, "'mesure' .*'measure'"),
        ({"rules": "verl", "metric": "answer_equivalence"}, ValueError, "rules=verl"),
        ({"columns": {"reference": "x"}}, ValueError, "'reference' .*'references'"),
        ({"columns": {"references": 5}}, ValueError, "references needs the name of a column; got 5"),
        ({"columns": ["gold"]}, TypeError, "columns must be a dict role -> column"),
        ({"measure": 5}, TypeError, "option measure is a text, got int: 5"),
        ({"layout": "search"}, ValueError, "layout has no effect without a weight"),
        ({"layout": 5, "format_weight": 0.1}, TypeError, "layout is a name or a function"),
        ({"measure": "format", "format_weight": 0.1}, ValueError, "omit the weights"),
    ],
)
def test_settings_that_are_refused(settings, error, message):
    with pytest.raises(error, match=message):
        qassay.reward(**settings)


@pytest.mark.parametrize(
    ("columns", "error", "message"),
    [
        ({"source": ["nq"]}, ValueError, "completions, source"),
        ({"answer": ["a"], "golds": ["b"]}, ValueError, "answer and golds"),
        ({"answer": ["a", "b"]}, ValueError, "2 rows, .*1 completions"),
        ({"answer": [5]}, TypeError, "completion 0: .*int: 5"),
        ({"answer": [{"value": "x", "aliases": []}]}, ValueError, "completion 0: .*target, text.*value, aliases"),
        ({"answer": ["x"], "completions": [["x"]]}, TypeError, "completion 0: .*'x'"),
        (
            {"answer": ["x"], "completions": [[{"role": "user", "content": "x"}]]},
            ValueError,
            "completion 0: .*assistant",
        ),
        ({"answer": ["x"], "question": ["a"], "query": ["b"]}, ValueError, "question and query"),
        ({"completions": None, "answer": ["x"]}, ValueError, "completions must be a column"),
    ],
)
def test_calls_that_are_refused(columns, error, message):
    metric = "answer_equivalence" if "query" in columns else "answer_match"
    with pytest.raises(error, match=message):
        qassay.reward(metric=metric, measure="equivalence" if "query" in columns else "exact_match")(
            **{"completions": ["<answer>x</answer>"], **columns}
        )


def test_other_calls_that_are_refused():
    with pytest.raises(ValueError, match="no_answer_probabilities"):
        qassay.reward(no_answer_threshold=0.5).one("<answer>x</answer>", "x")
    other = {"metric": "semantic_answer_similarity", "model": "lite", "thresholds": (0.7,)}
    with pytest.raises(ValueError, match="'sas_accuracy@0.5' .*'sas_accuracy@0.7'"):
        qassay.reward("sas_accuracy@0.5", **other)
    with pytest.raises(TypeError, match="called with completions .*got text"):
        qassay.reward()(text="x")
    strict = qassay.reward("em", empty_gold="error")
    with pytest.raises(ValueError, match="completion 1: .*'the'"):
        strict(completions=["<answer>x</answer>"] * 2, answer=["x", "the"])
    assert strict.measure == "exact_match"
    with pytest.raises(ValueError, match="layout .*lambda> is 2"):
        qassay.reward("format", layout=lambda text: 2).one("x")
    with pytest.raises(ValueError, match="extract .*lambda> .*ZeroDivisionError"):
        qassay.reward(extract=lambda text: 1 / 0).one("x", "y")


@pytest.mark.parametrize("metric", ["answer_match", "answer_equivalence", "semantic_answer_similarity"])
def test_measures_of_rewards_are_from_0_to_1(metric):
    """A negative cosine counts as 0, so that no value below 0 stops a training."""
    options = {"model": "lite"} if metric == "semantic_answer_similarity" else {}
    scores, names = qassay.score(metric, ["x"], [["x"]], **options), qassay.scorer(metric, **options).names
    assert {scores.measures[name].bounds for name in names} == {(0, 1)}
    assert all(qassay.reward(name, metric=metric, **options).one("<answer>x</answer>", "x") <= 1 for name in names)


def test_gold_answers_that_are_a_list_written_as_text_are_refused():
    for gold in ('["Rome", "Roma"]', "['Rome']", {"target": '["Rome"]'}):
        with pytest.raises(ValueError, match="completion 1: "):
            qassay.reward()(completions=["x", "x"], answer=["x", gold])
    assert qassay.reward().one("<answer>[0, 1]</answer>", "[0, 1]") == 1  # an interval


def test_a_judge_that_fails_on_an_answer_is_not_asked_again():
    seen = []

    def judge(question, gold, prediction):
        seen.append(prediction)
        if "bad" in prediction:
            raise RuntimeError("down")
        return True

    model = Judge(judge, name="judge", retries=0, threads=1)
    right = qassay.reward("equivalence", metric="answer_equivalence", model=model, extract="none")
    rows = {"completions": ["Rom", "bad"], "answer": [["Rome"], ["Rome"]], "question": ["q", "q"]}
    assert right(**rows) == [1.0, None] and seen.count("bad") == 1
    extras = [{"question": "q"}] * 2
    with pytest.raises(ValueError, match="completion 1: the judge gave no verdict"):  # verl needs a number for each row
        right(solution_strs=rows["completions"], ground_truths=rows["answer"], extra_infos=extras)
    with pytest.raises(ValueError, match="down"):
        right.one("bad", ["Rome"], questions="q")
    assert seen.count("bad") == 3
