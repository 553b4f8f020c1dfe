"""Baselines stored in a repository: the predictions of a released system, against which tests judge a new one."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from ..core.columns import counted
from ..core.shown import describe, first_names
from ..core.writing import write_whole
from ..testing import assert_not_worse

if TYPE_CHECKING:
    from ..registry import MetricName
    from ..stats.margin import MarginVerdict

_MOST_NAMED = 3  # ids in a message
_UPDATE = "--qassay-update-baseline"


class BaselineGate:
    """Judges the predictions of a system against those in a baseline file, or stores them there.

    A baseline is the file `{id: prediction}` in JSON, so a review shows what changes, and `qassay check --baseline` reads
    it too. Both systems are scored at each call, with the options and the gold data of the call.

    Args:
        folder: the folder of the baselines.
        name: the name of the test, after which the file is named.
        update: store the predictions instead of judging them.
    """

    def __init__(self, folder: "str | os.PathLike[str]", name: str, update: bool = False):
        self.folder, self.name, self.update = Path(folder), name, update
        self._of_calls: dict[Path, bytes] = {}  # file -> the predictions that this test compared with it

    def __call__(
        self,
        metric: "MetricName",
        predictions: Mapping[Any, Any],
        references: Mapping[Any, Any],
        measure: str,
        *,
        margin: float,
        name: str | None = None,
        confidence: float = 0.95,
        groups: Any = None,
        common: bool = False,
        count_absent: bool = False,
        **options: Any,
    ) -> "MarginVerdict | None":
        """Assert that a system is at most `margin` worse than its baseline.

        Args:
            metric, predictions, references, options: as in `qassay.score`; predictions and references have ids.
            measure, margin, confidence, groups: as in `qassay.testing.assert_not_worse`.
            name: the name of the baseline; None: the name of the test. Required if one test judges several systems: two
                calls with one name must have the same predictions.
            common: True: judge by the questions that both systems answered. False: refuse questions that one of them did
                not answer.
            count_absent: True: judge by all questions; an absent answer counts as wrong.

        Returns:
            The verdict; None if the baseline was stored.

        Raises:
            AssertionError: the system is worse, or too few examples cannot exclude it. FileNotFoundError: the baseline
                does not exist. ValueError: a file that is not a baseline, questions without an answer, or predictions
                that differ from an earlier call with this name. TypeError: columns without ids, or predictions that
                JSON cannot represent.
        """
        __tracebackhide__ = True  # hides this frame: pytest then shows the line of the test
        from ..scoring import score

        for column, given in (("predictions", predictions), ("references", references)):
            if not isinstance(given, Mapping):
                raise TypeError(
                    f"{column} must be a dict by id, so that a baseline stays with its questions; got {describe(given)}"
                )
        path = self.path(name)
        by_id = {str(identifier): prediction for identifier, prediction in predictions.items()}
        golds = {str(identifier): gold for identifier, gold in references.items()}
        content = _as_json({key: by_id.get(key) for key in golds})
        if self._of_calls.setdefault(path, content) != content:
            raise ValueError(
                f"this test has judged other predictions by {path} already, and a file holds one baseline; give each call a "
                "distinct name, such as name='small'"
            )
        if self.update:
            score(metric, by_id, golds, **options)  # refuse input that could not be judged later
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, content)
            return None
        stored = _read(path)
        lacking = [key for key in golds if key not in stored]
        if common:
            golds = {key: gold for key, gold in golds.items() if key in stored}
            by_id = {key: one for key, one in by_id.items() if key in golds}
        elif lacking:
            raise ValueError(
                f"{path} lacks {counted(len(lacking), 'questions')} of this test ({first_names(lacking, _MOST_NAMED)}); run pytest "
                f"{_UPDATE} with the released system, or give common=True to judge by the questions that both have"
            )
        known = {key: one for key, one in stored.items() if key in golds and one is not None}
        new, old = (score(metric, given, golds, **options) for given in (by_id, known))
        return assert_not_worse(
            new,
            old,
            measure,
            margin=margin,
            confidence=confidence,
            groups=groups,
            common=common,
            count_absent=count_absent,
        )

    def path(self, name: str | None = None) -> Path:
        """The baseline file, named after `name` or after the test; two tests in a folder never share a file."""
        module, _, test = (self.name if name is None else f"::{name}").partition("::")
        text = quote(".".join(filter(None, [module.replace("/", "."), test])), safe=" ()[]{},=+-")
        return self.folder / f"{text}.json"


def _as_json(predictions: Mapping[str, Any]) -> bytes:
    try:
        text = json.dumps(predictions, ensure_ascii=False, indent=1, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise TypeError(f"a baseline is stored as JSON, which cannot hold these predictions: {error}") from None
    return f"{text}\n".encode("utf-8", "backslashreplace")


def _read(path: Path) -> dict[str, Any]:
    try:
        stored = json.loads(path.read_bytes())
    except FileNotFoundError:
        raise FileNotFoundError(
            f"there is no baseline {path}; run pytest {_UPDATE} with the released system, and commit the file"
        ) from None
    except ValueError as error:
        stored = error
    if not isinstance(stored, dict):
        raise ValueError(f"{path} must be {{id: prediction}} in JSON; run pytest {_UPDATE} with the released system")
    return stored
