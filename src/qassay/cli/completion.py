"""Completion in a shell: the scripts for bash, zsh and fish, and the words that they ask for."""

import argparse
import functools
import re
import shlex
from collections.abc import Callable, Iterable

from .. import list_metrics
from ..registry import FAMILIES, Family, get_family

_SCRIPTS = {
    "bash": """\
_qassay() {
    local word
    COMPREPLY=()
    while IFS= read -r word; do COMPREPLY+=("$word"); done < <(
        "$1" completion bash --line "${COMP_LINE:0:COMP_POINT}" --breaks "$COMP_WORDBREAKS" 2>/dev/null)
    [[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace 2>/dev/null
    return 0
}
complete -o default -F _qassay qassay
""",
    "zsh": """\
#compdef qassay
_qassay() {
    local -a found ending
    found=(${(f)"$(qassay completion zsh --line "${(j: :)words[1,CURRENT]}" 2>/dev/null)"})
    (( $#found )) || { _files; return }
    ending=()
    [[ $found[1] == *= ]] && ending=(-S '')
    compadd $ending -- $found
}
compdef _qassay qassay
""",
    "fish": """\
function __qassay_words
    set -l found (qassay completion fish --line (commandline -cp) 2>/dev/null)
    if test (count $found) -gt 0
        printf '%s\\n' $found
    else
        __fish_complete_path (commandline -ct)
    end
end
complete -c qassay -f -a '(__qassay_words)'
""",
}
_PLACES = {
    "bash": 'eval "$(qassay completion bash)" in ~/.bashrc',
    "zsh": 'eval "$(qassay completion zsh)" in ~/.zshrc, after compinit',
    "fish": "qassay completion fish | source in ~/.config/fish/config.fish",
}


def add_completion(commands, parser: argparse.ArgumentParser) -> None:
    """Adds `qassay completion` to the commands of a parser."""
    command = commands.add_parser(
        "completion",
        help="print the shell script that completes names of metrics, options, measures and roles",
        description="Print the script of a shell; write this into its file:\n  " + "\n  ".join(_PLACES.values()),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument("shell", choices=list(_SCRIPTS))
    command.add_argument("--line", help=argparse.SUPPRESS)  # what the scripts ask with
    command.add_argument("--breaks", default="", help=argparse.SUPPRESS)
    command.set_defaults(run=functools.partial(_completion, parser))


def _completion(parser: argparse.ArgumentParser, arguments: argparse.Namespace) -> str:
    if arguments.line is None:
        return _SCRIPTS[arguments.shell]
    return "".join(f"{word}\n" for word in complete(parser, arguments.line, arguments.breaks))


def complete(parser: argparse.ArgumentParser, line: str, breaks: str = "") -> list[str]:
    """The words that may end a line; empty if a file name is expected.

    Args:
        line: up to the cursor.
        breaks: characters behind which the shell takes what follows as a separate word, as bash does.
    """
    try:
        words = shlex.split(line)[1:]
    except ValueError:  # an open quote
        return []
    begun = words.pop() if words and not line[-1:].isspace() else ""
    option, equals, value = begun.partition("=")
    before = ""
    if option.startswith("--") and equals:  # --metric=...
        words, begun, before = [*words, option], value, option + equals
    found = dict.fromkeys(before + word for word in _candidates(parser, words, begun) if word.startswith(begun))
    begun = before + begun
    kept = 1 + max((begun.rfind(character) for character in breaks), default=-1)
    return [word[kept:] for word in found]


def _candidates(parser: argparse.ArgumentParser, words: list[str], begun: str) -> Iterable[str]:
    options, option, taken = _options(parser), None, 0
    given: dict[str, list[str]] = {}
    for place, word in enumerate(words):
        of_parser = _commands(parser)
        if word in of_parser:
            return _candidates(of_parser[word], words[place + 1 :], begun)
        name, equals, value = word.partition("=")
        if name in options:
            option, taken = options[name], 0
            words_of_option = [value] if equals else []
        else:
            words_of_option = [word]
        if option is not None and words_of_option:
            given.setdefault(option.dest, []).extend(words_of_option)
            taken += 1
    if begun.startswith("-"):
        return [name for name in options if name.startswith("--")]
    most = option.nargs if option is not None and isinstance(option.nargs, int) else 1
    if option is not None and (option.nargs in ("+", "*") or taken < most):
        return _values(option, given, begun)
    positional = [action for action in parser._actions if not action.option_strings and action.dest != "help"]
    if _commands(parser):
        return _commands(parser)
    return _values(positional[0], given, begun) if positional else []


def _options(parser: argparse.ArgumentParser) -> dict[str, argparse.Action]:
    """The options of a command by their names, without the hidden ones."""
    actions = [action for action in parser._actions if action.help != argparse.SUPPRESS]
    return {name: action for action in actions for name in action.option_strings}


def _commands(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    found = [action.choices for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    return dict(found[0]) if found else {}  # type: ignore[arg-type]


def _values(action: argparse.Action, given: dict[str, list[str]], begun: str) -> Iterable[str]:
    """The values of an option, or of the first argument, as far as they can be listed."""
    named = [get_family(name) for name in given.get("metric", ()) if name in FAMILIES] or list(FAMILIES.values())
    listed: dict[str, Callable[[], Iterable[str]]] = {
        "metric": lambda: [*list_metrics(), "all"],
        "name": lambda: _explained() if begun else list_metrics(),
        "option": lambda: [word for family in named for word in _option_words(family, begun)],
        "columns": lambda: [f"{role}=" for role in _roles()],
        "measures": lambda: ["all", *(name for family in named for name in _measure_names(family))],
        "groups": lambda: [name for family in named for name in family.telling.group_names],
        "by": lambda: [name for family in named for name in family.telling.usual_slices],
        "test": _tests,
        "correction": _corrections,
    }
    return action.choices or listed.get(action.dest, list)()


def _explained() -> Iterable[str]:
    from ..catalog import explained_names

    return (name for name in explained_names() if " " not in name)


def _option_words(family: Family, begun: str) -> list[str]:
    from ..core.options import keyword_names, option_types
    from ..core.text import list_normalizers

    _, options = family.load()
    key, equals, _ = begun.partition("=")
    if not equals:
        return [f"{name}=" for name in keyword_names(options)]
    values = list_normalizers() if key == "normalizer" else []
    return [f"{key}={value}" for value in (["yes", "no"] if option_types(options).get(key) is bool else values)]


def _measure_names(family: Family) -> Iterable[str]:
    """Names that can be given, among the names that `qassay explain` lists: of ndcg(gain)[@k] ndcg and ndcg@10."""
    for name, _ in family.measures():
        plain = re.sub(r"\([^)]*\)", "", name)
        if plain.endswith("[@k]"):
            yield plain.removesuffix("[@k]")
        plain = re.sub(r"\[?@k\]?$", "@10", plain)
        if not re.search(r"\[|@(?!\d)", plain):
            yield plain


def _roles() -> tuple[str, ...]:
    from ..files.roles import all_roles

    return all_roles()


def _tests() -> tuple[str, ...]:
    from ..comparison.paired_tests import PAIRED_TESTS

    return PAIRED_TESTS


def _corrections() -> tuple[str, ...]:
    from ..comparison.corrections import CORRECTIONS

    return CORRECTIONS
