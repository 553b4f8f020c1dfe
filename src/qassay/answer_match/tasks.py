"""The tasks of answer_match that have their own rules, by name."""

from collections.abc import Mapping
from typing import Any

from .asqa import ASQA
from .cmrc import CMRC
from .conversations import COQA, QUAC
from .docvqa import DOCVQA
from .drop import DROP
from .gaia import GAIA
from .hotpotqa import HOTPOTQA
from .kilt import KILT
from .klue import KLUE
from .longbench import COUNTS, PARAGRAPHS, PARAGRAPHS_ZH
from .multispanqa import MULTISPANQA
from .musique import MUSIQUE
from .presets import PRESETS
from .task import Task
from .tatqa import TATQA
from .twowiki import TWOWIKI

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
