"""The columns of a data set that a reward reads."""

import dataclasses
import inspect
from collections.abc import Mapping
from typing import Any

from ..core.options import did_you_mean
from ..core.remarks import remark
from ..core.shown import describe, keys_of, shown
from ..files.reading import QUESTION_NAMES
from ..files.tables import USUAL_NAMES
from ..registry import Family

_NOT_OF_ONE = ("predictions", "ids", "weights", "groups", "options")
_QUESTION_NAMES = ("questions", *QUESTION_NAMES, "problem")
_GOLD_NAMES = ("answer", *USUAL_NAMES["references"], "solution", "solutions", "reward_model")


def roles_named(columns: Mapping[str, str] | None, family: Family) -> dict[str, str]:
    """Role -> the column of the data set, checked; {} for None."""
    roles = [role for role in inspect.signature(family.load()[0]).parameters if role not in _NOT_OF_ONE]
    if not isinstance(columns or {}, Mapping):
        raise TypeError(
            f"columns must be a dict role -> column, such as {{'references': 'gold'}}; got {describe(columns)}"
        )
    for role, name in (columns or {}).items():
        if role not in roles:
            raise ValueError(
                f"no role {shown(role)} of columns{did_you_mean(role, roles)}; available: {', '.join(roles)}"
            )
        if not isinstance(name, str):
            raise TypeError(f"columns: the role {role} needs the name of a column, got {describe(name)}")
    return dict(columns or {})


@dataclasses.dataclass(frozen=True)
class RewardColumns:
    """Which columns a reward reads.

    Attributes:
        roles: role -> the name of its column, as given.
        needs_golds: the reward scores answers.
        reads_questions: the metric has a column of questions.
    """

    roles: Mapping[str, str]
    needs_golds: bool
    reads_questions: bool

    def of_golds(self, columns: Mapping[str, Any]) -> str | None:
        """The name of the column of gold answers; None if none is needed."""
        if not self.needs_golds:
            return None
        named = self.roles.get("references")
        found = [named] if named is not None else [name for name in _GOLD_NAMES if name in columns]
        if len(found) != 1 or found[0] not in columns:
            told = "no column of gold answers" if len(found) < 2 else f"{' and '.join(found)} may be the gold answers"
            told = told if named is None else f"no column {shown(named)}"
            raise ValueError(f'{told}; name it with columns={{"references": NAME}}; available: {keys_of(columns)}')
        return found[0]

    def further(self, columns: Mapping[str, Any]) -> dict[str, Any]:
        """The further columns of the metric, by role; empty if no answer is scored."""
        if not self.roles and not self.reads_questions:
            return {}
        roles = {role: name for role, name in self.roles.items() if role != "references"}
        if self.needs_golds and self.reads_questions and "questions" not in roles:
            found = [name for name in _QUESTION_NAMES if name in columns]
            if len(found) > 1:
                told = f'{" and ".join(found)} may be the questions; name them with columns={{"questions": NAME}}'
                raise ValueError(f"{told}; available: {keys_of(columns)}")
            if not found:
                names = ", ".join(_QUESTION_NAMES)
                told = (
                    f"no column of questions ({names}): answers are scored without questions, which gives other numbers"
                )
                remark(f'{told}; name it with columns={{"questions": NAME}}')
            roles |= {"questions": name for name in found}
        absent = [name for name in roles.values() if name not in columns]
        if absent:
            raise ValueError(f"no column {shown(absent[0])}; available: {keys_of(columns)}")
        return {role: columns[name] for role, name in roles.items()}
