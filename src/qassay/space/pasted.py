"""Pasted text as files: lines of answers, or the same text that a file would hold."""

import json
from pathlib import Path

from ..files.formats import find_format
from ..pages.limits import MAX_ROWS, MAX_TEXT, InputError, check_length
from ..pages.uploads import GOLD, SYSTEM, Upload, read_checked, read_upload, upload_of
from ..registry import FAMILIES

SEPARATOR = "|"
_NAMES = {SYSTEM: "pasted predictions", GOLD: "pasted gold"}
_BOXES = {SYSTEM: "predictions", GOLD: "gold answers"}
_AS_LINES = ("numbers", "unknown", "text")  # kinds that lines of answers can look like


def read_pasted(predictions: str, gold: str, separator: str, folder: str, metric: str | None = None) -> list[Upload]:
    """Pasted text as files in a folder, which who calls this removes.

    Text is JSON, JSONL, CSV or TSV with a header, or lines of TREC, told as files are; or else lines, one per question,
    of the predictions and of the gold answers, several divided by separators. An empty line: no answer.

    Args:
        separator: between the gold answers in a line; blanks at its ends count only where there is nothing else.
        metric: what is to be scored, which decides what tables are.

    Raises:
        InputError: too long, lines in one box only, or not as many in both.
    """
    texts = {slot: text for slot, text in ((SYSTEM, predictions), (GOLD, gold)) if text and text.strip()}
    for slot, text in texts.items():
        check_length(_NAMES[slot], text, MAX_TEXT, "; upload a file")
    files = {slot: _as_file(text, slot, folder, metric) for slot, text in texts.items()}
    if all(files.values()):
        return list(files.values())
    if len(texts) == 1:
        (slot,) = texts
        other = GOLD if slot == SYSTEM else SYSTEM
        raise InputError(
            f"{_NAMES[slot]} has lines, which belong to lines of {_BOXES[other]}; paste these too, or paste JSON, or CSV "
            "with the names of its columns in the first line"
        )
    unlike = [slot for slot, file in files.items() if file]
    if unlike:
        raise InputError(
            f"{_NAMES[unlike[0]]} is {files[unlike[0]].kind.text}, the other box has lines; paste the same form"
        )
    return [_lines_as_file(texts, separator, folder, metric)]


def split_golds(line: str, separator: str = SEPARATOR) -> list[str]:
    """The gold answers of a line, [] for none."""
    separator = separator.strip() or separator  # what nobody sees in the box is not meant
    parts = line.split(separator) if separator else [line]
    return [part.strip() for part in parts if part.strip()]


def lines_of(text: str) -> list[str]:
    """The lines of a box, without the empty one that a last line break leaves."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return [line.strip() for line in (lines[:-1] if lines[-1] == "" and len(lines) > 1 else lines)]


def _as_file(text: str, slot: str, folder: str, metric: str | None) -> Upload | None:
    """The text as a file; None if it is lines, not a known kind of file."""
    path = Path(folder) / f"{slot}.txt"
    path.write_text(text, "utf-8", "backslashreplace")
    is_json = text.lstrip().startswith(("{", "["))
    try:
        content = read_checked(str(path), _NAMES[slot])
        kind = find_format(content.value)
    except ValueError:
        if is_json:
            raise
        return None
    if not is_json and (not kind.serves or kind.name in _AS_LINES):
        return None
    return upload_of(content, _NAMES[slot], slot, metric)._replace(pasted=f"the pasted text of {_BOXES[slot]}")


def _lines_as_file(texts: dict[str, str], separator: str, folder: str, metric: str | None) -> Upload:
    lines = {slot: lines_of(text) for slot, text in texts.items()}
    predictions, golds = lines[SYSTEM], lines[GOLD]
    if len(predictions) != len(golds):
        raise InputError(
            f"there are {len(predictions):,} lines of predictions and {len(golds):,} of gold answers; give one line per "
            "question in both, an empty one for no answer"
        )
    if len(golds) > MAX_ROWS:
        raise InputError(f"pasted lines: {len(golds):,} are too many; at most {MAX_ROWS:,}")
    rows = [
        {"prediction": answer, "references": _gold_cell(line, separator, metric)}
        for answer, line in zip(predictions, golds, strict=True)
    ]
    path = Path(folder) / "pasted.json"
    path.write_text(json.dumps(rows), "utf-8")
    upload = read_upload(str(path), "pasted answers", GOLD, metric)
    form = json.dumps({"prediction": "...", "references": _gold_cell("...", separator, metric)})
    return upload._replace(pasted=f"the pasted lines as a JSON list, {form} for each line")


def _gold_cell(line: str, separator: str, metric: str | None) -> str | list[str]:
    """Of labels a line is one label."""
    is_label = metric in FAMILIES and "labels" in FAMILIES[metric].telling.answers_are
    return line if is_label else split_golds(line, separator)
