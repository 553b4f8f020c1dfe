"""Logs of Inspect: `.eval`, a zip file with a JSON file for each sample, and `.json`, all in one."""

import io
import re
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO

from ...core.remarks import remark
from ...core.shown import shown
from ..json_text import JsonError, read_json
from ..logs import Log, Row, gold_cell, text_of_message, with_prefix
from ..reading import FileError
from ..source import check_growth

_SAMPLE = re.compile(r"(samples/.+_epoch_\d+)(?:\.json|/sample\.json)")
_ZSTD = 93  # a compression method that zipfile supports only from Python 3.14
_ATTACHED = "attachment://"


class InspectLog(Log):
    """Rows with id, question (the input, or the last message of the user), gold_answers, prediction (the completion;
    None if the sample ended with an error), the answers that scorers extracted as `scores.NAME.answer`, the fields of
    `metadata` as `metadata.NAME`, and, of several epochs, `epoch`.
    """

    name = "log of Inspect"
    mark = b"PK\x03\x04"

    def is_whole(self, value: Row) -> bool:
        return {"version", "status", "eval"} <= value.keys() and isinstance(value["eval"], dict)

    def samples(self, path: str, value: Row) -> Iterable[Row]:
        """The samples of a whole log in JSON.

        Raises:
            FileError: the evaluation stopped early, or its log has no samples.
        """
        _check_status(path, value)
        samples = value.get("samples")
        samples = [sample for sample in samples if isinstance(sample, dict)] if isinstance(samples, list) else []
        _check_count(path, value, len(samples))
        return samples

    def unpacked(self, path: str, file: BinaryIO) -> Iterable[Row]:
        """The samples of an archive.

        Raises:
            FileError: as for `samples`, or a broken file.
        """
        try:
            archive = zipfile.ZipFile(file)
        except zipfile.BadZipFile:
            raise FileError(path, "the end of this zip file is missing; make it again") from None
        unpacked = sum(member.file_size for member in archive.infolist())
        check_growth(path, "zip file", unpacked, file.seek(0, io.SEEK_END))
        names = archive.namelist()
        if "header.json" not in names:
            if not any(name.startswith("_journal/") for name in names):
                raise FileError(path, f"this zip file is not a {self.name}: it has no header.json; unpack it")
            raise FileError(
                path, f"this {self.name} was not finished: it has no header; run inspect eval-retry with it"
            )
        header = _read(path, archive, file, "header.json")
        _check_status(path, header)
        there = [(name, found[1]) for name in names if (found := _SAMPLE.fullmatch(name))]
        _check_count(path, header, len(there))
        return self._each_sample(path, archive, file, there)

    def _each_sample(
        self, path: str, archive: zipfile.ZipFile, file: BinaryIO, there: list[tuple[str, str]]
    ) -> Iterator[Row]:
        names = set(archive.namelist())
        for name, stem in there:
            sample = _read(path, archive, file, name)
            if f"{stem}/metadata.json" in names:
                sample["metadata"] = _read(path, archive, file, f"{stem}/metadata.json")
            yield sample

    def row(self, sample: Row) -> Row:
        """The row of a sample.

        Raises:
            ValueError: no output, or an output stored elsewhere.
        """
        output = sample.get("output")
        if not {"id", "target"} <= sample.keys() or not isinstance(output, dict):
            raise ValueError("lacks id, target or output; write the log again")
        if type(sample.get("epoch", 1)) is not int:
            raise ValueError(f"has the epoch {shown(sample['epoch'])}, which is not an integer; write the log again")
        attached, scores = _object(sample, "attachments"), _object(sample, "scores")
        answers = {
            f"scores.{name}.answer": score["answer"]
            for name, score in scores.items()
            if isinstance(score, dict) and isinstance(score.get("answer"), str)
        }
        question = _question_of(sample.get("input"), attached)
        return {
            "id": sample["id"],
            "epoch": sample.get("epoch", 1),
            **({} if question is None else {"question": question}),
            "gold_answers": gold_cell(sample["target"]),
            "choices": sample["target"] if sample.get("choices") else None,
            "prediction": None if sample.get("error") else _resolved(_completion(output), attached),
            **{name: _resolved(answer, attached) for name, answer in answers.items()},
            **with_prefix("metadata", sample.get("metadata")),
        }

    def rows(self, path: str, rows: list[Row]) -> list[Row]:
        _tell_choices(path, rows)
        if all(row["gold_answers"] in ("", [], None) for row in rows):
            for row in rows:
                del row["gold_answers"]
        if len({row["epoch"] for row in rows}) > 1:
            return sorted(rows, key=lambda row: row["epoch"])
        for row in rows:
            del row["epoch"]
        return rows


def _tell_choices(path: str, rows: list[Row]) -> None:
    """Warn if gold answers are letters of choices; refuse questions with several right choices.

    Raises:
        FileError: a question has several right choices.
    """
    letters = [row.pop("choices") for row in rows]
    if any(isinstance(answers, list) and len(answers) > 1 for answers in letters):
        message = (
            "its questions have several right choices, which must all be given; gold answers here are alternatives"
        )
        raise FileError(path, f"{message}; take the numbers of Inspect")
    if any(letter is not None for letter in letters):
        columns = [f", such as {name}" for name in rows[0] if name.startswith("scores.")] or [""]
        message = (
            f"the gold answers are letters of choices; the letters that were given may be in another column{columns[0]}"
        )
        usual = "score them by the normalizer none: the usual one drops the letter A, as an article"
        remark(f"{path}: {message}; {usual}")


def _check_status(path: str, header: Row) -> None:
    """Refuse an evaluation that stopped early."""
    status = header.get("status")
    if status != "success":
        message = str(_object(header, "error").get("message", "")).partition("\n")[0][:200]
        why = f", {message}" if message else ""
        message = f"this log of Inspect is not of a whole evaluation (its status: {status}{why})"
        raise FileError(path, f"{message}; finish it with inspect eval-retry")


def _check_count(path: str, header: Row, count: int) -> None:
    """Refuse a log without samples, and report how many are missing."""
    if not count:
        raise FileError(path, "this log of Inspect has no samples; write it without log_samples=False")
    total = _object(header, "results").get("total_samples")
    if isinstance(total, int) and count < total:
        remark(f"{path}: this log of Inspect has {count} of the {total} samples of its task")


def _read(path: str, archive: zipfile.ZipFile, file: BinaryIO, name: str) -> Row:
    """A JSON object of the archive."""
    broken = FileError(path, f"this log of Inspect is broken, in {name}; make it again")
    member = archive.getinfo(name)
    try:
        data = _unpack_zstd(file, member) if member.compress_type == _ZSTD else archive.read(member)
        value = read_json(data.decode("utf-8"))
    except (OSError, EOFError, ValueError, NotImplementedError, RuntimeError, zlib.error, zipfile.BadZipFile) as error:
        if isinstance(error, JsonError) and error.is_complete:
            raise FileError(path, f"{name} in this log of Inspect cannot be read: {error}") from None
        raise broken from None
    if not isinstance(value, dict):
        raise broken
    return value


def _unpack_zstd(file: BinaryIO, member: zipfile.ZipInfo) -> bytes:
    """The bytes of a member of a zip file: they follow a header that contains the lengths of the name and the extra
    field.
    """
    import pyarrow as pa

    file.seek(member.header_offset)
    header = file.read(30)
    file.seek(int.from_bytes(header[26:28], "little") + int.from_bytes(header[28:30], "little"), io.SEEK_CUR)
    packed = io.BytesIO(file.read(member.compress_size))
    with pa.input_stream(packed, compression="zstd") as unpacked:
        data = unpacked.read(member.file_size)
    if zlib.crc32(data) != member.CRC:
        raise ValueError(member.filename)
    return data


def _object(value: Row, name: str) -> Row:
    """The object with this name; an empty one if there is none."""
    found = value.get(name)
    return found if isinstance(found, dict) else {}


def _completion(output: Row) -> Any:
    """The text of the first choice."""
    if isinstance(output.get("completion"), str):
        return output["completion"]
    choices = output.get("choices")
    first = choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], dict) else {}
    return text_of_message(_object(first, "message"))


def _question_of(given: Any, attached: Row) -> str | None:
    if isinstance(given, list):
        of_user = [message for message in given if isinstance(message, dict) and message.get("role") == "user"]
        given = text_of_message(of_user[-1]) if of_user else None
    return _resolved(given, attached) if isinstance(given, str) else None


def _resolved(text: str, attached: Row) -> str:
    """A text that may be stored outside the sample.

    Raises:
        ValueError: it is not in the log.
    """
    if not text.startswith(_ATTACHED):
        return text
    if text.removeprefix(_ATTACHED) not in attached:
        raise ValueError("has a text in an attachment that is not there; write the log again")
    return str(attached[text.removeprefix(_ATTACHED)])


LOG = InspectLog(("*.eval",))
