"""The descriptor of answer_match."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..core.examples import Examples, first_answers, of_examples, said
from ..core.family import Family
from ..core.family_telling import PASSAGE_GROUPS, ErrorKinds, Sides, Slices, Telling
from .about import MEANINGS, SMALLEST, SMALLEST_ROWS
from .nothing_left import EXACT_WITHOUT_F1, NOTHING_LEFT, WORDS_OF_EXACT_WITHOUT_F1, WORDS_OF_NOTHING_LEFT

if TYPE_CHECKING:
    from ..core.file_columns import Gold
    from ..core.scores import Scores


class TextsTelling(Telling):
    """Shared by families that score texts against gold answers: slices by gold answer, and examples."""

    groups: tuple[str, ...] = ("has_answer_", "no_answer_")
    usual_slices: tuple[str, ...] = ("question_word", "answer_length", "answer_type", "gold_count", "has_answer")
    report_slices = ("has_answer", "question_word", "answer_type", "answer_length")
    group_names = PASSAGE_GROUPS
    examples_name = "questions"
    answers_are = ("texts",)

    def slices(self, gold: "Gold", scores: "Scores") -> Slices:
        """Slices by kind of error, by question word, and by gold answers."""
        from .gold_slices import answer_length, answer_type, gold_count
        from .gold_texts import gold_texts

        return {
            **super().slices(gold, scores),
            "answer_type": lambda: of_examples(answer_type(gold_texts(gold)), gold, scores),
            "answer_length": lambda: of_examples(answer_length(gold_texts(gold)), gold, scores),
            "gold_count": lambda: of_examples(gold_count(gold_texts(gold)), gold, scores),
        }

    def note_words(self, options: Any) -> Mapping[str, str]:
        if options.extract is None:
            return super().note_words(options)
        scored = {"zero": "scored 0", "empty": "scored as the empty answer", "whole": "scored as a whole"}
        told = f"without an answer to extract: {scored.get(options.unextracted, 'refused')}"
        return {**super().note_words(options), "unextracted": told}

    def sides(self, examples: Examples) -> Sides:
        """For ranked answers, the first k (the largest `top_k`); the spans of DROP are one answer. Positions are shown
        as text if the gold file has the context. Withheld answers are omitted.
        """
        from ..core.extraction import text_to_score
        from .fields import is_span

        golds, contexts = _golds_of(examples)
        options = examples.scores.options
        ranks = getattr(options, "top_k", None)
        answers = []
        for row, answer, context in zip(examples.rows, _given_answers(examples), contexts, strict=True):
            several = isinstance(answer, (list, tuple)) and not is_span(answer)
            parts = [_text(part, context) for part in (answer if several else [answer])]
            if options.extract is not None:
                parts = [text_to_score(options, part) for part in parts]
            shown = first_answers(parts, max(ranks)) if ranks else said([" ".join(said(parts))])
            answers.append([] if _is_withheld(examples.scores, row) else shown)
        return golds, answers

    def whole_texts(self, examples: Examples) -> list[str | None]:
        if examples.scores.options.extract is None:
            return super().whole_texts(examples)
        return _given_answers(examples)

    def answer_cells(self, examples: Examples) -> dict[str, tuple[str, list]]:
        """The original answer, even if a threshold withholds it; ranked answers and several spans as a JSON list; None
        if the system has no answer. With the option `extract`, also the extracted answer.
        """
        golds, _ = _golds_of(examples)
        texts = [
            answer if answer is None or isinstance(answer, str) else json.dumps(answer, ensure_ascii=False, default=str)
            for answer in _given_answers(examples)
        ]
        cells: dict[str, tuple[str, list]] = {"gold_answers": ("list<string>", golds), "prediction": ("string", texts)}
        extract = examples.scores.options.extract
        if extract is not None:
            cells["extracted"] = ("string", [None if text is None else extract(text) for text in texts])
        return cells


class AnswerTelling(TextsTelling):
    """Slices by question and by gold answer, groups by answerability."""

    meanings = MEANINGS
    titles = {
        "contains": "Contains a gold answer",
        "str_em": "STR-EM",
        "str_hit": "STR-hit",
        "r_precision": "R-precision",
    }
    at_cut_off = "; the best of the first {k} answers"
    groups = (*TextsTelling.groups, "best_", "joint_")
    usual_slices = (*TextsTelling.usual_slices, "error_kind")
    system_slices = (*TextsTelling.system_slices, "abstained")

    @property
    def errors(self) -> ErrorKinds:
        from .error_kinds import ANSWER_ERRORS

        return ANSWER_ERRORS

    @property
    def answerability(self) -> Any:
        from . import answerability

        return answerability

    def usual_measures(self, scores: "Scores") -> list[str]:
        """Exact match, F1 and containment; the first two also for questions with and without an answer if there are
        both; the best over thresholds. With a preset, its measures.
        """
        named = self._of_preset(scores)
        if named:
            return named
        counts = scores.counts()
        both = counts.get("has_answer_total", 0) > 0 and counts.get("no_answer_total", 0) > 0
        groups: dict[str, list[str]] = {"": [], "joint_": [], "has_answer_": [], "no_answer_": [], "best_": []}
        for name in scores.measures:
            group = next((prefix for prefix in groups if prefix and name.startswith(prefix)), "")
            stem = name.removeprefix(group).partition("@")[0].removesuffix("_threshold").removeprefix("sp_")
            if (
                stem in ("exact_match", "f1")
                and (both or not group.endswith("answer_"))
                or name.partition("@")[0] == "contains"
            ):
                groups[group].append(name)
        return [name for names in groups.values() for name in names]

    def main_measures(self, scores: "Scores") -> list[str]:
        """Exact match and F1, at every k; with a preset, its first two measures."""
        return self._of_preset(scores)[:2] or [
            name for name in scores.measures if name.partition("@")[0] in ("exact_match", "f1")
        ]

    def _of_preset(self, scores: "Scores") -> list[str]:
        """The measures of the preset, at every k; [] without a preset, or if the preset has none."""
        preset = scores.options.of_preset
        wanted = () if preset is None else preset.measures
        return [name for stem in wanted for name in scores.measures if name.partition("@")[0] == stem]

    def note_words(self, options: Any) -> Mapping[str, str]:
        words = super().note_words(options)
        if options.preset == "hotpotqa":
            words = {
                **words,
                "missing": "without an answer: scored 0",
                "skipped": "without an answer: omitted",
                "missing_facts": "without supporting facts: the facts and the joint scores are 0",
            }
        return {**words, NOTHING_LEFT: WORDS_OF_NOTHING_LEFT, EXACT_WITHOUT_F1: WORDS_OF_EXACT_WITHOUT_F1}

    def gold_offsets(self, gold: "Gold", place: int) -> dict[str, int | None]:
        return answer_offsets(gold, place)


class AnswerMatchFamily(Family):
    """Answers against gold answers."""

    name = "answer_match"
    source = "the evaluation script of SQuAD 2.0; the scripts of other benchmarks for their presets and files"
    function = "score_answers"
    options = "AnswerMatchOptions"
    known_as = {
        "em": "the measure exact_match of answer_match",
        "exact_match": "a measure of answer_match",
        "f1": "a measure of answer_match (of classes: macro_f1, micro_f1 and weighted_f1 of label_metrics)",
        "mkqa": "the presets mkqa:LANG of answer_match, such as mkqa:de",
        "anls": 'a measure of answer_match with preset="docvqa"',
        "heq": 'heq_q and heq_d of answer_match with preset="quac"',
        "accuracy": "exact_match of answer_match for answers, accuracy of label_metrics for labels",
    }
    smallest = SMALLEST
    scores_outputs = True
    telling = AnswerTelling()

    def gold_of_file(self, gold: "Gold") -> "Gold":
        from .gold_texts import without_empty

        return without_empty(gold)

    def columns_of_files(self, gold: "Gold", predictions: Mapping[str, Any]) -> dict[str, Any]:
        """With what the preset reads besides answers, from columns with these names."""
        from .presets import rules_of

        rules, there = rules_of(gold.options), {**gold.details, **gold.more}
        found = {name: there[name] for name in (rules.kind.gold_details if rules else ()) if name in there}
        return {**gold.columns, **({"gold_details": found} if found else {}), **predictions}

    def gold_answers(self, references: Sequence, ids: Sequence | None = None) -> list[list[str]]:
        """The gold answers of each row as texts, from any layout."""
        from ..core.answers import text_fields
        from ..core.intake import check

        columns = {"predictions": [""] * len(references), "references": references, "ids": ids}
        _, gold = check(text_fields(None), columns)
        return gold.columns["references"]

    def one(self, options: Any) -> Callable[..., dict[str, float] | None] | None:
        from .one import one_answer

        return one_answer(options)

    def smallest_rows(self, options: Any) -> list[Mapping[str, Any]]:
        """Also with facts, evidences and dialog turns, which are optional in some presets."""
        return [*super().smallest_rows(options), *SMALLEST_ROWS]

    def score_config(self, name: str, columns: Mapping[str, Any], options: Mapping[str, Any]) -> "Scores":
        from .scoring import score_answers_as

        return score_answers_as(name, columns, options)


def answer_offsets(gold: "Gold", place: int) -> dict[str, int | None]:
    """`Telling.gold_offsets` of gold answers with a start; a row is the answers, or has them under "answers"."""
    row = gold.columns["references"][place]
    answers = row.get("answers") if isinstance(row, Mapping) else row
    offsets: dict[str, int | None] = {}
    for answer in answers if isinstance(answers, (list, tuple)) else []:
        if isinstance(answer, Mapping) and isinstance(answer.get("text"), str):
            offsets.setdefault(answer["text"], answer.get("answer_start", answer.get("start")))
    return offsets


def _golds_of(examples: Examples) -> tuple[list[list[str]], list[str | None]]:
    """The gold answers of selected examples as texts, and their contexts."""
    from .gold_texts import gold_texts

    there = examples.gold.details.get("context")
    contexts = [there[place] if there else None for place in examples.places]
    golds = zip(gold_texts(examples.gold, examples.places), contexts, strict=True)
    return [[_text(answer, context) for answer in row] for row, context in golds], contexts


def _given_answers(examples: Examples) -> list[Any]:
    """The answers of the system to selected examples; None if missing."""
    from ..core.intake import field_of, rows_of_dicts

    given: Any = examples.predictions["predictions"]
    answers: Any = field_of(given, "prediction_text", "predictions") if rows_of_dicts(given, "predictions") else given
    return [None if place is None else answers[place] for place in examples.given_places]


def _text(answer: Any, context: str | None) -> str:
    """An answer, or one span of it, as text."""
    if isinstance(answer, str) or answer is None:
        return answer or ""
    from .fields import is_span

    if not isinstance(answer, (list, tuple)) or not is_span(answer):
        return str(answer)
    start, end = answer
    return f"{start}-{end}" if context is None else context[start:end]


def _is_withheld(scores: "Scores", row: int) -> bool:
    threshold = getattr(scores.options, "no_answer_threshold", None)
    return threshold is not None and scores.columns["no_answer_probability"][row] > threshold


FAMILY = AnswerMatchFamily()
