"""What a metric family is; each describes itself in its own `family.py`, with what it reads and how it is described."""

import dataclasses
import functools
import importlib
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from .family_telling import Telling
from .hints import Hint, Message

if TYPE_CHECKING:
    from .file_columns import Gold
    from .options import Options
    from .row_groups import RowGroups
    from .scores import Scores


class Reading:
    """What a family reads. A subclass overrides what is special about it.

    Attributes:
        kinds: the metric whose kinds of files it scores: itself, or one that has them all.
        named_only: its tables look like tables of other metrics, so that people must name this metric.
        known_by_predictions: its files of predictions tell the metric, where the gold file fits another metric too.
        gold_columns: the columns of the function that come from the gold file, which errors about them then name.
        gold_alone: what to say about a gold file without predictions.
        dict_options: options that may be a dict, written like one in Python.
        list_options: options that may be a list of names or whole numbers, written with commas, or one whole number.
        file_options: options whose text may be the path of a file.
    """

    kinds: str
    named_only: bool = False
    known_by_predictions: bool = False
    gold_columns: tuple[str, ...] = ("references", "weights", "groups")
    gold_alone: Message = Message("this has gold answers only; give predictions too", Hint("usage", "GOLD PREDICTIONS"))
    dict_options: tuple[str, ...] = ()
    list_options: tuple[str, ...] = ()
    file_options: tuple[str, ...] = ()

    def files(self) -> Any:
        """What the family says about its files, a `files.kinds.FamilyFiles`, imported now."""
        return importlib.import_module(f"qassay.{self.kinds}.kinds").FILES

    def own_gold(self, gold: "Gold") -> "Gold":
        """The gold file as this family scores it, where another family has its kind."""
        return gold

    def further_columns(self, gold: "Gold") -> Mapping[str, Any]:
        """Columns of the gold file that its options make the function read, beside `gold.columns`. The base has none."""
        return {}

    def is_for(self, gold: "Gold") -> bool:
        """Whether the metric "all" scores a gold file of its kinds by this metric too."""
        return True

    def own_predictions(self, columns: Mapping[str, Any]) -> Mapping[str, Any]:
        """The columns of predictions as this family scores them, where another family has their kind."""
        return columns

    def gold_answers(self, references: Sequence[Any], ids: Sequence[Any] | None = None) -> list[list[str]]:
        """The gold answers of each row as texts, from any layout that a family of answers reads."""
        raise NotImplementedError(f"{type(self).__name__} does not read answers")

    def options_of_text(self, options: Mapping[str, Any]) -> Mapping[str, Any]:
        """Options as they were written, with the contents of files instead of their names."""
        return options


class Family:
    """One metric family. A subclass overrides what is special about it, nothing else.

    `qassay list` imports every descriptor: it imports numpy, or what needs it, only inside its methods.

    Attributes:
        name: of the metric and of its folder, as in `qassay.score(name, ...)` and in the signature.
        source: whose rules it follows.
        function, options: the names, in the module that scores, of the function and of the class of options.
        builds_on: the families whose modules the modules of this one import; a declaration, which no code reads but the tests.
        known_as: what people of the field call the metric, its programs, data sets and measures, in lower case -> a clause
            that says what it is here.
        smallest: the smallest inputs that together give all measures, to list them: (columns, options) each. Every
            family sets it.
        scores_outputs: a prediction is what a model gives for one example, a text or a label (with the option `top_k`
            ranked texts), so that the hooks of Trainer and `evaluate_pipeline` can score it.
        one_up_to: up to this many examples `one` takes less time than columns.
        lone_options: options that it leaves to another metric that is requested too and has an option of that name,
            which means something else there; see `registry.taken_options`.
        reads_questions: its function has a column `questions`, which the hooks and `evaluate_pipeline` fill where they can.
        reading: what it reads.
        telling: how it is described.
    """

    name: str
    source: str
    function: str
    options: str
    builds_on: tuple[str, ...] = ()
    known_as: Mapping[str, str] = {}
    smallest: Sequence[tuple[Mapping[str, Any], Mapping[str, Any]]]
    scores_outputs: bool = False
    one_up_to: float = 256
    lone_options: tuple[str, ...] = ()
    reads_questions: bool = False
    reading: Reading
    telling: Telling

    @property
    def module(self) -> str:
        """The module that scores."""
        return f"qassay.{self.name}.scoring"

    def load(self) -> tuple[Callable[..., "Scores"], "type[Options]"]:
        """The scoring function and the class of its options, imported now."""
        module = importlib.import_module(self.module)
        return getattr(module, self.function), getattr(module, self.options)

    @property
    def loads_model(self) -> bool:
        """Whether scoring runs a large model, which the option `model` names and `prepare` loads beforehand."""
        return "model" in self.load()[1].__dataclass_fields__

    def runs_model(self, options: Any) -> bool:
        """Whether scoring with these options runs a large model or a judge."""
        if not self.loads_model:
            return False
        built_in: Any = self.load()[1](**self.smallest[0][1])
        return options.model != built_in.model or getattr(options, "encoder", None) is not None

    @property
    def columns(self) -> "Columns":
        """The columns of the scoring function."""
        return _columns(self.load()[0])

    def one(self, options: Any) -> Callable[..., dict[str, float] | None] | None:
        """The short way to the measures of one example, for `qassay.scorer`; None in the base: all go by columns.

        Returns:
            A function of a prediction, its gold data and maybe further columns, by their names, that gives measure ->
            value, exactly as by columns, without measures that do not apply; None, or any error, for anything but plain, right
            input, which then goes by columns and gets their error messages. None where these options have no short way.
        """
        return None

    def is_few(self, predictions: Sequence[Any]) -> bool:
        """Whether the short way of `one` takes less time than columns for so many examples."""
        return len(predictions) <= self.one_up_to

    def row_groups(self) -> "RowGroups | None":
        """What tells a cluster how several rows make one example, imported now; None where a row is an example."""
        return None

    def page(self) -> Any:
        """The page of the metric alone, a `pages.page.Page`, imported now."""
        return importlib.import_module(f"qassay.{self.name}.app").PAGE

    def score(self, *columns: Any, **options: Any) -> "Scores":
        """Score columns, given by position or by name, with options by name: what `qassay.score` does.

        Raises:
            TypeError: a column that is missing or given twice, an option that the family does not have. ValueError:
                series of pandas with the same index in another order, or all examples in one group.
        """
        from .columns import check_indexes, is_rows, is_table  # need numpy

        function, options_class = self.load()
        names, by_position, required = _columns(function)
        given = {key: options.pop(key) for key in [*options] if key in names}
        options_class.check_names(options, columns=names)
        if len(columns) > len(by_position):
            raise TypeError(
                f"{self.name} has {len(by_position)} columns by position ({', '.join(by_position)}), got {len(columns)}"
            )
        for key in by_position[: len(columns)]:
            if key in given:
                raise TypeError(f"{self.name}: the column {key} is given twice, by position and by name")
        for key in by_position[len(columns) :]:
            if key in required and key not in given:
                told = f"{self.name}: {key} missing; its columns are: {', '.join(names)}"
                lone = len(columns) == 1 and (is_table(columns[0]) or is_rows(columns[0]))
                raise TypeError(
                    f"{told}; for one table with all of them call qassay.score({self.name!r}, table)" if lone else told
                )
        check_indexes({**dict(zip(by_position, columns, strict=False)), **given})
        return function(*columns, **given, options=options_class(**options)).require_several_groups()

    def score_config(self, name: str, columns: Mapping[str, Any], options: Mapping[str, Any]) -> "Scores":
        """Score columns with keyword arguments of the options, by the rules and keys of a config of the evaluate module."""
        function, options_class = self.load()
        return function(**columns, options=options_class.of_config(name, options))

    def score_blank(
        self, references: Sequence[Any], ids: Sequence[Any] | None = None, groups: Any = None, *, options: Any
    ) -> "Scores":
        """Score an empty prediction per row, without a model, so that wrong references, ids, groups and options fail early.

        Its measures are what any predictions get; where data decide the classes, some may be absent.
        """
        function, _ = self.load()
        if getattr(options, "unextracted", None) == "error":
            options = dataclasses.replace(options, unextracted="zero")
        blank = "" if getattr(options, "top_k", None) is None else [""]
        scores = function([blank] * len(references), references, ids, groups=groups, options=options)
        return scores.require_several_groups()

    def check_questions(self, options: Any, are_given: bool) -> None:
        """Refuse options that require questions if none are given. The base can."""

    def prepare(self, options: Any) -> None:
        """Get what scoring with these options needs, so that no file is blamed for what cannot be had. The base needs nothing."""

    def measure_options(
        self, names: Sequence[str] | None, by: Sequence[str], gold: "Gold", form: str
    ) -> dict[str, Any]:
        """The options that follow from `--measures` (None: not given), `--by` and `--format`, for a family in which
        they decide what is computed.
        """
        return {}

    def smallest_rows(self, options: Any) -> list[Mapping[str, Any]]:
        """The smallest columns that these options can score at least in part: the columns of `smallest`.

        A family overrides it where its options need other rows, such as a class of the option `labels`.
        """
        return [columns for columns, _ in self.smallest]

    def measures(self) -> list[tuple[str, str]]:
        """What `qassay explain` lists: the name of each measure and its meaning, empty where the name says it."""
        function, options_class = self.load()
        scored = [function(**columns, options=options_class(**options)) for columns, options in self.smallest]
        names = dict.fromkeys(name for scores in scored for name in scores.measures)
        return [(name, self.telling.meanings.get(name, "")) for name in names]


class Columns(NamedTuple):
    """The columns of a scoring function: all, by position, and the needed ones."""

    names: tuple[str, ...]
    by_position: tuple[str, ...]
    required: frozenset[str]


@functools.cache
def _columns(function: Callable[..., Any]) -> Columns:
    columns = {name: column for name, column in inspect.signature(function).parameters.items() if name != "options"}
    return Columns(
        tuple(columns),
        tuple(name for name, column in columns.items() if column.kind is not inspect.Parameter.KEYWORD_ONLY),
        frozenset(name for name, column in columns.items() if column.default is inspect.Parameter.empty),
    )
