"""The presets of claim_support: benchmarks that measure given verdicts."""

from ..core.presets import Preset, presets_by_name

_NO_VERDICT = "The program cannot read a missing verdict; qassay omits and counts it."

VERDICT_PRESETS = presets_by_name(
    Preset(
        name="simpleqa",
        line="SimpleQA: answers graded as correct, incorrect or not attempted; accuracy given attempted, and F",
        source="openai/simple-evals simpleqa_eval.py",
        options={"task": "grades"},
        differences=_NO_VERDICT,
    ),
    Preset(
        name="longmemeval",
        line="LongMemEval: answers that its judge, a language model, called right or wrong; accuracy by type of question",
        source="xiaowu0162/LongMemEval src/evaluation/evaluate_qa.py and print_qa_metrics.py",
        options={"task": "grades"},
        measures=("correct",),
        differences="qassay scores the log of evaluate_qa.py and asks no model. The scripts average over the answers in the log; qassay "
        "counts a question that the log lacks, and omits it or scores it 0 (missing). Task-averaged accuracy is the mean over the slices of "
        "question_type.",
    ),
    Preset(
        name="nuggets",
        line="TREC RAG by AutoNuggetizer: vital and all nuggets, strict and with partial support",
        source="castorini/nuggetizer src/nuggetizer/core/metrics.py",
        options={"task": "nuggets", "unjudged": "zero"},
        differences="none known; a missing verdict counts as no support, as in the program, and is counted",
    ),
    Preset(
        name="alce",
        line="citations of statements in ALCE: recall and precision from entailment verdicts",
        source="princeton-nlp/ALCE eval.py",
        options={"task": "citations"},
        differences=f"{_NO_VERDICT} Its str-EM is the preset asqa of answer_match.",
    ),
    Preset(
        name="ragchecker",
        line="RAGChecker: precision, recall and F1 of claims, faithfulness, hallucination, use of the context, noise",
        source="amazon-science/RAGChecker ragchecker/computation.py",
        options={"task": "claims"},
        differences=_NO_VERDICT,
    ),
)
