"""Phrases of translated prose that this project does not use, in code, documentation and messages.

Tests are not read: they quote messages of others. Read CONTRIBUTING.md for the style.
"""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

#: Phrase -> what to write.
BANNED = {
    r"stands? twice": "duplicate ...",
    r"stands?\b(?! for\b| in for\b| out\b)": "is, is in, is at, comes, occurs",
    r"(?<!there )(?:is|are|was|were) no(?! longer| more| less| better| worse|-)": "is not a ...",
    r"that of": "name the noun: the interval of a share",
    r"those (?:of|that|which|who|with|in|on)": "name the noun: the files of a folder",
    r"(?:is|are|was|were) of (?!no use)": "belongs to, has, comes from, applies to",
    r"of which": "two sentences, or: some, each, whose",
    r"of whom": "two sentences",
    r"for who(?! in |, | in\b)": "for callers, for readers",
    r"of an? own|of (?:its|their) own": "its own ..., a separate ..., a distinct ...",
    r"the ones? of|the ones that": "name the noun",
    r"leaves? (?:\w+ )?away": "omit",
    r"to be had": "available",
    r"tells it|is told|are told": "is reported, is recognised by, raises an error",
    r"what is given": "name the argument",
    r"in one go": "at once",
    r"in vain": "without success",
    r"by way of": "through",
    r"other ones": "others",
    r"than others?(?: than)|others than": "other than",
    r"something else than": "something other than",
    r"with nothing": "empty, without",
    r"hand(?:s|ed)? (?:it |them )?in\b": "submit, pass",
    r"mend(?:s|ed|ing)?": "fix",
    r"says of|say of": "says about",
    r"less is better": "lower is better",
    r"with commas between": "separated by commas",
    r"surest": "most confident",
    r"(?:two|three|four) (?:systems|runs|files|samples) or more": "two or more systems",
    r"would take for": "would read as",
    r"a common letter": "systems that share a letter",
    r"whose end the model": "text that the model truncated",
    r"as so few|up to so many": "name the number",
    r"draws? groups whole": "draw whole groups",
    r"drawn by itself": "independent",
    r"everything but": "everything except",
    r"for all else": "otherwise, for other input",
    r"for want of": "for lack of, without",
    r"held at a time": "per block",
    r"(?:what messages call|how messages name)": "the name in messages",
    r"takes? the answer out of": "extract the answer from",
    r"the (?:best|largest|highest|most relevant) first": "best first",
    r"whole numbers?": "integer",
    r"in the place of": "in place of",
    r"whatever the (?!gold answers say)": "regardless of, for all",
    r"made[- ]up": "invented, simulated",
    r"one below the other": "below one another, concatenated",
    r"held against": "compared with",
    r"asked for by nobody|asks for nothing outside": "not requested, needs no network",
    r"an? (?:id|label|column|question|document) given twice": "duplicate ...",
}
SOURCES = ("*.py", "*.js", "*.css", "*.md", "*.yml", "*.cff", "*.cfg", "*.toml", "*.txt")
NOT_READ = (  # data, words of the rules of lite, and tests
    "tests/", "samples/answers", "requirements.txt",
    "metrics/answer_equivalence/lite_", "metrics/core/mkqa_text.py",
)  # fmt: skip
ALLOWED = (("benchmarks/equivalence_made_answers.py", "Those who name"),)  # (file, text around the phrase)


def _is_read(path):
    return not path.startswith(NOT_READ)


def _joined(text):
    """The text with each break of a line, of a comment or of a string as one blank."""
    return re.sub(r"\s*[\"']?\s*\n\s*(?:#:? |// |> |[frb]{0,2}[\"'](?!\"\"))?", " ", text)


def _found(text):
    """Banned phrases in a text, each with its surroundings."""
    lines = _joined(text)
    for match in _ANY.finditer(lines):
        yield match[0], lines[max(match.start() - 40, 0) : match.end() + 30]


_ANY = re.compile(rf"\b(?:{'|'.join(BANNED)})(?!\w)", re.IGNORECASE)


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="which files are sources is known to git only")
def test_phrases():
    listed = subprocess.run(["git", "ls-files", "-z", *SOURCES], cwd=ROOT, capture_output=True, text=True, check=True)
    found = [
        f"{path}: {phrase!r} in ...{around}..."
        for path in filter(_is_read, listed.stdout.rstrip("\0").split("\0"))
        for phrase, around in _found((ROOT / path).read_text(encoding="utf-8"))
        if not any(path == file and text in around for file, text in ALLOWED)
    ]
    assert not found, "write plainly (BANNED says how):\n" + "\n".join(found)


@pytest.mark.parametrize(
    "text, phrases",
    [
        ("the name 'x' stands twice", ["stands twice"]),
        ('f"the ids are those "\n    "of the gold file"', ["those of"]),
        ("# a count is no\n    # rate", ["is no"]),
        ("There is no file; it is no longer read, and stands for all.", []),
    ],
)
def test_what_is_found(text, phrases):
    assert [phrase for phrase, _ in _found(text)] == phrases
