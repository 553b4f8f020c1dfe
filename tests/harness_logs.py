"""Small logs in the layout of harnesses, with invented questions, for tests."""

import io
import json
import zipfile
from collections.abc import Mapping, Sequence
from typing import Any

QUESTIONS: dict[str, list[str]] = {
    "capital of France?": ["Paris", "the city of Paris"],
    "river of Cairo?": ["Nile"],
    "highest mountain?": ["Mount Everest", "Everest"],
    "largest ocean?": ["Pacific"],
}


def lm_eval_lines(
    answers: Mapping[str, Sequence[Any]], target: Any = str, kind: Any = None, resps: Sequence[Any] | None = None
) -> bytes:
    """A log of `--log_samples`: a line for each question and filter.

    Args:
        answers: filter -> the answer to each question of `QUESTIONS`.
        target: gold answers -> target of the log, before conversion to text.
        kind: the second argument of the prompt: options of a generator, or the continuation of multiple choice.
        resps: answers before the filter; None: the answers of the filter.
    """
    lines = []
    for name, given in answers.items():
        for number, (answer, (question, golds)) in enumerate(zip(given, QUESTIONS.items())):
            sample = {
                "doc_id": number,
                "doc": {"id": f"q{number}", "question": question, "answers": golds, "topic": "ab"[number % 2]},
                "target": str(target(golds)),
                "arguments": {
                    "gen_args_0": {"arg_0": f"Q: {question}", "arg_1": {"until": ["\n"]} if kind is None else kind}
                },
                "resps": [[answer if resps is None else resps[number]]],
                "filtered_resps": [answer],
                "filter": name,
                "metrics": ["exact_match"],
                "doc_hash": f"hash{number}",
                "exact_match": 0.0,
            }
            lines.append(json.dumps(sample) + "\n")
    return "".join(lines).encode()


def inspect_log(answers: Sequence[Sequence[str]], status: str = "success", **header: Any) -> dict[str, Any]:
    """A log of Inspect as a JSON object; `answers` of each epoch."""
    samples = [
        {
            "id": f"q{number}",
            "epoch": epoch,
            "input": question,
            "target": golds,
            "messages": [{"role": "user", "content": question}],
            "output": {"model": "m", "choices": [{"message": {"content": answer}}], "completion": answer},
            "scores": {"match": {"value": "C", "answer": answer.split()[-1] if answer else ""}},
            "metadata": {"topic": "ab"[number % 2]},
            "attachments": {},
        }
        for epoch, of_epoch in enumerate(answers, 1)
        for number, (answer, (question, golds)) in enumerate(zip(of_epoch, QUESTIONS.items()))
    ]
    results = {"total_samples": len(samples), "completed_samples": len(samples)}
    return {"version": 2, "status": status, "eval": {"task": "t"}, "results": results, **header, "samples": samples}


def inspect_archive(log: Mapping[str, Any], compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A log of Inspect as an `.eval` file."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", compression) as archive:
        archive.writestr(zipfile.ZipInfo("_journal/start.json"), "{}")
        for sample in log["samples"]:
            name = f"samples/{sample['id']}_epoch_{sample['epoch']}.json"
            archive.writestr(zipfile.ZipInfo(name), json.dumps(sample), compression)
        header = {name: value for name, value in log.items() if name != "samples"}
        archive.writestr(zipfile.ZipInfo("header.json"), json.dumps(header), compression)
    return file.getvalue()


def flashrag_output(answers: Sequence[str]) -> list[dict[str, Any]]:
    """The rows of FlashRAG's intermediate_data.json."""
    return [
        {
            "id": f"test_{number}",
            "question": question,
            "golden_answers": golds,
            "output": {
                "retrieval_result": [{"id": "1", "contents": "text"}],
                "prompt": f"Q: {question}",
                "raw_pred": f"{answer}\n",
                "pred": answer,
                "metric_score": {"em": 0.0},
            },
            "metadata": {"topic": "ab"[number % 2]},
        }
        for number, (answer, (question, golds)) in enumerate(zip(answers, QUESTIONS.items()))
    ]
