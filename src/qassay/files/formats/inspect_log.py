"""Logs of Inspect: `.eval`, a zip file with a JSON file for each sample, and `.json`, all in one."""

import io
import re
import zipfile
import zlib
from collections.abc import Iterable
from typing import BinaryIO

from ...core.remarks import remark
from ..json_text import read_json
from ..logs import Log, Row, gold_cell, text_of_message, with_prefix
from ..reading import FileError

_SAMPLE = re.compile(r"(samples/.+_epoch_\d+)(?:\.json|/sample\.json)")
_ZSTD = 93  # a compression method that zipfile supports only from Python 3.14
_ATTACHED = "attachment://"
_BROKEN = (OSError, EOFError, ValueError, KeyError, NotImplementedError, RuntimeError, zlib.error, zipfile.BadZipFile)


def _is_whole(value: Row) -> bool:
    return {"version", "status", "eval"} <= value.keys() and isinstance(value["eval"], dict)


def _samples(path: str, value: Row) -> Iterable[Row]:
    """The samples of a whole log in JSON."""
    samples = value.get("samples") or []
    _check(path, value, len(samples))
    return samples


def _check(path: str, header: Row, n_samples: int) -> None:
    """Refuse an evaluation that stopped early or has no samples, and remark how many are missing."""
    if header.get("status") != "success":
        error = (header.get("error") or {}).get("message", "").partition("\n")[0][:200]
        message = f"its status: {header.get('status')}{', ' * bool(error)}{error}"
        raise FileError(path, f"this log is not of a whole evaluation ({message}); finish it with inspect eval-retry")
    if not n_samples:
        raise FileError(path, "this log of Inspect has no samples; write it without log_samples=False")
    total = (header.get("results") or {}).get("total_samples", 0)
    if n_samples < total:
        remark(f"{path}: this log of Inspect has {n_samples} of the {total} samples of its task")


# --- archives ---------------------------------------------------------------------------------------------------------


def _unpacked(path: str, file: BinaryIO) -> Iterable[Row]:
    """The samples of an archive."""
    try:
        archive = zipfile.ZipFile(file)
    except zipfile.BadZipFile:
        raise FileError(path, "the end of this zip file is missing; make it again") from None
    names = archive.namelist()
    if "header.json" not in names:
        advice = "if it is one, it was not finished: run inspect eval-retry with it"
        raise FileError(path, f"this zip file is no log of Inspect, which has a header.json; {advice}")
    there = [(name, found[1]) for name in names if (found := _SAMPLE.fullmatch(name))]
    _check(path, _read(path, archive, file, "header.json"), len(there))
    for name, stem in there:
        sample = _read(path, archive, file, name)
        if f"{stem}/metadata.json" in names:
            sample["metadata"] = _read(path, archive, file, f"{stem}/metadata.json")
        yield sample


def _read(path: str, archive: zipfile.ZipFile, file: BinaryIO, name: str) -> Row:
    """A JSON object of the archive."""
    member = archive.getinfo(name)
    try:
        data = _unpack_zstd(file, member) if member.compress_type == _ZSTD else archive.read(member)
        return dict(read_json(data.decode("utf-8")))
    except _BROKEN:
        raise FileError(path, f"this log of Inspect is broken, in {name}; make it again") from None


def _unpack_zstd(file: BinaryIO, member: zipfile.ZipInfo) -> bytes:
    """The bytes of a member of a zip file, which follow a header with the lengths of its name and its extra field."""
    import pyarrow as pa

    file.seek(member.header_offset)
    header = file.read(30)
    file.seek(int.from_bytes(header[26:28], "little") + int.from_bytes(header[28:30], "little"), io.SEEK_CUR)
    packed = io.BytesIO(file.read(member.compress_size))
    with pa.input_stream(packed, compression="zstd") as unpacked:
        data = unpacked.read(member.file_size)
    if zlib.crc32(data) != member.CRC:
        raise ValueError("its bytes are damaged")
    return bytes(data)


# --- samples ----------------------------------------------------------------------------------------------------------


def _row(sample: Row) -> Row:
    """A row with id, question (the input, or the last message of the user), gold_answers, prediction (the completion; None
    if the sample ended with an error), the answers that scorers extracted as `scores.NAME.answer`, the fields of `metadata`
    as `metadata.NAME`, and, of several epochs, `epoch`.
    """
    output, question = sample.get("output"), sample.get("input")
    if not {"id", "target"} <= sample.keys() or not isinstance(output, dict):
        raise ValueError("lacks id, target or output; write the log again")
    if isinstance(question, list):
        question = next((text_of_message(of) for of in question[::-1] if of.get("role") == "user"), None)
    completion = output.get("completion")
    if not isinstance(completion, str):
        first: Row = next(iter(output.get("choices") or ()), {})
        completion = text_of_message(first.get("message") or {})
    scores = {name: of for name, of in (sample.get("scores") or {}).items() if isinstance(of, dict)}
    answers = {
        f"scores.{name}.answer": of["answer"] for name, of in scores.items() if isinstance(of.get("answer"), str)
    }
    texts = {"question": question, "prediction": None if sample.get("error") else completion, **answers}
    texts = {name: _resolved(text, sample.get("attachments") or {}) for name, text in texts.items()}
    question = texts.pop("question")
    return {
        "id": sample["id"],
        "epoch": sample.get("epoch", 1),
        **({} if question is None else {"question": question}),
        "gold_answers": gold_cell(sample["target"]),
        "choices": bool(sample.get("choices")),
        **texts,
        **with_prefix("metadata", sample.get("metadata")),
    }


def _resolved(text: str | None, attached: Row) -> str | None:
    """A text that may be stored outside the sample."""
    if text is None or not text.startswith(_ATTACHED):
        return text
    if text.removeprefix(_ATTACHED) not in attached:
        raise ValueError("has a text in an attachment that is not there; write the log again")
    return str(attached[text.removeprefix(_ATTACHED)])


def _rows(path: str, rows: list[Row]) -> list[Row]:
    """The rows by epoch, without the columns that say nothing."""
    choices = [row["gold_answers"] for row in rows if row.pop("choices")]
    if any(isinstance(answers, list) and len(answers) > 1 for answers in choices):
        message = "its questions have several right choices, which must all be given; gold answers are alternatives"
        raise FileError(path, f"{message}; take the numbers of Inspect")
    if choices:
        column = next((f", such as {name}" for name in rows[0] if name.startswith("scores.")), "")
        message = f"the gold answers are letters of choices; the given letters may be in another column{column}"
        remark(f"{path}: {message}; score them with normalizer=none: the usual one drops A, as an article")
    unread = {"epoch"} if len({row["epoch"] for row in rows}) == 1 else set()
    if all(row["gold_answers"] in ("", [], None) for row in rows):
        unread.add("gold_answers")
    rows = sorted(rows, key=lambda row: row["epoch"])
    return [{name: cell for name, cell in row.items() if name not in unread} for row in rows]


LOG = Log(
    "log of Inspect",
    row=_row,
    rows=_rows,
    is_whole=_is_whole,
    samples=_samples,
    unpacked=_unpacked,
    file_patterns=("*.eval",),
)
