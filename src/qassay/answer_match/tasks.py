"""The tasks of answer_match that have their own rules, by name."""

from collections.abc import Mapping
from typing import Any

from .presets import PRESETS
from .rules import Task
from .rules.asqa import ASQA
from .rules.cmrc import CMRC
from .rules.conversations import COQA, QUAC
from .rules.docvqa import DOCVQA
from .rules.drop import DROP
from .rules.gaia import GAIA
from .rules.hotpotqa import HOTPOTQA
from .rules.kilt import KILT
from .rules.klue import KLUE
from .rules.longbench import COUNTS, PARAGRAPHS, PARAGRAPHS_ZH
from .rules.multispanqa import MULTISPANQA
from .rules.musique import MUSIQUE
from .rules.tatqa import TATQA
from .rules.twowiki import TWOWIKI

OWN_RULES: dict[str, Task] = {  # besides "answers"
    "drop": DROP,
    "hotpotqa": HOTPOTQA,
    "asqa": ASQA,
    "cmrc2018": CMRC,
    "coqa": COQA,
    "quac": QUAC,
    "tatqa": TATQA,
    "docvqa": DOCVQA,
    "kilt": KILT,
    "longbench:count": COUNTS,
    "longbench:retrieval": PARAGRAPHS,
    "longbench:retrieval_zh": PARAGRAPHS_ZH,
    "multispanqa": MULTISPANQA,
    "2wiki": TWOWIKI,
    "gaia": GAIA,
    "klue": KLUE,
    "musique": MUSIQUE,
}


def task_of(options: Mapping[str, Any]) -> Task | None:
    """The task for these keyword arguments of the options; None for "answers" and for an unknown name."""
    preset = PRESETS.get(options.get("preset") or "")
    name = options.get("task") or (None if preset is None else preset.options.get("task"))
    return OWN_RULES.get(name or "answers")
