"""Real data for tests that need it, and small builders shared by several test files."""

import contextlib
import csv
import dataclasses
import gc
import importlib
import importlib.util
import json
import os
import re
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import pytest

import qassay
from qassay.core import matching
from qassay.core.examples import Examples
from qassay.files import FileError, read_predictions
from qassay.files.gold_and_predictions import read_golds
from qassay.registry import get_family

ROOT = Path(__file__).resolve().parent.parent

# The tests run in a process per processor: threads of torch or scikit-learn would only wait for each other.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# Workers, and the dozens of processes that tests start, would each compile the package and the tests anew; git ignores
# what is compiled.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# The time that an example takes decides nothing; the environment of the adapters has no hypothesis.
if importlib.util.find_spec("hypothesis"):
    from hypothesis import settings

    settings.register_profile("without deadline", deadline=None)
    if not os.environ.get("CI"):  # hypothesis has its own profile there, without a deadline too
        settings.load_profile("without deadline")

DATA = Path(os.environ.get("QASSAY_TEST_DATA", ROOT.parent / "shared" / "data"))


_WHOLLY_THOROUGH = re.compile(r"^pytestmark = pytest\.mark\.thorough$", re.MULTILINE)


def pytest_ignore_collect(collection_path, config):
    """By default, files whose tests are all thorough are not imported: torch, Gradio and Ray take seconds to load."""
    named = {Path(argument.split("::")[0]).resolve() for argument in config.args}  # these say what was deselected
    if (
        collection_path.name.startswith("test_")
        and config.option.markexpr == "not thorough"
        and collection_path not in named
    ):
        return True if _WHOLLY_THOROUGH.search(collection_path.read_text("utf-8")) else None
    return None


def pytest_report_header():
    """Which copy of the package is tested: an editable installation of another clone looks the same."""
    return f"qassay: {Path(qassay.__file__).parent}"


@pytest.hookimpl(wrapper=True)
def pytest_collection(session):
    """Freeze collected tests, so that the garbage collector skips them."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()


def pytest_itemcollected(item):
    """Try a property with a quarter of its cases, and with all cases under -m thorough."""
    test = getattr(item, "obj", None)
    if not getattr(test, "is_hypothesis_test", False):
        return
    if item.config.option.markexpr == "thorough":
        item.add_marker("thorough")
    elif not hasattr(test, "all_cases"):  # items for all parameters share the function
        test.all_cases = test._hypothesis_internal_use_settings
        fewer = max(10, test.all_cases.max_examples // 4)
        test._hypothesis_internal_use_settings = settings(test.all_cases, max_examples=fewer)


# Tests that load models or start a cluster run in one worker: each group is one piece of work.
_OF_MODELS = {"answer_equivalence", "semantic_answer_similarity", "training"}
_PIECES = {**dict.fromkeys(_OF_MODELS, "models"), "cluster": "cluster"}


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """A worker takes one file at a time in the order of collection, so its fixtures are made once; golden numbers share none."""
    if config.getvalue("dist") != "loadfile":
        return None
    from xdist.scheduler import LoadScopeScheduling

    is_thorough = config.option.markexpr == "thorough"

    class ByFile(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            path = nodeid.partition("::")[0]
            room = Path(path).parent.name
            return nodeid if room == "golden" else _PIECES.get(room, path) if is_thorough else path

    config.option.loadscopereorder = False  # by the number of tests
    return ByFile(config, log)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    """Run the longest files first, so that no worker is left with a long file at the end."""
    with_browser = {item.path for item in items if "browser" in item.fixturenames}
    items.sort(key=lambda item: (item.path.parent.name not in {"golden", *_PIECES}, item.path not in with_browser))


_FLAGS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking", "--disable-component-update",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
)  # fmt: skip
_BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


@pytest.fixture(scope="module")
def browser():
    """Chromium or Chrome of this machine; of a module, because a running Playwright occupies the thread's event loop."""
    program = os.environ.get("CHROME_PATH") or next(filter(None, map(shutil.which, _BROWSERS)), None)
    missing = None if program else "there is no Chromium or Chrome here; install one or set CHROME_PATH"
    try:
        from playwright.sync_api import sync_playwright
    except ModuleNotFoundError:
        missing = 'playwright is not installed; run pip install -e ".[test-all]"'
    if missing:
        # Where the browser is required, its absence must not look like success.
        (pytest.fail if os.environ.get("REQUIRE_BROWSER") == "1" else pytest.skip)(missing)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=program, args=list(_FLAGS))
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def load_script() -> Callable[[str], ModuleType]:
    """Import a module of benchmarks/ by its name."""

    def load(name: str) -> ModuleType:
        with pytest.MonkeyPatch.context() as patch:
            patch.syspath_prepend(ROOT)
            return importlib.import_module(f"benchmarks.{name}")

    return load


def measures_by_columns(metric: str, options: Any, *sides: Any, **columns: Any) -> list[dict[str, float]]:
    """The means of measures over examples scored one by one, without the fast path; measures that do not apply are absent."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(matching, "SHORT", -1)
        scores = qassay.score(metric, *sides, **columns, **options)
    values = {
        name: measure.by_example(scores.rows).tolist()
        for name, measure in scores.measures.items()
        if measure.is_mean and measure.subset is None
    }
    rows = [{name: column[row] for name, column in values.items()} for row in range(len(scores))]
    return [{name: value for name, value in row.items() if value == value} for row in rows]


@pytest.fixture(scope="session")
def rows_by_columns():
    """`rows_by_columns(metric, options, predictions, golds, **columns)`: the measures of each example, without the fast path."""
    return measures_by_columns


@pytest.fixture(scope="session")
def by_columns():
    """`by_columns(metric, options, prediction, gold, **columns)`: the measures of one example; columns of None are omitted."""

    def measures(metric: str, options: Any, *row: Any, **columns: Any) -> dict[str, float]:
        further = {name: [value] for name, value in columns.items() if value is not None}
        return measures_by_columns(metric, options, *([value] for value in row), **further)[0]

    return measures


@pytest.fixture(params=[1, pytest.param(10, marks=pytest.mark.thorough)], ids=["few", "many"])
def scale(request) -> int:
    """Factor for the number of random cases in comparisons with peers: 1, and 10 under -m thorough."""
    return request.param


@pytest.fixture(scope="module", params=[-1, 10**9], ids=["by columns", "one by one"])
def both_ways(request):
    """Compare answers as columns of tokens, and then one by one in plain Python, for any number of answers."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(matching, "SHORT", request.param)
        yield


@pytest.fixture(scope="session")
def datasets():
    """The library, loaded when a test needs it, so that collection is fast."""
    return importlib.import_module("datasets")


@pytest.fixture(scope="session")
def evaluate():
    """The library, loaded when a test needs it."""
    return importlib.import_module("evaluate")


@pytest.fixture(scope="session")
def pd():
    """pandas."""
    return importlib.import_module("pandas")


@pytest.fixture(scope="session")
def ranx():
    """The peer ranx as plain Python: compiling takes seconds, small cases do not."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NUMBA_DISABLE_JIT", "1")
        yield pytest.importorskip("ranx", reason='needs ranx: pip install -e ".[bench]"')


@pytest.fixture(scope="module")
def sklearn():
    """`sklearn.metrics` without most of its checks, which dominate the time of small cases."""
    from sklearn import config_context, metrics

    with config_context(skip_parameter_validation=True, assume_finite=True):
        yield metrics


@pytest.fixture(scope="session", autouse=True)
def no_wait_for_the_disk():
    """Skip `os.fsync`, which takes milliseconds; files of tests need not survive a power cut."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda descriptor: None)
        yield


@pytest.fixture
def full_disk():
    """`with full_disk(size):` the system refuses to write any file beyond `size` bytes."""
    resource = pytest.importorskip("resource", reason="limits of the size of files are those of POSIX")

    @contextlib.contextmanager
    def limited(size: int):
        before = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)

    return limited


@pytest.fixture(scope="session")
def samples() -> Path:
    """The folder of the invented sample data."""
    return ROOT / "samples" / "answers"


def folder_of_data(name: str, file: str, what: str) -> Any:
    """A fixture: a folder of data that are not in the clone, without which its tests are skipped."""

    @pytest.fixture(scope="session", name=name)
    def folder() -> Path:
        if not (DATA / file).is_file():
            pytest.skip(f"{what} are not here; set QASSAY_TEST_DATA to a folder with {file}")
        return (DATA / file).parent

    return folder


squad2 = folder_of_data("squad2", "squad2/dev-v2.0.json", "SQuAD 2.0 dev and predictions of two systems")
sas = folder_of_data("sas", "sas/nq_open_pairs.csv", "the pairs of NQ-open with labels and published scores")
evouna = folder_of_data("evouna", "answer_equivalence/evouna_nq.json", "people's verdicts on answers of five systems")
trec = folder_of_data("trec", "trec/out.test", "a run, judgements, and what trec_eval prints for them")
bioasq = folder_of_data("bioasq", "bioasq/official_scores.json", "runs of BioASQ 12b and their official scores")
nlpcc = folder_of_data("nlpcc", "nlpcc/official_outputs.txt", "cases of NLPCC-DBQA with the official program's output")


@pytest.fixture(scope="session")
def squad2_golds(squad2: Path) -> dict[str, list[str]]:
    """Gold answers by id, in the order of the file."""
    data = json.loads((squad2 / "dev-v2.0.json").read_text("utf-8"))["data"]
    questions = (question for article in data for paragraph in article["paragraphs"] for question in paragraph["qas"])
    return {question["id"]: [answer["text"] for answer in question["answers"]] for question in questions}


@pytest.fixture(scope="session")
def squad2_systems(squad2: Path) -> dict[str, dict[str, str]]:
    """Answers by id of the two systems."""
    return {
        name: json.loads((squad2 / f"predictions_{name}.json").read_text("utf-8")) for name in ("bert", "bidaf_elmo")
    }


@pytest.fixture
def usual_csv_limit():
    """The longest cell that Python's csv reads by default; other libraries raise it for the whole process."""
    before = csv.field_size_limit(131_072)
    yield
    csv.field_size_limit(before)


@pytest.fixture
def save_table(tmp_path):
    """A function: rows, columns, text, bytes or an Arrow table, and a name -> path of the file, in the format of the name."""

    def write(data, name="file"):
        path = tmp_path / name
        if isinstance(data, list) and name.endswith((".csv", ".parquet")):
            names = dict.fromkeys(name for row in data for name in row)
            data = {name: [row.get(name) for row in data] for name in names}
        if isinstance(data, dict) and name.endswith(".csv"):  # with lists and objects in JSON, empty for None
            nested = {
                key: [json.dumps(cell) if isinstance(cell, (list, dict)) else cell for cell in cells]
                for key, cells in data.items()
            }
            with path.open("w", encoding="utf-8", newline="") as file:
                csv.writer(file).writerows([nested, *zip(*nested.values(), strict=True)])
            return path
        if name.endswith(".parquet") or hasattr(data, "schema"):
            import pyarrow as pa
            from pyarrow import parquet

            parquet.write_table(pa.table(data) if isinstance(data, dict) else data, path)
        elif name.endswith(".jsonl") and not isinstance(data, (str, bytes)):
            path.write_text("".join(json.dumps(row) + "\n" for row in data), "utf-8")
        elif isinstance(data, (list, dict)):
            path.write_text(json.dumps(data), "utf-8")
        else:
            path.write_bytes(data if isinstance(data, bytes) else data.encode("utf-8"))
        return path

    return write


@pytest.fixture
def save(save_table):
    """A function: a name and content for `save_table` -> path of the file."""
    return lambda name, value: save_table(value, name)


@pytest.fixture
def refused():
    """Check that a reader, called with a path and more arguments, raises an error that begins with the path."""

    def check(words, read, path, *more):
        with pytest.raises(FileError) as caught:
            read(path, *more)
        assert str(caught.value).startswith(f"{path}: ") and words in str(caught.value)

    return check


class Texts(NamedTuple):
    """The texts of an example, but for a whole output."""

    question: str | None
    gold: list[str]
    answers: list[str]


@pytest.fixture
def examples_of(tmp_path):
    """A function of two files (a path, text, or a JSON value; None for one file with both) -> kinds of errors, and of
    each example the question, the gold answers and the answers.
    """

    def put(given, name):
        if isinstance(given, Path):
            return str(given)
        text = given if isinstance(given, str) else json.dumps(given)
        suffix = "csv" if isinstance(given, str) and "," in given.split("\n")[0] and given[0] != "{" else "json"
        suffix = "jsonl" if isinstance(given, str) and given.startswith("{") else suffix
        (tmp_path / f"{name}.{suffix}").write_text(text, "utf-8")
        return str(tmp_path / f"{name}.{suffix}")

    def call(gold, system=None, metric=None, rows=None, **options):
        path = put(gold, "gold")
        ((name, read),) = read_golds(metric, path, {}).items()
        family = get_family(name)
        read = read.with_options(options)
        read = read.with_options(family.measure_options(None, ["error_kind"], read, "table"))
        columns = read_predictions(path if system is None else put(system, "system"), read).columns
        columns = family.columns_of_files(dataclasses.replace(read, columns={}), columns)
        scores = qassay.score(name, **read.columns, **columns, **read.options)
        rows = range(len(scores)) if rows is None else rows
        texts = family.about.example_texts(Examples(read, columns, scores, rows))
        kinds = family.about.errors.of(scores)
        assert kinds is None or set(kinds) <= set(family.about.errors.order)
        offered = family.about.slices(read, scores)
        assert (kinds is None) == ("error_kind" not in offered)
        assert kinds is None or list(offered["error_kind"]()) == kinds
        return kinds, [Texts(*text[:3]) for text in texts]

    return call
