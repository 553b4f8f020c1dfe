"""The presets of answer_match: benchmarks of question answering by name. docs/presets.md says how to add one."""

from ..core.presets import Preset, presets_by_name
from .presets_of_tasks import PRESETS_OF_TASKS

_AS_SQUAD_1 = {"empty_gold": "keep", "empty_f1": 0.0}
_SQUAD_1 = "rajpurkar/SQuAD-explorer, evaluate-v1.1.py"
_WITHOUT_GOLDS = "A question without gold answers stops the script; in qassay, an empty answer to it is right."

PRESETS = presets_by_name(
    Preset(
        name="search_r1",
        line="questions answered with a search engine (NQ, TriviaQA, PopQA, HotpotQA, 2Wiki, MuSiQue, Bamboogle): the last "
        "<answer> by the rules of SQuAD; contains is a substring",
        source="verl-project/verl, verl/utils/reward_score/search_r1_like_qa_em.py",
        options={**_AS_SQUAD_1, "extract": "answer_tag", "unextracted": "zero", "contains": "substring"},
        measures=("exact_match", "contains"),
        differences="The script divides the score of a right answer by 4 if a text has more than 10 <answer> or </answer>; "
        "in qassay it stays 1. Without gold answers the script gives 0; in qassay an empty answer is right. "
        "PeterGriffinJin/Search-R1 needs two <answer>, because its texts begin with the prompt, which has one. "
        "qassay.reward(rules='verl') and rules='search_r1_qa_em' score like these scripts.",
        compared=240,
    ),
    Preset(
        name="flashrag",
        line="the data sets of FlashRAG: SQuAD rules, with F1 0 if one side is yes, no or noanswer and the other "
        "differs; contains (its acc) is a substring",
        source="RUC-NLPIR/FlashRAG, flashrag/evaluator/metrics.py",
        options={**_AS_SQUAD_1, "contains": "substring", "whole_answers": ("yes", "no", "noanswer")},
        measures=("exact_match", "f1", "contains", "precision", "recall"),
        differences="Without gold answers the script gives 0; in qassay an empty answer is right. It reads the gold answers of "
        "CuratedTREC as regular expressions; qassay does not.",
        compared=240,
    ),
    Preset(
        name="nq_open",
        line="open-domain Natural Questions (NQ-Open): exact match by the rules of SQuAD, after canonical decomposition (NFD)",
        source="google-research/language, language/orqa/utils/eval_utils.py",
        options={**_AS_SQUAD_1, "normalizer": "nfd+lower+ascii_punctuation+articles:en+spaces"},
        measures=("exact_match",),
        differences=f"{_WITHOUT_GOLDS} Common harnesses omit the decomposition.",
        compared=240,
    ),
    Preset(
        name="dpr",
        line="passages found for open-domain questions (DPR): whether one of the first k has a gold answer, by tokens of letters, "
        "digits and marks; predictions are ranked texts of passages",
        source="facebookresearch/DPR, dpr/data/qa_validation.py (has_answer) and dpr/utils/tokenizers.py",
        options={
            "normalizer": "nfd+split_words+lower",
            "top_k": (1, 5, 20, 100),
            "empty_gold": "keep",
        },
        measures=("contains",),
        differences="The script finds a gold answer without any visible character everywhere, qassay nowhere. The script "
        "accepts regular expressions as gold answers (CuratedTREC); qassay does not.",
        compared=240,
    ),
    Preset(
        name="mrqa",
        line="the shared task MRQA 2019: the rules of SQuAD 1.1",
        source="mrqa/MRQA-Shared-Task-2019, mrqa_official_eval.py",
        options=_AS_SQUAD_1,
        measures=("exact_match", "f1"),
        differences=_WITHOUT_GOLDS,
        compared=240,
    ),
    Preset(
        name="xquad",
        line="XQuAD, 11 languages: the rules of SQuAD 1.1 with English articles and ASCII punctuation in every language",
        source=_SQUAD_1,
        options=_AS_SQUAD_1,
        measures=("exact_match", "f1"),
        differences=f"{_WITHOUT_GOLDS} Chinese and Thai answers without blanks are one token, as in the script.",
        compared=240,
    ),
    Preset(
        name="fquad",
        line="FQuAD in French: SQuAD rules with the articles un, une, des, le, la, les",
        source="EleutherAI/lm-evaluation-harness, lm_eval/tasks/french_bench/utils.py",
        options={"normalizer": "lower+ascii_punctuation+articles:fquad+spaces", "empty_gold": "keep"},
        measures=("exact_match", "f1"),
        differences="The authors' script is not public; these are the rules of lm_eval, which does not split elision (l'eau) "
        "and reads only the first gold answer. In qassay the best gold answer counts; normalizer=french splits elision.",
        compared=240,
    ),
    Preset(
        name="piaf",
        line="PIAF in French: the rules of SQuAD 1.1 with English articles, as its users report it",
        source=_SQUAD_1,
        options=_AS_SQUAD_1,
        measures=("exact_match", "f1"),
        differences=f"{_WITHOUT_GOLDS} PIAF has no script for texts; its pipelines score positions, like "
        "retriever_reader. normalizer=french drops French articles.",
        compared=240,
    ),
    Preset(
        name="germanquad",
        line="GermanQuAD: the rules of SQuAD 1.1 with English articles, as its users report it",
        source=_SQUAD_1,
        options=_AS_SQUAD_1,
        measures=("exact_match", "f1"),
        differences=f"{_WITHOUT_GOLDS} GermanQuAD has no script; its authors report FARM's numbers, which use positions of "
        "tokens. normalizer=mlqa:de drops German articles.",
        compared=240,
    ),
    Preset(
        name="sberquad",
        line="SberQuAD in Russian: the rules of SQuAD 1.1",
        source=_SQUAD_1,
        options=_AS_SQUAD_1,
        measures=("exact_match", "f1"),
        differences=_WITHOUT_GOLDS,
        compared=240,
    ),
    Preset(
        name="klue",
        line="KLUE-MRC in Korean: exact match, and ROUGE-W, F1 of the longest common run of characters",
        source="KLUE-benchmark/KLUE-baseline, klue_baseline/metrics/utils.py",
        options={"task": "klue"},
        measures=("exact_match", "rouge_w"),
        differences="The paper names ROUGE-W; the script uses the longest run without gaps. The way its list of punctuation is "
        "written removes almost nothing: quotes such as ‘ ’ and 《 》 stay.",
        compared=240,
    ),
    Preset(
        name="jsquad",
        line="JSQuAD of JGLUE in Japanese: lower case, without 。 at the end; F1 of characters, including blanks",
        source="yahoojapan/JGLUE, fine-tuning/patch/transformers-4.24.0_jglue-1.1.0.patch (squad_metrics.py of transformers)",
        options={"normalizer": "lower+full_stop+spaces", "unit": "character"},
        measures=("exact_match", "f1"),
        compared=240,
    ),
    Preset(
        name="musique",
        line="MuSiQue: answers, supporting paragraphs, and both combined with sufficiency, for pairs of rows of a question",
        source="StonyBrookNLP/musique, evaluate_v1.0.py",
        options={"task": "musique"},
        measures=("exact_match", "f1", "support_f1", "group_answer_sufficiency_f1", "group_support_sufficiency_f1"),
        columns={
            "gold_details": "support (numbers of the supporting paragraphs), answerable and question_id (all optional)",
            "predicted_details": "support, answerable (optional)",
        },
        differences="The script rounds totals to three decimals; qassay does not round. In qassay the two rows of a "
        "question need different ids and the same question_id.",
        compared=240,
    ),
    Preset(
        name="2wiki",
        line="2WikiMultihopQA: answers, supporting facts, evidence triples, and all three together",
        source="Alab-NII/2wikimultihop, 2wikimultihop_evaluate_v1.1.py",
        options={"task": "2wiki"},
        measures=("exact_match", "f1", "sp_f1", "evi_f1", "joint_f1"),
        columns={
            "gold_facts": "supporting facts, lists of [title, sentence]",
            "predicted_facts": "the supporting facts that the system gave",
            "gold_details": "evidences: lists of triples, or of lists of equivalent triples",
            "predicted_details": "evidence: lists of triples",
        },
        differences="Pass aliases as gold answers and as equivalent triples. The script rounds totals to two decimals.",
        compared=240,
    ),
    Preset(
        name="gaia",
        line="GAIA: the gold answer decides whether answers are compared as numbers, as lists or as texts without blanks",
        source="gaia-benchmark/leaderboard on Hugging Face, scorer.py",
        options={"task": "gaia"},
        measures=("exact_match",),
        differences='A missing prediction scores 0; the script reads it as the text "None".',
        compared=240,
    ),
    *PRESETS_OF_TASKS,
)
