"""qassay.reward: every measure, setting and set of rules, and the calls of TRL, verl and verifiers."""

from collections.abc import Iterator
from typing import Any

from _inputs import WORDS, rng

import qassay
from qassay.rewards import compute_score

START = "<|im_start|>user\nSay <answer>Beijing</answer>.<|im_start|>assistant\n"
RULES = ("verl", "search_r1_qa_em", "search_r1_qa_em_format", "flashrag")
EXTRACTIONS = ("answer_tag", "after_think", "boxed", "final_answer", "last_line", "json:answer", "none")
LAYOUTS = ("answer", "think_answer", "search", "search_after_prompt", "regex:(?s).*</answer>\\s*")


def share_of_words(text: str) -> float:
    """A layout of one's own: how short a text is."""
    return 1 / (1 + len(text.split()))


def second_word(text: str) -> str | None:
    """An extraction of one's own."""
    words = text.split()
    return words[1] if len(words) > 1 else None


REWARDS = {  # name -> arguments
    **{name: {"measure": name} for name in ("exact_match", "f1", "precision", "recall", "contains", "sub_em", "em")},
    **{f"format {name}": {"measure": "format", "layout": name} for name in LAYOUTS},
    "format of one's own": {"measure": "format", "layout": share_of_words},
    **{f"rules {name}": {"rules": name} for name in RULES},
    **{f"rules {name} sub_em": {"measure": "sub_em", "rules": name} for name in RULES[:3]},
    **{
        f"flashrag {name}": {"measure": name, "rules": "flashrag"} for name in ("contains", "f1", "precision", "recall")
    },
    **{f"extract {name}": {"measure": "f1", "extract": name} for name in EXTRACTIONS},
    "extract by a pattern": {"measure": "f1", "extract": "regex:or <answer>([^<]+)"},
    "extract by a function": {"measure": "f1", "extract": second_word},
    **{f"unextracted {name}": {"measure": "f1", "unextracted": name} for name in ("empty", "whole")},
    "format_weight": {"measure": "f1", "format_weight": 0.25, "layout": "think_answer"},
    "format_weight, share": {"measure": "f1", "format_weight": 0.25, "layout": share_of_words},
    "retrieval_weight": {"retrieval_weight": 0.3, "layout": "search"},
    "answered_weight": {"answered_weight": 0.2, "layout": "search"},
    "all weights": {
        "rules": "search_r1_qa_em_format",
        "format_weight": 0.2,
        "answered_weight": 0.1,
        "retrieval_weight": 0.15,
    },
    "verl, format": {"rules": "verl", "format_weight": 0.1},
    "verl, layout": {"rules": "verl", "format_weight": 0.1, "layout": "search"},
    "prompt_answers 1": {"prompt_answers": 1},
    "prompt_answers 2": {"prompt_answers": 2},
    "most_tags 1": {"measure": "f1", "most_tags": 1},
    "preset search_r1": {"preset": "search_r1"},
    "preset nq_open": {"preset": "nq_open", "measure": "contains"},
    "normalizer": {"normalizer": "french", "measure": "f1"},
    "unit": {"unit": "character", "measure": "f1"},
    "equivalence": {"metric": "answer_equivalence", "measure": "equivalence"},
    "accepted": {"metric": "answer_equivalence", "measure": "accepted", "extract": "last_line"},
    "sas": {"metric": "semantic_answer_similarity", "measure": "sas", "model": "lite"},
    "sas_accuracy": {"metric": "semantic_answer_similarity", "measure": "sas_accuracy@0.5", "model": "lite"},
}


def completions(n: int = 60) -> tuple[list[str], list[list[str]]]:
    """Texts of a model with thoughts, searches, several, open and missing tags, boxes and JSON; and gold answers."""
    draw = rng("completions")
    texts, golds = [], []
    for row in range(n):
        gold = [" ".join(draw.choices(WORDS[4:], k=draw.randrange(1, 4))) for _ in range(draw.randrange(1, 3))]
        if draw.random() < 0.1:
            gold = []
        word = draw.choice(WORDS)
        right = draw.choice(gold or [""])
        answer = draw.choice([right, right, f"in {right}", f"{right}s", word, "", right.upper(), right.split(" ")[0]])
        tag = f"<answer>{answer}</answer>"
        searched = draw.choice([f"about {right}", word])
        texts.append(
            draw.choice(
                [
                    f"<think>{word}</think>{tag}",
                    f"<think>{word}</think>\n<search>{word}</search><information>{searched}</information>"
                    f"<think>so</think>{tag}",
                    f"{START}<think>{word}</think><search>{word}</search><information>{searched}</information>"
                    f"<think>so</think>{tag}",
                    f"{START}<think>a</think><information>{searched}</information>{tag}",
                    f"<information>{searched}</information> It is {tag}",
                    tag,
                    f"<answer>{word}</answer> or {tag}",
                    f"<answer>x</answer>{tag}<answer>{answer}",
                    "<answer>x</answer>" * 10 + tag,
                    f"It is {answer}.\nFinal answer: {answer}",
                    f"<think>hm</think> {answer}",
                    f"so \\boxed{{{right}}}",
                    f'{{"answer": "{answer}"}}',
                    answer,
                ]
            )
            if row
            else ""
        )
        golds.append(gold)
    return texts, golds


def cases() -> Iterator[tuple[str, Any]]:
    texts, golds = completions()
    for name, arguments in REWARDS.items():
        reward = qassay.reward(**arguments)
        formal = arguments.get("measure") == "format"
        found = reward.many(texts, None if formal else golds)
        yield f"{name}/many", found
        yield f"{name}/signature", reward.signature.rpartition("|v:")[0]
        one = [reward.one(text, None if formal else gold) for text, gold in zip(texts, golds, strict=True)]
        yield f"{name}/one", "as many" if one == found else one
        if any(word in name for word in ("weight", "rules verl", "layout", "all ")):
            verl = qassay.reward(**arguments, parts=True)
            parts = [verl(solution_str=text, ground_truth=gold) for text, gold in zip(texts, golds, strict=True)]
            yield f"{name}/parts", {part: [row[part] for row in parts] for part in ("acc", "format")}
    yield from calls(texts[:16], golds[:16])


def calls(texts: list[str], golds: list[list[str]]) -> Iterator[tuple[str, Any]]:
    """The keywords with which trainers call a reward."""
    right = qassay.reward("f1", format_weight=0.1)
    messages = [[{"role": "user", "content": "?"}, {"role": "assistant", "content": text}] for text in texts]
    some = [gold if row % 4 else None for row, gold in enumerate(golds)]
    yield "TRL/texts", right(completions=texts, prompts=texts, answer=golds)
    yield "TRL/messages", right(completions=messages, prompts=messages, golden_answers=golds)
    yield "TRL/another task", right(completions=texts, solution=some)
    yield "TRL/named column", qassay.reward("f1", columns={"references": "mine"})(completions=texts, mine=golds)
    yield "TRL/format", qassay.reward("format", layout="think_answer")(completions=texts, prompts=texts)
    asked = {"completions": texts, "answer": golds, "question": ["Where?"] * len(texts)}
    yield "TRL/questions", qassay.reward("equivalence", metric="answer_equivalence")(**asked)

    logged = qassay.reward("f1", format_weight=0.1, parts=True)
    rows = [{"ground_truth": {"target": gold}, "data_source": "nq", "extra_info": {}} for gold in golds]
    yield "verl/one", [right(solution_str=text, **row) for text, row in zip(texts, rows, strict=True)]
    found = [logged(solution_str=text, **row) for text, row in zip(texts, rows, strict=True)]
    yield "verl/parts", {name: [row[name] for row in found] for name in ("score", "acc", "format")}
    batch = {"solution_strs": texts, "ground_truths": golds, "data_sources": ["nq"] * len(texts), "extra_infos": None}
    yield "verl/batch", right(**batch)
    yield "verl/batch of parts", [row["score"] for row in logged(**batch)]
    given = {"measure": "f1", "format_weight": 0.2, "layout": "search"}
    yield "verl/compute_score", [compute_score("nq", *pair, **given) for pair in zip(texts, golds, strict=True)]
    yield "verl/compute_score, batch", compute_score(**batch, measure="f1", rules="verl")

    alone = [right(completion=text, answer=gold, info={}) for text, gold in zip(messages, golds, strict=True)]
    yield "verifiers/messages", alone
    blank = qassay.reward("f1", columns={"references": "answer"})
    yield "verifiers/no answer", [blank(completion=text, answer="", info={}) for text in texts]

    yield "names", [qassay.reward(**REWARDS[name]).measure for name in REWARDS]
