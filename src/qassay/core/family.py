"""The base class of descriptors of metrics; each metric has one in its `family.py`."""

import dataclasses
import functools
import importlib
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .about import About

if TYPE_CHECKING:
    from .file_columns import Gold
    from .options import Options
    from .scores import Scores


class Family:
    """One metric family. Subclasses override what differs, and nothing else.

    `qassay list` imports every descriptor, so import numpy, and modules that need it, only inside methods.

    Attributes:
        name: the name of the metric and of its folder, as in `qassay.score(name, ...)` and in the signature.
        source: the source of its rules.
        function, options: the names of the scoring function and of the class of options in the scoring module.
        known_as: names that other tools use for the metric, its programs, data sets and measures, in lower case -> a
            clause that explains the name.
        smallest: the smallest inputs, (columns, options) each, that together produce all measures, in order to list
            them. Every family sets it.
        scores_outputs: whether a prediction is the output of a model for one example, a text or a label (or ranked texts,
            with the option `top_k`), which the Trainer hooks and `evaluate_pipeline` can score.
        lone_options: options that are not passed to this metric if another requested metric has an option of this name.
        page_options: the options that visitors of a page may set; None: all. Others fetch, run or move models on the machine
            that serves the page.
        reads_questions: its function has a column `questions`, which the hooks and `evaluate_pipeline` fill if they
            can.
        files_of: the metric whose formats of files it reads: itself, or another one.
        named_only: whether users must name this metric, because its tables look like those of other metrics.
        list_options: options that may be a comma-separated list of names or integers, or one integer.
        about: what is known of its scores.
    """

    name: str
    source: str
    function: str
    options: str
    known_as: Mapping[str, str] = {}
    smallest: Sequence[tuple[Mapping[str, Any], Mapping[str, Any]]]
    scores_outputs: bool = False
    lone_options: tuple[str, ...] = ()
    page_options: tuple[str, ...] | None = None
    reads_questions: bool = False
    named_only: bool = False
    list_options: tuple[str, ...] = ()
    about: About

    @property
    def files_of(self) -> str:
        return self.name

    @property
    def module(self) -> str:
        """The scoring module."""
        return f"qassay.{self.name}.scoring"

    def load(self) -> tuple[Callable[..., "Scores"], "type[Options]"]:
        """Import the scoring function and the class of its options."""
        module = importlib.import_module(self.module)
        return getattr(module, self.function), getattr(module, self.options)

    @property
    def loads_model(self) -> bool:
        """Whether the metric has the option `model`, a large model that `prepare` loads."""
        return "model" in self.load()[1].__dataclass_fields__

    def runs_model(self, options: Any) -> bool:
        """Whether scoring with these options runs a large model or a judge."""
        built_in: Any = self.load()[1](**self.smallest[0][1])
        return self.loads_model and options.model != built_in.model

    @property
    def columns(self) -> Mapping[str, inspect.Parameter]:
        """The columns of the scoring function, by name."""
        return _column_signature(self.load()[0]).parameters

    @property
    def requires_gold(self) -> bool:
        """Whether the second column, of the gold data, must be given."""
        return [*self.columns.values()][1].default is inspect.Parameter.empty

    def one(self, options: Any) -> Callable[..., dict[str, float] | None] | None:
        """The fast path to the measures of one example, for `qassay.scorer`, which rewards call in a loop; only
        answer_match has one. None in the base: one example is scored by columns.

        Returns:
            A function of a prediction, its gold data and optional further columns, by name, that returns measure ->
            value, exactly as by columns, without measures that do not apply. It returns None or raises any error for
            unusual or wrong input, which is then scored by columns and gets their error messages. None if these options
            have no fast path.
        """
        return None

    @property
    def module_class(self) -> Any:
        """The class of its evaluate module; needs evaluate."""
        script = importlib.import_module(f"qassay.{self.name}.module")
        return getattr(script, "".join(map(str.title, self.name.split("_"))))

    def citation(self) -> str:
        """The sources to cite for this metric, as BibTeX."""
        return str(importlib.import_module(f"qassay.{self.name}.about").CITATION).strip()

    def score(self, *columns: Any, **options: Any) -> "Scores":
        """Score columns, given by position or by name, with options by name: implements `qassay.score`.

        Raises:
            TypeError: a column that is missing or given twice, an option that the family does not have. ValueError:
                series of pandas with the same index in another order, or all examples in one group.
        """
        function, options_class = self.load()
        names = self.columns
        given = {key: options.pop(key) for key in [*options] if key in names}
        options_class.check_names(options, columns=names)
        bound = bound_columns(function, self.name, columns, given)
        return function(**bound, options=options_class(**options)).require_several_groups()

    def score_config(self, name: str, columns: Mapping[str, Any], options: Mapping[str, Any]) -> "Scores":
        """Score columns with options as keyword arguments, with the rules and keys of a config of the evaluate
        module.
        """
        function, options_class = self.load()
        return function(**columns, options=options_class.of_config(name, options))

    def gold_of_file(self, gold: "Gold") -> "Gold":
        """A gold file as this family scores it. The base takes it as it was read."""
        return gold

    def columns_of_files(self, gold: "Gold", predictions: Mapping[str, Any]) -> dict[str, Any]:
        """The columns of the function: of the gold file, with the options to use, and of the predictions.

        Raises:
            ValueError: the files are swapped.
        """
        return {**gold.columns, **predictions}

    def remark_of_gold(self, gold: "Gold") -> str | None:
        """A remark on what a table of gold data lacks; None in the base."""
        return None

    def score_blank(
        self, references: Sequence[Any], ids: Sequence[Any] | None = None, groups: Any = None, *, options: Any
    ) -> "Scores":
        """Score an empty prediction per row, without a model, so that wrong references, ids, groups and options fail early.

        It has the measures that any predictions get; if the data decide the classes, some may be absent.
        """
        function, _ = self.load()
        if getattr(options, "unextracted", None) == "error":
            options = dataclasses.replace(options, unextracted="zero")
        blank = "" if getattr(options, "top_k", None) is None else [""]
        scores = function([blank] * len(references), references, ids, groups=groups, options=options)
        return scores.require_several_groups()

    def check_questions(self, options: Any, are_given: bool) -> None:
        """Refuse options that require questions if none are given. The base requires none."""

    def prepare(self, options: Any) -> None:
        """Load the model that scoring with these options needs, if there is one, before files are scored."""
        if self.loads_model:
            importlib.import_module(self.module).scorer_of(options)

    def measure_options(
        self, names: Sequence[str] | None, by: Sequence[str], gold: "Gold", form: str
    ) -> dict[str, Any]:
        """The options that follow from `--measures` (None: not given), `--by` and `--format`, for a family that
        computes only requested measures.
        """
        return {}

    def smallest_rows(self, options: Any) -> list[Mapping[str, Any]]:
        """The smallest columns that these options can score at least in part: the columns of `smallest`.

        A family overrides it if its options need other rows, such as a class of the option `labels`.
        """
        return [columns for columns, _ in self.smallest]

    def measures(self) -> list[tuple[str, str]]:
        """What `qassay explain` lists: the name and meaning of each measure; the meaning is empty if the name is
        clear.
        """
        function, options_class = self.load()
        scored = [function(**columns, options=options_class(**options)) for columns, options in self.smallest]
        names = dict.fromkeys(name for scores in scored for name in scores.measures)
        return [(name, self.about.meanings.get(name, "")) for name in names]


@functools.cache
def _column_signature(function: Callable[..., Any]) -> inspect.Signature:
    parameters = inspect.signature(function).parameters
    return inspect.Signature([column for name, column in parameters.items() if name != "options"])


def bound_columns(
    function: Callable[..., Any], metric: str, columns: Sequence[Any], named: Mapping[str, Any]
) -> dict[str, Any]:
    """The columns of a call by name, given by position and by name, in the rows of one data frame where pandas holds them.

    Raises:
        TypeError: a column that is missing, unknown or given twice. InputError: as in `columns_of_frame`.
    """
    from .columns import columns_of_frame  # needs numpy

    signature = _column_signature(function)
    try:
        given = signature.bind(*columns, **named).arguments
    except TypeError as error:
        raise TypeError(f"{metric}: {error}; its columns are: {', '.join(signature.parameters)}") from None
    if all(isinstance(column, (list, tuple, dict)) for column in given.values()):
        return given
    return columns_of_frame(given)
