"""The quick check: one answer against its gold answers."""

import gradio as gr

from .. import score
from ..pages.limits import MAX_VALUES_OF_ROW, InputError
from ..reports.token_difference import closest_gold, mark_difference
from .handlers import PRIVATE, guarded
from .pasted import lines_of
from .score_view import quick_html

_LONGEST = 20_000  # characters
_EXACT = ("exact_match", "f1", "precision", "recall")


def check_answer(answer: str, golds: str) -> str:
    """One answer as HTML: its values, and word by word what it has in common with the nearest gold answer.

    An empty answer is none, and without gold answers (one per line) no answer is right.
    """
    if max(len(answer), len(golds)) > _LONGEST:
        raise InputError(f"an answer of more than {_LONGEST:,} characters is too long here; upload a file")
    right = [line for line in lines_of(golds) if line]
    if len(right) > MAX_VALUES_OF_ROW:
        raise InputError(f"{len(right):,} gold answers are too many; at most {MAX_VALUES_OF_ROW:,}")
    answer = answer.strip()
    exact = score("answer_match", [answer], [right]).summary(_EXACT)
    near = score("semantic_answer_similarity", [answer], [right], model="lite").summary(["sas"])
    gold = closest_gold(answer, right)
    return quick_html({**exact, **near}, mark_difference(answer, gold), gold)


def build_quick_check() -> None:
    """Its components and event."""
    with gr.Accordion("Quick check of one answer", open=False):
        with gr.Row():
            answer = gr.Textbox(label="Answer", info="Empty for no answer", lines=2, elem_id="quick_answer")
            golds = gr.Textbox(
                label="Gold answers", info="One per line; empty where no answer is right", lines=2, elem_id="quick_gold"
            )
        button = gr.Button("Check", size="sm")
        result = gr.HTML(elem_id="quick")
    button.click(guarded(check_answer), [answer, golds], result, **PRIVATE)
