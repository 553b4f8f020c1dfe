"""Presets of answer_match whose rules are their own tasks or normalisers."""

from ..core.mkqa_text import MKQA_LANGUAGES
from ..core.presets import Preset

_LONGBENCH = "THUDM/LongBench, LongBench/metrics.py and eval.py"
_FIRST_LINE = r"regex:\A\n*([^\n]*)"

PRESETS_OF_TASKS = (
    Preset(
        name="coqa",
        line="conversations about a text (CoQA): exact match and F1 by the rules of SQuAD 2.0, each against all gold answers "
        "but one, averaged over the one left out",
        source="stanfordnlp/coqa-baselines, scripts/evaluate-v1.0.py",
        options={"task": "coqa"},
        measures=("exact_match", "f1"),
        compared=300,
        differences="The script rounds to one decimal of a per cent, and prints the domains too: slice by the source of each story "
        "for them. lm_eval (task coqa) first drops gold answers that differ in case only: for the answer yes and the gold "
        "answers yes, Yes, no the script says 1, lm_eval 0.5. Questions without gold answers are refused.",
    ),
    Preset(
        name="quac",
        line="conversations with a teacher (QuAC): F1 against all gold answers but one, and the share of questions (heq_q) and "
        "dialogs (heq_d) in which it is at least the F1 of people",
        source="the scorer of quac.ai (copy: my89/co-squac, evals/quac_eval.py)",
        options={"task": "quac"},
        measures=("f1", "heq_q", "heq_d"),
        columns={
            "dialog": "the dialog of each question, unless the ids name it as in C_1_q#0",
            "yesno": "y, n or x of the teacher, on both sides",
            "followup": "y, m or n of the teacher, on both sides",
        },
        compared=300,
        differences="As in the script: a question counts only where people agree with an F1 of 0.4 or more (unfiltered_f1 counts all), a missing "
        "one always; CANNOTANSWER is the gold answer where at least half of the people say so; a dialog without a question that "
        "counts is right; two answers without words have F1 0. Intervals draw dialogs whole where no groups are given.",
    ),
    Preset(
        name="docvqa",
        line="questions about documents (DocVQA, InfographicVQA, ST-VQA): ANLS, the similarity by edits to the nearest gold answer, "
        "0 below a half",
        source="the script of the Robust Reading Competition, infographicvqa_eval.py of rrc.cvc.uab.es",
        options={"task": "docvqa"},
        measures=("anls",),
        compared=400,
        differences="A similarity of exactly 0.5 stays, as in the script and in anls-star 1.0.1; anls 0.0.2 makes it 0 (answer ab, gold "
        "answer ac). The script divides by the length with all white space, the two packages by the length without the surplus: for "
        "the answer ac and the gold answer ab with a blank after it the script says 0.667, anls-star 0.5, anls 0. ANLS* of lists and "
        "dicts is not here.",
    ),
    Preset(
        name="multispanqa",
        line="questions whose answer is several spans (MultiSpanQA): precision, recall and F1 of all spans of all questions, for "
        "equal spans and for the longest common run of characters",
        source="haonan-li/MultiSpanQA, src/eval_script.py",
        options={"task": "multispanqa"},
        measures=("exact_f1", "overlap_f1", "exact_precision", "exact_recall", "overlap_precision", "overlap_recall"),
        compared=300,
        differences="All gold answers of a question are one answer, and [] says that there is none. As in the script: no span counts as one "
        "span in the sums; a prediction of one empty text is right for overlap and wrong for exact where there is no answer. The "
        "last digits of the script's overlap vary from run to run, as its sets have no order.",
    ),
    Preset(
        name="asqa",
        line="long answers to ambiguous questions (ASQA in ALCE): the share of sub-questions with a short answer that is a part of the "
        "normalised text, and the share of questions with all of them",
        source="princeton-nlp/ALCE, eval.py (compute_str_em)",
        options={"task": "asqa"},
        measures=("str_em", "str_hit"),
        compared=300,
        differences="A gold row is a list of sub-questions, each a list of short answers (or qa_pairs with short_answers). As in the script: only "
        "the first line counts, without citations such as [1]; a short answer is found inside words, Rome in Romeo; one that is only "
        "an article or a mark is in every text. Citations, claims and MAUVE are not measured here.",
    ),
    *(
        Preset(
            name=name,
            line=f"{what} in Chinese: exact match without marks, and F1 of the longest common run of characters and words",
            source="ymcui/cmrc2018, baseline/cmrc2018_evaluate.py",
            options={"task": "cmrc2018"},
            measures=("f1", "exact_match"),
            compared=300,
            differences="What is not Chinese is cut by NLTK: letters, digits and % without it, other marks need `pip install nltk` (and "
            "its data punkt_tab where a sentence may end inside), and are refused without. As in the script: , . ! ( ) and % are kept, "
            "and so is …; two empty answers have F1 0. The rows compared need no NLTK.",
        )
        for name, what in (("cmrc2018", "CMRC 2018"), ("drcd", "DRCD, scored as by CMRC 2018,"))
    ),
    Preset(
        name="longbench",
        line="LongBench, its questions in English: F1 by the rules of SQuAD 1.1 (narrativeqa, qasper, multifieldqa_en, hotpotqa, 2wikimqa, "
        "musique)",
        source=_LONGBENCH,
        options={"empty_gold": "keep", "empty_f1": 0.0},
        measures=("f1",),
        compared=240,
        differences="The script rounds to two decimals of a per cent. ROUGE, classification and code similarity are not measured here.",
    ),
    Preset(
        name="longbench:triviaqa",
        line="LongBench, triviaqa: as longbench, and of the answer only the first line that has anything",
        source=_LONGBENCH,
        options={"empty_gold": "keep", "empty_f1": 0.0, "extract": _FIRST_LINE},
        measures=("f1",),
        compared=240,
    ),
    Preset(
        name="longbench:zh",
        line="LongBench, multifieldqa_zh: F1 of Chinese words as jieba cuts them, without marks",
        source=_LONGBENCH,
        options={"normalizer": "jieba", "empty_gold": "keep", "empty_f1": 0.0},
        measures=("f1",),
        needs="jieba",
        compared=240,
        differences="Needs `pip install jieba` (compared with 0.42.1); its words decide the numbers. As in the script: the mark 《 is kept, 》 is dropped.",
    ),
    *(
        Preset(
            name=f"longbench:{name}",
            line=f"LongBench, {data}: the share of the numbers in the answer that are the right one",
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
        line="questions about tables and texts of finance (TAT-QA): numbers compared with their scale, F1 of the sets of tokens, and the "
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
        line="knowledge from Wikipedia (KILT): strict accuracy, exact match and F1, and each counted only where the R-precision of the "
        "retrieved pages is 1",
        source="facebookresearch/KILT, kilt/eval_downstream.py",
        options={"task": "kilt"},
        measures=("kilt_exact_match", "kilt_f1", "kilt_accuracy", "exact_match", "f1", "accuracy", "r_precision"),
        columns={
            "gold_details": "pages: for each gold answer the list of the ids of its pages (or one list of ids)",
            "predicted_details": "pages: the ids of the retrieved pages, the best first",
        },
        compared=300,
        differences="An empty answer scores 0 in all but r_precision, and is never right. ROUGE-L and recall@5 of evidence sets are not "
        "measured here; retrieval_ranking has recall@k of pages.",
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
            differences="As in the script: French and Italian articles need not be whole words (les becomes s, italia talia), and Arabic ones go "
            "anywhere in a word. The script's sweep over no-answer probabilities orders equal ones by their position, "
            "counts an answer without words as an answer, and gives the threshold 0 where withholding all is best "
            "(-inf here); best_f1 is the same "
            "without these. A question without an answer has no gold answers here, and one that is empty in the script.",
        )
        for language in MKQA_LANGUAGES
    ),
)
