"""Submissions to a leaderboard with hidden gold answers: refusals with their messages, and scores.

Messages contain text of the submission and, if the organiser allows it, ids of examples; never gold answers or the
path of their file.
"""

import dataclasses
import logging
import os
import re
import traceback
import unicodedata
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from ..core.columns import counted, to_list
from ..core.errors import column_to_blame
from ..core.file_columns import Gold
from ..core.hints import worded
from ..core.scores import Scores
from ..core.shown import first_names, shown, visible
from ..files.content import Content
from ..files.roles import column_names
from ..labelling import slice_labels, with_groups
from ..pages.limits import InputError, check_amount
from ..pages.uploads import SYSTEM, read_checked, upload_of
from ..registry import Family, find_preset, get_family, sorted_options
from ..scoring import read_gold_for, score_golds, unmatched_ids
from ..system_files import system_files
from .about import check_link
from .build import options_of_board
from .public_slices import check_public, public_labels
from .settings import BoardSettings

LONGEST_NAME = 60  # characters of the name of a system or a team
LONGEST_LINK = 300
BASELINE = "baseline"  # the team of the organiser's own systems
# Letters that look like Latin letters: Cyrillic, Greek, phonetic.
_LATIN = str.maketrans(
    "\u0410\u0412\u0415\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0423\u0425\u0405\u0406\u0408\u051a\u051c\u04c0"
    "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0455\u0456\u0458\u04bb\u0501\u051b\u051d\u04cf"
    "\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7"
    "\u03b1\u03b3\u03b9\u03ba\u03bd\u03bf\u03c1\u03c4\u03c5\u03c7"
    "\u0251\u0261\u0131\u0269",
    "ABEKMHOPCTYXSIJQWI" + "aeopcyxsijhdqwl" + "ABEZHIKMNOPTYX" + "ayikvoptux" + "agii",
)
_BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0" + "".join(map(chr, range(0xFE00, 0xFE10))))
_NAMED_IDS = 3
_ID = ("ids", "an id")
_LOG = logging.getLogger(__name__)
_NONE = np.zeros(0, bool)
_CURE_OF_OTHERS = re.compile(r",? or (give )?the option .*$")  # options are the organiser's
_FOR_TEAMS = (  # advice for organisers in messages -> text for teams
    (re.compile(r"[,;]? ?(?:for ranked lists of answers )?give the option top_k[^;]*"), "; give one answer for each"),
    (re.compile(r" \(for more than this page takes, install qassay and use its command line\)"), ""),
    (re.compile(r",? or say which counts:[^;]*"), ""),
    (re.compile(r"\bmust be str\b"), "must be text"),
    (re.compile(r"\bmust be text or int\b"), "must be text or an integer"),
    (re.compile(r"\bgot (?:int|float)\b"), "got a number"),
    (re.compile(r"\bgot (list|dict)\b"), r"got a \1"),
    (re.compile(r"\bgive one string\b"), "give one text"),
    (re.compile(r"\bevery example a string\b"), "every example a text"),
    (re.compile(r"\b1 predictions have ids\b"), "1 prediction has an id"),
)
_LEFT_OUT = "…"  # replaces a secret id
_FAULT = "the submission cannot be scored, and the reason is not one that can be told here; ask the organisers"


class Refused(ValueError):
    """A refused submission; the message says what is wrong and what to do. The board is unchanged."""


@dataclasses.dataclass(frozen=True)
class Submission:
    """A submission.

    Attributes:
        path: of the file of predictions on the server; file_name: its name on the submitter's machine.
        system, team: as on the board; link: address of a page about the system, or "".
        user: the submitter: the name of an account, or a network address.
    """

    path: str
    file_name: str
    system: str
    team: str = ""
    link: str = ""
    user: str = ""


@dataclasses.dataclass(frozen=True)
class ScoredSubmission:
    """An acceptable submission with its scores.

    Attributes:
        scores: of all examples.
        slices: slice -> the label of each example.
        told: what was counted, in words.
    """

    scores: Scores
    slices: Mapping[str, list[str]]
    told: list[str]


@dataclasses.dataclass(frozen=True)
class HiddenTask:
    """The settings and the gold data that submissions are scored with.

    Attributes:
        gold_path: of the hidden gold file.
        golds: metric -> gold, of one metric.
        options: metric -> options that override the gold file's.
    """

    settings: BoardSettings
    gold_path: str
    golds: Mapping[str, Gold]
    options: Mapping[str, Mapping[str, Any]]

    @property
    def metric(self) -> str:
        return next(iter(self.golds))

    @property
    def family(self) -> Family:
        return get_family(self.metric)

    @property
    def gold(self) -> Gold:
        return self.golds[self.metric].with_options(self.options.get(self.metric, {}))

    def signature(self) -> str:
        """The signature of the options for scoring."""
        _, options_class = self.family.load()
        return str(options_class.from_keywords(**self.gold.options).signature())

    @cached_property
    def ids(self) -> frozenset[str]:
        """The ids of the gold data as text."""
        return frozenset(map(str, _ids_of(self.gold)))

    def score(self, path: str, file_name: str) -> ScoredSubmission:
        """Score a file of predictions.

        Raises:
            Refused: the file is too large, packed, hostile, not a file of predictions, or does not fit the gold data.
        """
        settings = self.settings
        _check_size(path, file_name, settings.limits.file_mb)
        try:
            upload = upload_of(read_checked(path, file_name), file_name, SYSTEM, self.family.reading.kinds)
            scores, unknown = self._scores(upload.content)
            slices = {name: public_labels(slice_labels(self.gold, scores, name)) for name in settings.by}
        except (ValueError, TypeError, RecursionError, OverflowError, MemoryError, UnicodeError) as error:
            raise Refused(self._words(error, path, file_name)) from None
        except Exception as error:
            stack = "".join(traceback.format_tb(error.__traceback__))
            _LOG.error(
                "a submission cannot be scored: %s\n%s", type(error).__name__, stack
            )  # its text may quote gold answers
            raise Refused(f"{file_name}: {_FAULT}") from None
        told = self._checked_ids(scores, unknown, file_name)
        self._check_all_scored(scores, file_name)
        return ScoredSubmission(scores, slices, told)

    def _scores(self, content: Content) -> tuple[Scores, list[Any]]:
        """The scores, and the ids of the submission that are unknown."""
        names = column_names(self.settings.columns)
        # Gold answers in the submission are ignored: comparing them with the hidden answers would disclose these.
        files = system_files(self.golds, None, [content], names, ["submission"], is_compared=True)
        if len(files) > 1:
            columns = ", ".join(file.name for file in files)
            raise InputError(f"this table holds several systems ({columns}); submit one file for each")
        (scored,) = score_golds(
            self.golds,
            files,
            options=self.options,
            measures=list(self.settings.measures) or None,
            by=self.settings.by,
            check=check_amount,
            groups=self.settings.groups or None,
        )
        (system,) = scored.systems.values()
        predictions = system.columns.get("predictions")
        if self.ids and isinstance(predictions, list) and not any(isinstance(row, Mapping) for row in predictions):
            raise InputError(
                "the predictions have no ids; give the id of its example with each, such as in a column id"
            )
        return system.scores, unmatched_ids(system)

    def _words(self, error: Exception, path: str, file_name: str) -> str:
        """The message of an error without hidden data."""
        if isinstance(error, (RecursionError, OverflowError, MemoryError, UnicodeError)):
            return f"{file_name}: this file cannot be read: it is nested too deeply, or a number or text in it is broken or too long"
        gold_columns = self.family.reading.gold_columns
        is_of_gold = column_to_blame(error.__cause__) in gold_columns or column_to_blame(error) in gold_columns
        words = worded(error, "submission", {self.gold_path: "the gold data", path: file_name})
        folder = os.path.dirname(os.path.abspath(self.gold_path))
        if is_of_gold or folder in words or os.path.dirname(path) in words:
            return f"{file_name}: {_FAULT}"
        words = _CURE_OF_OTHERS.sub("", words)
        for advice, instead in _FOR_TEAMS:
            words = advice.sub(instead, words)
        if not self.settings.name_ids:
            words = re.sub(r"'([^']*)'|\"([^\"]*)\"", self._without_id, words)
        return words if file_name in words else f"{file_name}: {words}"

    def _without_id(self, match: "re.Match[str]") -> str:
        return f"'{_LEFT_OUT}'" if (match[1] or match[2]) in self.ids else match[0]

    def _checked_ids(self, scores: Scores, unknown_ids: Sequence[Any], file_name: str) -> list[str]:
        """Counts of ids and answers in words; Refused for missing or unknown ids if the settings forbid them."""
        settings, told = self.settings, []
        missing = [scores.ids[row] for row in scores.subsets.get("missing", _NONE).nonzero()[0].tolist()]
        unknown = scores.notes.get("unmatched", 0)
        if missing:
            of = f"{len(missing):,} of {scores.n_examples:,} examples {'has' if len(missing) == 1 else 'have'} no prediction"
            words = of + self._named(missing)
            if settings.missing == "refuse":
                raise Refused(f"{file_name}: {words}; submit predictions of all examples")
            told.append(f"{words}; {'it counts' if len(missing) == 1 else 'they count'} as wrong")
        if unknown:
            ids = f"{counted(unknown, 'predictions')} with {_ID[unknown == 1]} that the gold data do not have"
            ids += _some_ids(unknown_ids) if unknown_ids else ""
            if settings.unknown == "refuse":
                raise Refused(f"{file_name}: {ids}; remove what is unknown, or submit the predictions of this set")
            told.append(f"ignored: {ids}")
        empty = int((scores.subsets.get("abstained", _NONE)).sum()) - len(missing)
        if empty > 0:
            told.append(f"{empty:,} empty {'prediction' if empty == 1 else 'predictions'}")
        return told

    def _check_all_scored(self, scores: Scores, file_name: str) -> None:
        """Refuse scores that cannot be ranked with others: other examples, or a missing measure of the board."""
        if self.ids and frozenset(map(str, scores.ids)) != self.ids:
            raise Refused(
                f"{file_name}: {scores.n_examples:,} examples are scored, and the gold data have {len(self.ids):,}; ask the "
                "organisers"
            )
        try:
            require_intervals(scores, self.settings.measures)
        except ValueError as error:
            raise Refused(f"{file_name}: {error}") from None

    def _named(self, ids: Sequence[Any]) -> str:
        if not self.settings.name_ids:
            return ""
        return _some_ids(ids)


def _some_ids(ids: Sequence[Any]) -> str:
    return f" ({first_names([visible(str(one)[:60]) for one in ids], _NAMED_IDS)})"


def open_task(settings: BoardSettings, folder: "str | os.PathLike[str]") -> HiddenTask:
    """Read the gold data of a leaderboard and check the settings with them.

    Args:
        folder: base of the relative path of the gold file.

    Raises:
        ValueError: no such file or metric, or unknown options, measures, slices or groups. The message is for the organiser
            and may name the file.
    """
    path = os.path.join(folder, settings.gold)
    if not os.path.isfile(path):
        raise ValueError(f"gold: there is no file {path}; name one relative to the file of the settings")
    metric = settings.metric or (find_preset(settings.preset)[0] if settings.preset else None)
    if metric is not None:
        get_family(metric)
    golds = read_gold_for(metric, path, column_names(settings.columns))
    given = {**settings.options, **({"preset": settings.preset} if settings.preset else {})}
    options = {**options_of_board(get_family(next(iter(golds)))), **given}
    task = HiddenTask(settings, path, golds, sorted_options(golds, options))
    if task.gold.columns.get("references") is None:
        raise ValueError(
            f"{path}: this table has no gold answers apart from predictions, so it cannot be hosted (tables of labels "
            "cannot); give a file of gold answers alone"
        )
    for name in settings.by:
        if name in task.family.telling.system_slices:
            raise ValueError(
                f"by: the slice {name!r} depends on what a system answers; name slices of the examples themselves"
            )
    _, options_class = task.family.load()
    own_options = options_class.from_keywords(**task.gold.options)
    task.family.prepare(own_options)
    if task.family.scores_outputs and not hasattr(task.gold.columns["references"], "shape"):
        blank = task.family.score_blank(task.gold.columns["references"], task.gold.ids, options=own_options)
        require_intervals(blank, settings.measures)
        for name in settings.by:
            check_public(name, slice_labels(task.gold, blank, name))
        if settings.groups:
            with_groups(task.gold, blank, settings.groups)
    return task


def require_intervals(scores: Scores, measures: Sequence[str]) -> None:
    """Refuse measures that cannot rank systems.

    Raises:
        ValueError: unknown measure, or one without an interval, such as a count.
    """
    for name in scores.measure_names(measures):
        if not scores.measures[name].has_interval:
            raise ValueError(
                f"measures: {name} has no interval, so systems cannot be ranked by it; name another measure"
            )


def check_names(submission: Submission, taken: Collection[str]) -> Submission:
    """The submission with names and a link fit for the public board.

    Args:
        taken: names of systems on the board.

    Raises:
        Refused: an empty or long name, a name of a system that is taken or looks like another (`name_keys`), the team of the
            organisers, or an invalid link.
    """
    system, team = clean_name(submission.system), clean_name(submission.team)
    if not system:
        raise Refused("the name of the system is missing; give one that can be shown")
    for what, name in (("system", system), ("team", team)):
        if len(name) > LONGEST_NAME:
            raise Refused(f"the name of the {what} has {len(name)} characters; at most {LONGEST_NAME}")
    if name_keys(team) & name_keys(BASELINE):
        raise Refused(f"the team {shown(team)} is the organisers' own; give the name of your team")
    keys = name_keys(system)
    if any(keys & name_keys(name) for name in taken):
        raise Refused(f"the name {shown(system)} is taken; give another name of the system, such as one with a version")
    link = submission.link.strip()
    if link:
        if len(link) > LONGEST_LINK:
            raise Refused(f"the link has {len(link)} characters; at most {LONGEST_LINK}")
        try:
            check_link(link)
        except ValueError as error:
            raise Refused(str(error)) from None
    return dataclasses.replace(submission, system=system, team=team, link=link)


def clean_name(name: str) -> str:
    """A name in one line without invisible characters, such as marks that reverse the direction of text.

    Example:
        >>> clean_name(" large\\n\\u202emodel ")
        'large model'
    """
    plain = "".join(one if one.isprintable() and one not in _BLANK else " " for one in name[:1_000])
    return " ".join(plain.split())


def name_keys(name: str) -> frozenset[str]:
    """The keys for comparing names; names with a common key look alike.

    One key is the name without case, spaces, width of letters and kinds of dashes; the other also replaces Cyrillic, Greek
    and phonetic letters by the Latin letters that they resemble.

    Example:
        >>> bool(name_keys("BERT-base") & name_keys("\\uff22ert\\u2010 base"))
        True
    """
    plain = "".join(unicodedata.normalize("NFKC", name).split())
    plain = "".join("-" if unicodedata.category(one) == "Pd" or one == "\u2212" else one for one in plain)
    return frozenset(
        unicodedata.normalize("NFKC", text.casefold()) for text in (plain, plain.translate(_LATIN).casefold())
    )


def _check_size(path: str, file_name: str, most: int) -> None:
    size = os.path.getsize(path)
    if size > most * 1_000_000:
        raise Refused(f"{file_name}: {size / 1e6:,.1f} MB are too many; at most {most}")


def _ids_of(gold: Gold) -> Sequence[Any]:
    if gold.ids is not None:
        return gold.ids
    references = gold.columns.get("references")
    columns = getattr(references, "columns", None)
    return to_list(columns["id"], "ids") if isinstance(columns, Mapping) and "id" in columns else ()
