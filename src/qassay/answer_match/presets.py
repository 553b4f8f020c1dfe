"""The presets of answer_match: benchmarks of question answering by name. docs/presets.md says how to add one.

Those with special rules are defined with their rules, in `rules/`.
"""

from collections.abc import Mapping
from typing import Any

from ..core.presets import Preset, presets_by_name
from ..core.text import MKQA_LANGUAGES
from .rules import Rules
from .rules.asqa import ASQA_PRESET
from .rules.cmrc import CMRC
from .rules.conversations import COQA_PRESET, QUAC_PRESET
from .rules.docvqa import DOCVQA_PRESET
from .rules.drop import DROP_PRESET
from .rules.gaia import GAIA_PRESET
from .rules.hotpotqa import HOTPOTQA_PRESET
from .rules.kilt import KILT_PRESET
from .rules.locomo import LOCOMO_PRESET
from .rules.musique import MUSIQUE_PRESET
from .rules.tatqa import TATQA_PRESET
from .rules.twowiki import TWOWIKI_PRESET

_AS_SQUAD_1 = {"empty_gold": "keep", "empty_f1": 0.0}
_SQUAD_1 = "rajpurkar/SQuAD-explorer, evaluate-v1.1.py"
_WITHOUT_GOLDS = "A question without gold answers stops the script; in qassay, an empty answer to it is right."
_MLQA_LANGUAGES = ("en", "es", "de", "vi", "ar", "hi", "zh")
_LONGBENCH = "THUDM/LongBench, LongBench/metrics.py and eval.py"
_FIRST_LINE = r"regex:\A\n*([^\n]*)"


def _like_squad_1(name: str, line: str, source: str = _SQUAD_1, **more: Any) -> Preset:
    """The rules of SQuAD 1.1, or with the options given here on top of them."""
    options = {**_AS_SQUAD_1, **more.pop("options", {})}
    defaults = {"measures": ("exact_match", "f1"), "differences": _WITHOUT_GOLDS}
    return Preset(name, line, source, options, **{**defaults, **more})


PRESETS = presets_by_name(
    _like_squad_1(
        name="squad",
        line="SQuAD 1.1, and data sets scored by its script, such as PIAF: the default rules, but gold answers that are empty "
        "after normalisation stay, and two empty texts have F1 0",
        differences=f"{_WITHOUT_GOLDS} The config squad has the keys and the scale of the Hugging Face module squad.",
    ),
    Preset(
        name="squad_v2",
        line="SQuAD 2.0, with questions without an answer: the default rules",
        source="rajpurkar/SQuAD-explorer, evaluate-v2.0.py",
        differences="The script's search for thresholds orders equal probabilities by position, and counts an answer without "
        "words as an answer; the config squad_v2 does so too, and has the keys and the scale of the Hugging Face module squad_v2.",
    ),
    _like_squad_1(
        name="triviaqa",
        line="TriviaQA: punctuation and underscores are spaces; the aliases of an answer are its gold answers",
        source="mandarjoshi90/triviaqa, evaluation/triviaqa_evaluation.py",
        options={"normalizer": "triviaqa"},
    ),
    HOTPOTQA_PRESET,
    DROP_PRESET,
    *(
        _like_squad_1(
            name=f"mlqa:{language}",
            line=f"MLQA (LANG is {', '.join(_MLQA_LANGUAGES)}): punctuation of any script and the articles of the language "
            "are removed; Chinese characters are tokens",
            source="facebookresearch/MLQA, mlqa_evaluation_v1.py",
            options={"normalizer": f"mlqa:{language}"},
        )
        for language in _MLQA_LANGUAGES
    ),
    _like_squad_1(
        name="korquad",
        line="KorQuAD 1.0 in Korean: F1 of characters, without quotes, brackets and ASCII punctuation",
        source="korquad/korquad.github.io, dataset/evaluate-v1.0.py",
        options={"normalizer": "korquad"},
    ),
    _like_squad_1(
        name="search_r1",
        line="questions answered with a search engine (NQ, TriviaQA, PopQA, HotpotQA, 2Wiki, MuSiQue, Bamboogle): the last "
        "<answer> by the rules of SQuAD; contains is a substring",
        source="verl-project/verl, verl/utils/reward_score/search_r1_like_qa_em.py",
        options={"extract": "answer_tag", "unextracted": "zero", "contains": "substring"},
        measures=("exact_match", "contains"),
        differences="The script divides the score of a right answer by 4 if a text has more than 10 <answer> or </answer>; "
        "in qassay it stays 1. Without gold answers the script gives 0; in qassay an empty answer is right. "
        "PeterGriffinJin/Search-R1 needs two <answer>, because its texts begin with the prompt, which has one. "
        "qassay.reward(rules='verl') and rules='search_r1_qa_em' score like these scripts.",
    ),
    _like_squad_1(
        name="flashrag",
        line="the data sets of FlashRAG: SQuAD rules, with F1 0 if one side is yes, no or noanswer and the other "
        "differs; contains (its acc) is a substring",
        source="RUC-NLPIR/FlashRAG, flashrag/evaluator/metrics.py",
        options={"contains": "substring", "whole_answers": ("yes", "no", "noanswer")},
        measures=("exact_match", "f1", "contains", "precision", "recall"),
        differences="Without gold answers the script gives 0; in qassay an empty answer is right. It reads the gold answers of "
        "CuratedTREC as regular expressions; qassay does not.",
    ),
    _like_squad_1(
        name="nq_open",
        line="open-domain Natural Questions (NQ-Open): exact match by the rules of SQuAD, after canonical decomposition (NFD)",
        source="google-research/language, language/orqa/utils/eval_utils.py",
        options={"normalizer": "nfd+lower+ascii_punctuation+articles:en+spaces"},
        measures=("exact_match",),
        differences=f"{_WITHOUT_GOLDS} Common harnesses omit the decomposition.",
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
    ),
    _like_squad_1(
        name="mrqa",
        line="the shared task MRQA 2019: the rules of SQuAD 1.1",
        source="mrqa/MRQA-Shared-Task-2019, mrqa_official_eval.py",
    ),
    _like_squad_1(
        name="xquad",
        line="XQuAD, 11 languages: the rules of SQuAD 1.1 with English articles and ASCII punctuation in every language",
        differences=f"{_WITHOUT_GOLDS} Chinese and Thai answers without blanks are one token, as in the script.",
    ),
    _like_squad_1(
        name="tydiqa",
        line="TyDi QA, the task with gold passages (GoldP), 9 languages: the rules of SQuAD 1.1 with English articles in every language",
        source="google-research/xtreme, third_party/evaluate_squad.py",
        differences=f"{_WITHOUT_GOLDS} The numbers of a paper are often the mean over languages without English: score each language, or "
        "use slices. Passage selection and minimal answers, the primary tasks of TyDi QA, are not scored.",
    ),
    Preset(
        name="fquad",
        line="FQuAD in French: SQuAD rules with the articles un, une, des, le, la, les",
        source="EleutherAI/lm-evaluation-harness, lm_eval/tasks/french_bench/utils.py",
        options={"normalizer": "lower+ascii_punctuation+articles:fquad+spaces", "empty_gold": "keep"},
        measures=("exact_match", "f1"),
        differences="The authors' script is not public; these are the rules of lm_eval, which does not split elision (l'eau) "
        "and reads only the first gold answer. In qassay the best gold answer counts; normalizer=french splits elision.",
    ),
    _like_squad_1(
        name="germanquad",
        line="GermanQuAD: the rules of SQuAD 1.1 with English articles, as its users report it",
        differences=f"{_WITHOUT_GOLDS} GermanQuAD has no script; its authors report FARM's numbers, which use positions of "
        "tokens. normalizer=mlqa:de drops German articles.",
    ),
    _like_squad_1(
        name="sberquad",
        line="SberQuAD in Russian: the rules of SQuAD 1.1",
    ),
    Preset(
        name="jsquad",
        line="JSQuAD of JGLUE in Japanese: lower case, without 。 at the end; F1 of characters, including blanks",
        source="yahoojapan/JGLUE, fine-tuning/patch/transformers-4.24.0_jglue-1.1.0.patch (squad_metrics.py of transformers)",
        options={"normalizer": "lower+full_stop+spaces", "unit": "character"},
        measures=("exact_match", "f1"),
    ),
    MUSIQUE_PRESET,
    TWOWIKI_PRESET,
    GAIA_PRESET,
    COQA_PRESET,
    QUAC_PRESET,
    LOCOMO_PRESET,
    DOCVQA_PRESET,
    ASQA_PRESET,
    *(
        Preset(
            name=name,
            line=f"{what} in Chinese: exact match without punctuation, and F1 of the longest common run of characters and words",
            source="ymcui/cmrc2018, baseline/cmrc2018_evaluate.py",
            rules=CMRC,
            measures=("f1", "exact_match"),
            differences="NLTK splits text that is not Chinese. Letters, digits and % do not need it; other characters need `pip install nltk` (and "
            "its data punkt_tab if a sentence may end inside), and are refused without it. As in the script: , . ! ( ) and % are kept, "
            "and so is …; two empty answers have F1 0. The rows compared do not need NLTK.",
        )
        for name, what in (("cmrc2018", "CMRC 2018"), ("drcd", "DRCD, scored like CMRC 2018,"))
    ),
    _like_squad_1(
        name="longbench",
        line="LongBench, questions in English: F1 by the rules of SQuAD 1.1 (narrativeqa, qasper, multifieldqa_en, hotpotqa, 2wikimqa, "
        "musique)",
        source=_LONGBENCH,
        measures=("f1",),
        differences="The script rounds to two decimals of a per cent. Without gold answers the script gives 0; in qassay an empty answer "
        "is right. ROUGE, counts, retrieved paragraphs, classification and code similarity are not measured.",
    ),
    _like_squad_1(
        name="longbench:triviaqa",
        line="LongBench, triviaqa: like longbench, but only the first non-empty line of the answer counts",
        source=_LONGBENCH,
        options={"extract": _FIRST_LINE},
        measures=("f1",),
        differences="",
    ),
    _like_squad_1(
        name="longbench:zh",
        line="LongBench, multifieldqa_zh: F1 of Chinese words as split by jieba, without punctuation",
        source=_LONGBENCH,
        options={"normalizer": "jieba"},
        measures=("f1",),
        differences="Needs `pip install jieba` (compared with 0.42.1), whose words affect the numbers. As in the script, 《 is kept and 》 is dropped.",
    ),
    TATQA_PRESET,
    KILT_PRESET,
    *(
        Preset(
            name=f"mkqa:{language}",
            line=f"questions in 26 languages (MKQA; LANG is {', '.join(MKQA_LANGUAGES)}): exact match and F1 without the articles of "
            "the language, of characters in Chinese, Japanese, Khmer and Thai",
            source="apple/ml-mkqa, mkqa_eval_util.py",
            options={"normalizer": f"mkqa:{language}", "empty_gold": "keep"},
            measures=("exact_match", "f1", "best_f1"),
            differences="As in the script: French and Italian articles need not be whole words (les becomes s, italia talia), and Arabic articles "
            "are removed anywhere in a word. The script's sweep over no-answer probabilities orders equal probabilities by position, "
            "counts an answer without words as an answer, and gives the threshold 0 if withholding all answers is best "
            "(-inf in qassay); apart from these cases, best_f1 is the same. A question without an answer has no gold answers in qassay, "
            "and one empty gold answer in the script.",
        )
        for language in MKQA_LANGUAGES
    ),
)


def rules_of(options: Mapping[str, Any]) -> Rules | None:
    """The rules of the preset among these keyword arguments of the options; None if it has none, or is unknown."""
    preset = PRESETS.get(options.get("preset") or "")
    return None if preset is None else preset.rules
