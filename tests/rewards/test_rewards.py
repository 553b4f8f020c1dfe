"""Rewards: the numbers of published reward files, the calls of the trainers, and refused input."""

import functools
import importlib.util
import inspect
import json
import pickle
import re
from collections import deque
from pathlib import Path
from random import Random
from types import MappingProxyType, SimpleNamespace
from unittest.mock import MagicMock

import numpy as np
import pytest

import qassay
from qassay.answer_equivalence.judges import Judge
from qassay.catalog import explain_name
from qassay.core.extraction import answer_tag
from qassay.rewards import LAYOUTS, RULES, Reward, compute_score

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
    rows, made = load_script("preset_rows"), load_script("reward_goldens").CASES[case]
    columns = made.rows(Random(made.seed), made.n)
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


def test_every_rule_has_golden_numbers(load_script):
    cases = load_script("reward_goldens").CASES
    assert cases.keys() == GOLDENS.keys() and {case.settings["rules"] for case in cases.values()} == RULES.keys()


def test_where_rules_differ_from_the_preset():
    """The differences of verl's file in docs/rewards.md."""
    crowd, official = "<answer>x</answer>" * 10 + "<answer>Rome</answer>", qassay.reward(rules="verl")
    plain = qassay.reward(preset="search_r1")
    assert (official.one(crowd, "Rome"), plain.one(crowd, "Rome")) == (0.25, 1)
    assert official.one(crowd[18:], "Rome") == 1
    assert (official.one("<answer></answer>", []), plain.one("<answer></answer>", [])) == (0, 1)
    assert qassay.reward("em", rules="verl").one(crowd, "Rome") == 0.25
    assert qassay.reward("f1", rules="verl").one(crowd, "Rome") == 1
    every = qassay.reward("sub_em", rules="verl"), qassay.reward("sub_em")
    assert [reward.one("<answer>x</answer>", "the") for reward in every] == [1, 0]
    assert [reward.one("<answer>x</answer>", []) for reward in every] == [0, 0]
    assert [reward.one("<answer></answer>", []) for reward in every] == [0, 1]
    assert [reward.one("<answer>x</answer>", "") for reward in every] == [1, 0]  # a gold answer there, none here
    kept = qassay.reward("sub_em", preset="search_r1")
    assert [kept.one("<answer>x</answer>", gold) for gold in ("the", "", [])] == [1, 1, 0]
    # Search-R1's file reads a gold answer that is a text letter by letter: "a" normalises to "", which is in every text
    assert (
        qassay.reward(rules="search_r1_qa_em_format", retrieval_weight=0.5).one(
            f"<|im_start|>assistant{SEARCHED}", "Bari"
        )
        == 0
    )


# --- calls ------------------------------------------------------------------------------------------------------------


def test_as_trl_calls_it():
    """The arguments of GRPOTrainer._calculate_rewards (TRL 1.16)."""
    right = qassay.reward("f1")
    columns = {
        "prompts": ["q"] * 4,
        "completion_ids": [[1]] * 4,
        "trainer_state": SimpleNamespace(),
        "log_extra": print,
        "log_metric": print,
    }
    answer, source = [["Rome"], ["Rome", "Roma"], None, []], ["nq", "nq", "math", "nq"]
    texts = ["<answer>in Rome</answer>", "Rome", "<answer>4</answer>", "<answer></answer>"]
    for completions in (texts, list(map(said, texts))):
        assert right(completions=completions, answer=answer, source=source, **columns) == [2 / 3, 0, None, 1]
    assert right(completions=texts[:2], answer=[{"target": None}, {"target": ["Rome"]}]) == [None, 0]
    assert right.__name__ == "f1" and qassay.reward("f1", name="answer_f1").__name__ == "answer_f1"
    kept = qassay.reward("format", layout="think_answer")
    assert kept(
        completions=["<think>x</think> <answer>y</answer>\n", "<answer>y</answer>"], source=["nq"] * 2, **columns
    ) == [1, 0]
    assert kept.__name__ == "format"


@pytest.mark.thorough
def test_trl_itself(monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    pytest.importorskip("trl")
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
    one = {
        "data_source": "nq",
        "solution_str": "<answer>in Rome</answer>",
        "ground_truth": {"target": np.array(["Rome"], object)},
    }
    one["extra_info"] = {"num_turns": 1, "rollout_reward_scores": {}}
    assert module.compute_score(**one) == pytest.approx(5 / 6)
    assert not inspect.iscoroutinefunction(module.compute_score)
    assert pickle.loads(pickle.dumps(module.compute_score))(**one) == module.compute_score(**one)
    in_settings = functools.partial(
        compute_score, measure="f1", format_weight=0.5
    )  # pkg://qassay.rewards with reward_kwargs
    assert (
        in_settings(**one)
        == in_settings(**one, reward_router_address=None, reward_model_tokenizer=None)
        == module.compute_score(**one)
    )
    many = {f"{name}s": np.array([value, value], object) for name, value in one.items()}
    assert in_settings(**many) == module.compute_score(**many) == [module.compute_score(**one)] * 2
    columns = MappingProxyType({"references": "unused"})  # as the dicts of OmegaConf, which are not Python's own
    assert in_settings(**one, columns=columns, normalizer=deque(["lower", "spaces"])) == module.compute_score(**one)
    parts = {"score": module.compute_score(**one), "acc": 2 / 3, "format": 1}
    assert compute_score(**one, measure="f1", format_weight=0.5, parts=True) == parts
    assert compute_score(**many, measure="f1", format_weight=0.5, parts=True) == [parts, parts]
    with pytest.raises(ValueError, match="the gold answers are None"):
        compute_score(**{**one, "ground_truth": None})
    with pytest.raises(ValueError, match="completion 1: the gold answers are None"):
        compute_score(**{**many, "ground_truths": ["Rome", None]})


def test_as_verifiers_calls_it():
    """As Rubric of verifiers 0.3 does, which gives all that it has to a function that takes any keyword."""
    right = qassay.reward("exact_match")
    parameters = inspect.signature(right).parameters
    assert any(parameter.kind == parameter.VAR_KEYWORD for parameter in parameters.values())
    assert not parameters.keys() & {
        "states",
        "prompts",
        "completions",
        "answers",
        "tasks",
        "infos",
    }  # otherwise it is a group reward
    others = {"prompt": said("?"), "state": {}, "info": {}, "task": None, "parser": None}
    message = SimpleNamespace(role="assistant", content="<answer>Rome</answer>", tool_calls=None)
    for completion in ("<answer>Rome</answer>", said("<answer>Rome</answer>"), [message]):
        assert right(completion=completion, answer="Rome", **others) == 1
    assert right(completion=[], answer="Rome", **others) == 0
    with pytest.raises(
        ValueError, match="no column of gold answers.*for a question without an answer say columns="
    ):  # "" is what it gives if there is none
        right(completion="<answer></answer>", answer="", **others)
    assert right(completion="<answer>Rome</answer>", answer="", golden_answers=["Rome"], **others) == 1
    assert qassay.reward(columns={"references": "answer"})(completion="<answer></answer>", answer="", **others) == 1


def test_groups():
    right = qassay.reward("f1", extract="none")
    assert right.many(["Rome", "in Rome", "Oslo"], [["Rome"]] * 3) == [1, 2 / 3, 0]
    assert right.many([], []) == [] and right.many(np.array(["Rome"]), [np.array(["Rome"])]) == [1]
    assert right(["Rome"], answer=["Rome"]) == [1]
    assert qassay.reward("format").many(["<answer>x</answer>", "x"]) == [1, 0]


def test_what_is_scored_of_messages():
    right = qassay.reward("exact_match", extract="none")
    talk = [*said("Oslo"), {"role": "user", "content": "sure?"}, *said("Rome"), {"role": "tool", "content": "Bern"}]
    assert right.one(talk, "Rome") == 1
    assert right.one(said(None, tool_calls=[{}]), "Rome") == 0
    parts = [{"type": "text", "text": "Ro"}, {"type": "text", "text": "me"}]
    assert right.one(said(parts), "Rome") == 1


# --- what a reward is made of ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("measure", "options", "answer", "value"),
    [
        ("exact_match", {}, "in Rome", 0),
        ("f1", {}, "in Rome", 2 / 3),
        ("sub_em", {}, "in Romeo", 1),
        ("contains", {}, "in Romeo", 0),
        ("em", {}, "the ROME!", 1),
        ("exact_match", {"normalizer": "none"}, "the ROME!", 0),
        ("equivalence", {"metric": "answer_equivalence"}, "Rome", 1),
    ],
)
def test_measures(measure, options, answer, value):
    found = qassay.reward(measure, **options).parts(f"<answer>{answer}</answer>", ["Rome"])
    assert found == {
        "score": found["acc"],
        "acc": pytest.approx(value, abs=0.05 * (measure == "equivalence")),
        "format": 1,
    }


@pytest.mark.parametrize("contains", ["token", "substring"])
@pytest.mark.parametrize("name", ["exact_match", "f1", "precision", "recall", "contains"])
def test_a_reward_is_the_number_of_score(name, contains):
    texts = ["so <answer>Rome, Italy</answer>", "no tag", "<answer>the</answer>", "<answer>rome</answer>"]
    golds = [["Rome"], ["tag"], [], ["Roma", "Rome"]]
    texts, golds = [*texts, *texts], [*golds, ["the"], [""], ["the", "it"], []]
    for unextracted in ("zero", "empty", "whole"):
        options = {"extract": "answer_tag", "unextracted": unextracted, "empty_f1": 0.0, "contains": contains}
        assert (
            qassay.reward(name, **options).many(texts, golds)
            == qassay.score("answer_match", texts, golds, **options).columns[name].tolist()
        )


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (f"{SEARCHED[:-13]}Rome</answer>", 1.0),  # right
        (f"x{SEARCHED[:-13]}Rome</answer>", 0.75),  # right, outside the layout
        (SEARCHED, 0.25 + 0.5),  # wrong, but found
        (SEARCHED.replace("Rome", "Bern"), 0.25),
        (f"x{SEARCHED}", 0.125),  # wrong, outside the layout
        ("nothing", 0.0),
    ],
)
def test_weights(text, wanted):
    reward = qassay.reward(layout="search", format_weight=0.25, retrieval_weight=0.5, answered_weight=0.125)
    assert reward.one(text, ["Rome"]) == wanted


@pytest.mark.parametrize(
    ("layout", "text", "kept"),
    [
        ("answer", "<answer>x</answer> more", 1),
        ("answer", "<answer>x", 0),
        ("think_answer", " <think>a < b</think>\n<answer>x</answer>\n", 1),
        ("think_answer", "<think>a</think>b<answer>x</answer>", 0),
        ("think_answer", SEARCHED, 0),
        ("search", SEARCHED, 1),
        ("search", f"{SEARCHED}!", 0),
        ("search", SEARCHED.replace("<search>", "<search><search>"), 0),
        ("search", SEARCHED.replace("</think><search>", "</think>x<search>"), 0),
        ("search", f"<answer></answer>{SEARCHED}", 0),
        ("search_after_prompt", SEARCHED, 0),
        ("search_after_prompt", f"<answer>a</answer><|im_start|>assistant\n{SEARCHED}", 1),
        (r"regex:(?s).*\[\d\].*", "so\n[1]\nx", 1),
        (r"regex:\d", "11", 0),
        (str.isupper, "ABC", 1),
        (lambda text: 0.5, "", 0.5),
    ],
)
def test_layouts(layout, text, kept):
    assert qassay.reward("format", layout=layout).one(text) == kept


def test_where_no_answer_is_found():
    assert [qassay.reward("f1", unextracted=way).one("Rome", "Rome") for way in ("zero", "empty", "whole")] == [0, 0, 1]
    with pytest.raises(ValueError, match="answer_tag finds no answer in 'Rome'"):
        qassay.reward("f1", unextracted="error").one("Rome", "Rome")
    # that of the preset, whose answer is taken out once
    assert qassay.reward(preset="longbench:triviaqa", measure="f1").one("Rome\nor Oslo", "Rome") == 1
    assert (
        qassay.reward(preset="search_r1", extract="boxed").one(r"\boxed{<answer>x</answer>}", "<answer>x</answer>") == 1
    )


def test_answers_of_the_prompt():
    prompt = "Write <answer>Oslo</answer>."
    right = qassay.reward(prompt_answers=1)
    assert [right.one(f"{prompt} {text}", "Oslo") for text in ("", "<answer>Oslo</answer>", "</answer>")] == [0, 1, 0]
    assert qassay.reward(prompt_answers=2).one(prompt * 3, "Oslo") == 1 == qassay.reward().one(prompt, "Oslo")


def test_columns_by_name():
    texts = ["<answer>Rome</answer>"]
    right = qassay.reward()
    for column in (
        ["Rome"],
        [["Roma", "Rome"]],
        [{"target": ["Rome"]}],
        [{"text": ["Rome"], "answer_start": [0]}],
        [("Rome",)],
        np.array(["Rome"]),
    ):
        assert right(completions=texts, golden_answers=column) == [1]
    assert right(
        completions=texts, reward_model=[{"style": "rule", "ground_truth": {"target": np.array(["Rome"])}}]
    ) == [1]
    assert qassay.reward(columns={"references": "gold"})(completions=texts, gold=["Rome"], answer=["Oslo"]) == [1]


def test_questions_reach_a_metric_that_reads_them():
    seen = []

    def judge(question, golds, answer):
        seen.append(question)
        return 0.5

    texts, gold = ["<answer>Rome</answer>"], ["Milan"]
    options = {"measure": "equivalence", "metric": "answer_equivalence", "model": judge}
    assert qassay.reward(**options)(completions=texts, answer=gold, question=["Where?"]) == [0.5]
    named = qassay.reward(**options, columns={"questions": "asked"})
    assert named(completions=texts, answer=gold, question=["no"], asked=["Who?"]) == [0.5]
    assert named(solution_str=texts[0], ground_truth="Milan", extra_info={"asked": "What?"}) == 0.5
    assert seen == ["Where?", "Who?", "What?"]
    with pytest.raises(ValueError, match="no column 'asked'; available: completions, answer"):
        named(completions=texts, answer=gold)


def test_copies_and_signature():
    reward = qassay.reward("f1", rules="verl", format_weight=0.1, layout="search")
    again = pickle.loads(pickle.dumps(reward))
    assert again.signature == reward.signature and again.one(SEARCHED, "Oslo") == 1 and again.__name__ == "f1"
    start = "reward|measure:f1|extract:answer_tag|unextracted:zero|format:0.1|layout:search|rules:verl|answer_match|preset:search_r1"
    assert reward.signature.startswith(start) and repr(reward) == f"<Reward {reward.signature}>"
    own = pickle.loads(pickle.dumps(qassay.reward("em", extract=answer_tag, name="x")))
    assert (own.__name__, own.signature.split("|")[2]) == ("x", "extract:custom:answer_tag")
    assert "most_tags:10" in qassay.reward(rules="verl").signature
    assert (
        qassay.reward("format", layout=r"regex:a|b").signature
        == rf"reward|measure:format|extract:answer_tag|unextracted:zero|layout:regex:a%7Cb|v:{qassay.__version__}"
    )


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"measure": "em", "rules": "verl"},
        {"measure": "sub_em", "rules": "search_r1_qa_em"},
        {"rules": "search_r1_qa_em_format"},
        {"rules": "search_r1_qa_em_format", "format_weight": 0.2, "answered_weight": 0.1, "retrieval_weight": 0.1},
        {"rules": "search_r1_qa_em", "prompt_answers": 0, "extract": "regex:A|B%7C", "unextracted": "whole"},
        {"measure": "f1", "rules": "flashrag"},
        {"measure": "f1", "preset": "longbench:triviaqa", "normalizer": "lower+spaces"},
        {"measure": "format", "layout": "regex:a|(b)"},
        {"measure": "equivalence", "metric": "answer_equivalence", "most_tags": 3},
    ],
)
def test_signatures_are_read_back(settings):
    reward = qassay.reward(**settings)
    again = Reward.from_signature(reward.signature)
    assert again.signature == reward.signature and again.options == reward.options
    if reward.scorer is not None:
        assert again.scorer.options == reward.scorer.options


def test_signatures_with_functions_and_others():
    own = qassay.reward("f1", extract=answer_tag, normalizer=str.strip, layout=str.isupper, format_weight=0.5)
    data = {"extract": answer_tag, "normalizer": str.strip, "layout": str.isupper}
    again = Reward.from_signature(own.signature, **data, columns={"references": "gold"}, name="mine")
    assert again.signature == own.signature and again.__name__ == "mine"
    assert again(completions=["<answer>X</answer>"], gold=["X"]) == [0.5]
    with pytest.raises(ValueError, match="the option extract"):
        Reward.from_signature(own.signature)
    with pytest.raises(ValueError, match="is not the signature of a reward"):
        Reward.from_signature(qassay.scorer("answer_match").signature)
    with pytest.raises(TypeError, match="a signature is a text, got int: 5"):
        Reward.from_signature(5)


def test_explained():
    assert {"measure", "rules", "format_weight"} <= inspect.signature(qassay.reward).parameters.keys()
    for name in ("reward", "GRPO", "trl", "verl", "sub_em"):
        assert "qassay.reward(" in str(explain_name(name))


# --- refused input --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({"measure": "exact_mach"}, ValueError, "answer_match has no measure 'exact_mach' of one example (did you mean 'exact_match'?)"),
        ({"measure": "total"}, ValueError, "answer_match has no measure 'total' of one example"),
        ({"measure": "total", "metric": "answer_equivalence"}, ValueError, "answer_equivalence has no measure 'total' of one example"),
        ({"metric": "answer_mach"}, ValueError, "no metric 'answer_mach'"),
        ({"metric": "retrieval_ranking"}, ValueError, "retrieval_ranking does not score one text against gold answers; a reward takes answer_match"),
        ({"rules": "search_r1"}, ValueError, "option rules='search_r1' is unknown (did you mean 'search_r1_qa_em'?)"),
        ({"rules": "ver1"}, ValueError, "option rules='ver1' is unknown (did you mean 'verl'?)"),
        ({"extract": "boxd"}, ValueError, "unknown extract 'boxd' (did you mean 'boxed'?)"),
        ({"unextracted": "nought"}, ValueError, "option unextracted='nought' is unknown"),
        ({"layout": "serch", "format_weight": 0.1}, ValueError, "unknown layout 'serch' (did you mean 'search'?); valid: answer, think_answer"),
        ({"layout": "regex:(", "format_weight": 0.1}, ValueError, "layout 'regex:(' is not a regular expression"),
        ({"layout": 1, "format_weight": 0.1}, TypeError, "option layout is a name or a function, got int: 1"),
        ({"layout": "search"}, ValueError, "layout has no weight"),
        ({"format_weight": 1.5}, ValueError, "format_weight must be a number from 0 to 1, got 1.5"),
        ({"answered_weight": True}, ValueError, "answered_weight must be a number from 0 to 1, got True"),
        ({"format_weight": 0.6, "retrieval_weight": 0.6}, ValueError, "are more than 1 together"),
        ({"measure": "format", "format_weight": 0.6}, ValueError, "the measure 'format' is the format alone; omit the weights"),
        ({"measure": "format", "normalizer": "none"}, TypeError, "the measure 'format' takes no options of a metric, got normalizer"),
        ({"prompt_answers": -1}, ValueError, "option prompt_answers must be an integer of at least 0"),
        ({"parts": 1}, TypeError, "option parts is True or False"),
        ({"normaliser": "none"}, TypeError, "a reward of answer_match has no option 'normaliser' (did you mean 'normalizer'?); the metric has: preset"),
        ({"mesure": "f1"}, TypeError, "a reward of answer_match has no option 'mesure' (did you mean 'measure'?)"),
        ({"measure": 5}, TypeError, "option measure is a text, got int: 5"),
        ({"name": 5}, TypeError, "option name is a text, got int: 5"),
        ({"rules": "verl", "metric": "answer_equivalence"}, ValueError, "rules='verl' are for answer_match, not for answer_equivalence"),
        ({"columns": {"reference": "x"}}, ValueError, "no role 'reference' of columns (did you mean 'references'?)"),
        ({"columns": {"references": 1}}, TypeError, "the role references needs the name of a column, got int: 1"),
        ({"columns": "gold"}, TypeError, "columns must be a dict role -> column"),
    ],
)  # fmt: skip
def test_settings_that_are_refused(settings, error, message):
    with pytest.raises(error, match=re.escape(message)):
        qassay.reward(**settings)


@pytest.mark.parametrize(
    ("columns", "error", "message"),
    [
        ({"source": ["nq"]}, ValueError, 'no column of gold answers; name it with columns={"references": NAME}; available: completions, source'),
        ({"answer": ["a"], "golds": ["b"]}, ValueError, "answer and golds may be the gold answers"),
        ({"answer": "Rome"}, TypeError, "answer must be a column with one item per example"),
        ({"answer": ["a", "b"]}, ValueError, "answer has 2 rows, but there are 1 completions"),
        ({"answer": [5]}, TypeError, "completion 0: the gold answers of a row are a text or a list of texts, got int: 5"),
        ({"answer": [float("nan")]}, TypeError, "completion 0: the gold answers of a row"),
        ({"answer": [["Rome", 5]]}, TypeError, "completion 0: "),
        ({"answer": [{"value": "x", "aliases": []}]}, ValueError, "completion 0: a dict of gold answers has one of the keys ground_truth, target, text; this has: value, aliases"),
        ({"answer": ["x"], "completions": [5]}, TypeError, "completion 0: a completion is a text or a list of messages, got int: 5"),
        ({"answer": ["x"], "completions": said("x")}, TypeError, "completion 0: a completion is a text or a list of messages, got dict"),
        ({"answer": ["x"], "completions": [["x"]]}, TypeError, "completion 0: a message has a role and content, got str: 'x'"),
        ({"answer": ["x"], "completions": [[{"role": "user", "content": "x"}]]}, ValueError, "completion 0: a completion has no message with the role assistant"),
        ({"answer": ["x"], "completions": [said(5)]}, TypeError, "completion 0: the content of a message is a text or a list of texts, got int: 5"),
        ({"answer": ["x"], "completions": [said([{"type": "image"}, "y"])]}, TypeError, "completion 0: the content of a message"),
        ({"answer": ["x"], "completions": "x"}, TypeError, "completions must be a column"),
    ],
)  # fmt: skip
def test_calls_that_are_refused(columns, error, message):
    with pytest.raises(error, match=re.escape(message)):
        qassay.reward()(**{"completions": ["<answer>x</answer>"], **columns})


def test_other_calls_that_are_refused():
    with pytest.raises(TypeError, match="a reward is called with completions .TRL.*; got prompts"):
        qassay.reward()(prompts=["x"])
    with pytest.raises(ValueError, match="no column 'gold'"):
        qassay.reward(columns={"references": "gold"})(completions=["x"], answer=["x"])
    other = {"metric": "semantic_answer_similarity", "model": "lite", "thresholds": (0.7,)}
    with pytest.raises(
        ValueError, match="no measure 'sas_accuracy@0.5' of one example .did you mean 'sas_accuracy@0.7'"
    ):
        qassay.reward("sas_accuracy@0.5", **other)
    with pytest.raises(ValueError, match="layout custom:.*lambda> is 2, but a reward is from 0 to 1"):
        qassay.reward("format", layout=lambda text: 2).one("x")
    with pytest.raises(ValueError, match="extract custom:.*lambda> failed on the completion: ZeroDivisionError"):
        qassay.reward(extract=lambda text: 1 / 0).one("x", "y")


@pytest.mark.parametrize("metric", ["answer_match", "answer_equivalence", "semantic_answer_similarity"])
def test_measures_of_rewards_are_from_0_to_1(metric):
    """A negative cosine counts as 0, so that no value below 0 stops a training."""
    options = {"model": "lite"} if metric == "semantic_answer_similarity" else {}
    scores, names = qassay.score(metric, ["x"], [["x"]], **options), qassay.scorer(metric, **options).names
    assert {scores.measures[name].bounds for name in names} == {(0, 1)}
    assert all(qassay.reward(name, metric=metric, **options).one("<answer>x</answer>", "x") <= 1 for name in names)


@pytest.mark.parametrize("name", ["questions", "question", "query", "question_text", "problem"])
def test_questions_are_found_by_each_usual_name(name):
    right = qassay.reward("equivalence", metric="answer_equivalence", extract="none")
    row = {"completions": ["the city of Rome in Italy"], "answer": [["Rome"]]}
    asked = right.one("the city of Rome in Italy", ["Rome"], questions="Which city is in Italy?")
    with pytest.warns(UserWarning, match="no column of questions"):
        assert asked != right(**row)[0]
    assert right(**row, **{name: ["Which city is in Italy?"]}) == [asked]


def test_two_columns_of_questions_are_refused():
    right = qassay.reward("equivalence", metric="answer_equivalence")
    row = {"completions": ["x"], "answer": ["x"], "question": ["a"], "query": ["b"]}
    with pytest.raises(ValueError, match='question and query may be the questions; name them with columns={"questions'):
        right(**row)
    named = qassay.reward("equivalence", metric="answer_equivalence", columns={"questions": "query"})
    assert len(named(**row)) == 1


def test_parts_of_a_message_that_are_not_text_are_not_scored():
    parts = [{"type": "thinking", "thinking": "<answer>Oslo</answer>"}, {"type": "image", "image": "x.png"}]
    parts.append({"type": "text", "text": "<answer>Rome</answer>"})
    assert qassay.reward().one(said(parts), "Rome") == 1


@pytest.mark.parametrize("gold", ['["Rome", "Roma"]', "['Rome']", {"target": '["Rome"]'}])
def test_gold_answers_that_are_a_list_written_as_text_are_refused(gold):
    with pytest.raises(ValueError, match="completion 1: the gold answers are a list that was written as text"):
        qassay.reward()(completions=["x", "x"], answer=["x", gold])
    assert qassay.reward().one("<answer>[0, 1]</answer>", "[0, 1]") == 1  # an interval


def test_a_judge_that_fails_is_named_and_not_asked_again():
    asked = []

    def judge(question, gold, prediction):
        asked.append(prediction)
        if "bad" in prediction:
            raise RuntimeError("down")
        return True

    once = Judge(judge, name="judge", retries=0, threads=1)
    options = {"metric": "answer_equivalence", "model": once, "extract": "none"}
    right = qassay.reward("equivalence", **options, on_failure="raise")
    with pytest.raises(ValueError, match="completion 1: the model or judge of answer_equivalence gave no verdict"):
        right.many(["Rom", "bad"], [["Rome"], ["Rome"]], questions=["q", "q"])
    several = asked.count("bad")
    asked.clear()
    with pytest.raises(ValueError, match="failed for all 2 answers; .*down"):
        right.many(["bad", "bad 2"], [["Rome"], ["Rome"]], questions=["q", "q"])
    assert several == asked.count("bad")
    rows = {"completions": ["Rom", "bad"], "answer": [["Rome"], ["Rome"]], "question": ["q", "q"]}
    of_verl = {
        "solution_strs": rows["completions"],
        "ground_truths": rows["answer"],
        "extra_infos": [{"question": "q"}] * 2,
    }
    lenient, zero = qassay.reward("equivalence", **options), qassay.reward("equivalence", **options, on_failure="zero")
    assert lenient(**rows) == [1.0, None] and lenient.failed == 1
    assert zero(**rows) == zero(**of_verl) == [1.0, 0.0] and zero.failed == 2
    with pytest.raises(ValueError, match='completion 1: .*gave no verdict.*on_failure="zero" counts it as wrong'):
        lenient(**of_verl)  # verl computes with a number for each row
    with pytest.warns(UserWarning, match="down; .*counts as wrong"):
        assert zero.one("bad", ["Rome"], questions="q") == 0.0
    with pytest.raises(ValueError, match="down"):
        lenient.one("bad", ["Rome"], questions="q")


def test_options_that_need_a_column_are_refused_at_once():
    with pytest.raises(ValueError, match=r"no_answer_threshold needs no_answer_probabilities.*columns=\{ROLE: NAME\}"):
        qassay.reward("f1", no_answer_threshold=0.5)
    name = "no_answer_probabilities"
    right = qassay.reward("f1", no_answer_threshold=0.5, extract="none", columns={name: "p"})
    assert right(completions=["x", "x"], answer=[["x"], ["x"]], p=[0.1, 0.9]) == [1.0, 0.0]


def test_names():
    assert qassay.reward is Reward and isinstance(qassay.reward(), Reward)
    assert set(LAYOUTS) == {"answer", "think_answer", "search", "search_after_prompt"}
    assert set(RULES) == {"verl", "search_r1_qa_em", "search_r1_qa_em_format", "flashrag"}


def test_a_measure_of_the_options_of_the_user():
    near = qassay.reward("sas_accuracy@0.7", metric="semantic_answer_similarity", model="lite", thresholds=(0.7,))
    assert near.one("<answer>Rome</answer>", ["Rome"]) == 1.0


def test_no_column_of_questions_is_reported():
    asked = qassay.reward("equivalence", metric="answer_equivalence", extract="none")
    with pytest.warns(UserWarning, match=r"no column of questions \(questions, .*\): answers are scored without"):
        asked(completions=["in Rome"], answer=["Rome"])
