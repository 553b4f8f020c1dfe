"""Presets of answer_match whose rules are their own tasks or normalisers."""

from ..core.mkqa_text import MKQA_LANGUAGES
from ..core.presets import Preset

_LONGBENCH = "THUDM/LongBench, LongBench/metrics.py and eval.py"
_FIRST_LINE = r"regex:\A\n*([^\n]*)"

PRESETS_OF_TASKS = (
    Preset(
        name="coqa",
        line="conversations about a text (CoQA): exact match and F1 by the rules of SQuAD 2.0, each against all gold answers "
        "but one, averaged over the omitted one",
        source="stanfordnlp/coqa-baselines, scripts/evaluate-v1.0.py",
        options={"task": "coqa"},
        measures=("exact_match", "f1"),
        compared=300,
        differences="The script rounds to one decimal of a per cent, and also prints the domains: for these, slice by the source of "
        "each story. lm_eval (task coqa) first drops gold answers that differ only in case: for the answer yes and the gold "
        "answers yes, Yes, no the script gives 1, lm_eval 0.5. Questions without gold answers are refused.",
    ),
    Preset(
        name="quac",
        line="conversations with a teacher (QuAC): F1 against all gold answers but one, and the share of questions (heq_q) and "
        "dialogs (heq_d) with an F1 of at least human F1",
        source="the scorer of quac.ai (copy: my89/co-squac, evals/quac_eval.py)",
        options={"task": "quac"},
        measures=("f1", "heq_q", "heq_d"),
        columns={
            "dialog": "the dialog of each question, unless the ids name it as in C_1_q#0",
            "yesno": "y, n or x of the teacher, on both sides",
            "followup": "y, m or n of the teacher, on both sides",
        },
        compared=300,
        differences="As in the script: a question counts only if people agree with an F1 of 0.4 or more (unfiltered_f1 counts all), but a missing "
        "question always counts; CANNOTANSWER is the gold answer if at least half of the people say so; a dialog without a counting "
        "question is right; two answers without words have F1 0. Without groups, intervals draw whole dialogs.",
    ),
    Preset(
        name="docvqa",
        line="questions about documents (DocVQA, InfographicVQA, ST-VQA): ANLS, the edit similarity to the nearest gold answer, "
        "0 below a half",
        source="the script of the Robust Reading Competition, infographicvqa_eval.py of rrc.cvc.uab.es",
        options={"task": "docvqa"},
        measures=("anls",),
        compared=400,
        differences="A similarity of exactly 0.5 stays, as in the script and in anls-star 1.0.1; anls 0.0.2 makes it 0 (answer ab, gold "
        "answer ac). The script divides by the length with all white space, the two packages by the length without extra white space: for "
        "the answer ac and the gold answer ab with a trailing blank, the script gives 0.667, anls-star 0.5, anls 0. ANLS* of lists and "
        "dicts is not available.",
    ),
    Preset(
        name="multispanqa",
        line="questions whose answer is several spans (MultiSpanQA): precision, recall and F1 of all spans of all questions, for "
        "equal spans and for the longest common run of characters",
        source="haonan-li/MultiSpanQA, src/eval_script.py",
        options={"task": "multispanqa"},
        measures=("exact_f1", "overlap_f1", "exact_precision", "exact_recall", "overlap_precision", "overlap_recall"),
        compared=300,
        differences="All gold answers of a question form one answer, and [] means no answer. As in the script: no span counts as one "
        "span in the sums; if there is no answer, a prediction of one empty text is right for overlap and wrong for exact. The "
        "last digits of the script's overlap vary from run to run, because its sets are unordered.",
    ),
    Preset(
        name="asqa",
        line="long answers to ambiguous questions (ASQA in ALCE): the share of sub-questions with a short answer inside the "
        "normalised text, and the share of questions with all of them",
        source="princeton-nlp/ALCE, eval.py (compute_str_em)",
        options={"task": "asqa"},
        measures=("str_em", "str_hit"),
        compared=300,
        differences="A gold row is a list of sub-questions, each a list of short answers (or qa_pairs with short_answers). As in the script: only "
        "the first line counts, without citations such as [1]; a short answer is found inside words, Rome in Romeo; a short answer that is "
        "only an article or a punctuation mark is in every text. Citations, claims and MAUVE are not measured.",
    ),
    *(
        Preset(
            name=name,
            line=f"{what} in Chinese: exact match without punctuation, and F1 of the longest common run of characters and words",
            source="ymcui/cmrc2018, baseline/cmrc2018_evaluate.py",
            options={"task": "cmrc2018"},
            measures=("f1", "exact_match"),
            compared=300,
            differences="NLTK splits text that is not Chinese. Letters, digits and % do not need it; other characters need `pip install nltk` (and "
            "its data punkt_tab if a sentence may end inside), and are refused without it. As in the script: , . ! ( ) and % are kept, "
            "and so is …; two empty answers have F1 0. The rows compared do not need NLTK.",
        )
        for name, what in (("cmrc2018", "CMRC 2018"), ("drcd", "DRCD, scored like CMRC 2018,"))
    ),
    Preset(
        name="longbench",
        line="LongBench, questions in English: F1 by the rules of SQuAD 1.1 (narrativeqa, qasper, multifieldqa_en, hotpotqa, 2wikimqa, "
        "musique)",
        source=_LONGBENCH,
        options={"empty_gold": "keep", "empty_f1": 0.0},
        measures=("f1",),
        compared=240,
        differences="The script rounds to two decimals of a per cent. Without gold answers the script gives 0; in qassay an empty answer "
        "is right. ROUGE, classification and code similarity are not measured.",
    ),
    Preset(
        name="longbench:triviaqa",
        line="LongBench, triviaqa: like longbench, but only the first non-empty line of the answer counts",
        source=_LONGBENCH,
        options={"empty_gold": "keep", "empty_f1": 0.0, "extract": _FIRST_LINE},
        measures=("f1",),
        compared=240,
    ),
    Preset(
        name="longbench:zh",
        line="LongBench, multifieldqa_zh: F1 of Chinese words as split by jieba, without punctuation",
        source=_LONGBENCH,
        options={"normalizer": "jieba", "empty_gold": "keep", "empty_f1": 0.0},
        measures=("f1",),
        needs="jieba",
        compared=240,
        differences="Needs `pip install jieba` (compared with 0.42.1), whose words affect the numbers. As in the script, 《 is kept and 》 is dropped.",
    ),
    *(
        Preset(
            name=f"longbench:{name}",
            line=f"LongBench, {data}: the share of right numbers among the numbers in the answer",
            source=_LONGBENCH,
            options={"task": f"longbench:{name}"},
            measures=("number_precision",),
            compared=240,
            differences="Numbers are compared as written: 05 is not 5.",
        )
        for name, data in (
            ("count", "passage_count"),
            ("retrieval", "passage_retrieval_en (gold answers such as Paragraph 3)"),
            ("retrieval_zh", "passage_retrieval_zh (gold answers such as 段落3)"),
        )
    ),
    Preset(
        name="tatqa",
        line="questions about financial tables and texts (TAT-QA): numbers compared with their scale, F1 of the sets of tokens, and the "
        "share of right scales",
        source="NExTplusplus/TAT-QA, tatqa_metric.py",
        options={"task": "tatqa"},
        measures=("exact_match", "f1", "scale_accuracy"),
        columns={
            "gold_details": "scale ('', thousand, million, billion or percent) and answer_type (span, multi-span, arithmetic, count)",
            "predicted_details": "scale",
        },
        compared=400,
        differences="A gold row is one answer, a list of its spans or a number. As in the script: numbers are rounded to two decimals before the "
        "scale; 23.42 percent is also right as 0.2342 without a scale; F1 is rounded to two decimals, and is exact match for "
        "arithmetic and count; an amount such as .5 without a digit before its point is not a separate number.",
    ),
    Preset(
        name="kilt",
        line="knowledge from Wikipedia (KILT): strict accuracy, exact match and F1, and each counted only if the R-precision of the "
        "retrieved pages is 1",
        source="facebookresearch/KILT, kilt/eval_downstream.py",
        options={"task": "kilt"},
        measures=("kilt_exact_match", "kilt_f1", "kilt_accuracy", "exact_match", "f1", "accuracy", "r_precision"),
        columns={
            "gold_details": "pages: for each gold answer the list of the ids of its pages (or one list of ids)",
            "predicted_details": "pages: the ids of the retrieved pages, best first",
        },
        compared=300,
        differences="An empty answer scores 0 in all measures except r_precision, and is never right. ROUGE-L and recall@5 of evidence sets "
        "are not measured; retrieval_ranking has recall@k of pages.",
    ),
    *(
        Preset(
            name=f"mkqa:{language}",
            line=f"questions in 26 languages (MKQA; LANG is {', '.join(MKQA_LANGUAGES)}): exact match and F1 without the articles of "
            "the language, of characters in Chinese, Japanese, Khmer and Thai",
            source="apple/ml-mkqa, mkqa_eval_util.py",
            options={"normalizer": f"mkqa:{language}", "empty_gold": "keep"},
            measures=("exact_match", "f1", "best_f1"),
            compared=240,
            differences="As in the script: French and Italian articles need not be whole words (les becomes s, italia talia), and Arabic articles "
            "are removed anywhere in a word. The script's sweep over no-answer probabilities orders equal probabilities by position, "
            "counts an answer without words as an answer, and gives the threshold 0 if withholding all answers is best "
            "(-inf in qassay); apart from these cases, best_f1 is the same. A question without an answer has no gold answers in qassay, "
            "and one empty gold answer in the script.",
        )
        for language in MKQA_LANGUAGES
    ),
)
