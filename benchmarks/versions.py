"""Installs the package with the oldest and the newest dependencies for each available Python, and runs its tests.

    python benchmarks/versions.py [--python 3.10] [--bounds oldest] [--folder FOLDER] [--tests tests/core ...]

Each pair gets its own environment. First the package without extras is installed, and the commands of its samples run;
then the test tools are installed, and the tests run. The oldest versions are the lower bounds in setup.cfg. Tests that
need torch, Gradio or Ray are skipped, because these are not installed; `--extras all` installs them.
"""

import argparse
import configparser
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TOOLS = (
    "pytest", "pytest-xdist", "hypothesis", "pandas", "scikit-learn", "pytrec-eval-terrier", "pycocotools",
    "markdown-it-py", "jieba", "nltk", "huggingface_hub", "pyyaml",
)  # fmt: skip
TESTS = (
    "core", "contract", "stats", "answer_match", "retrieval_ranking", "factoid_accuracy", "retriever_reader",
    "semantic_answer_similarity", "label_metrics", "average_precision", "files", "cli", "results", "fuzz",
    "golden",
)  # fmt: skip
FILES = (
    ("answers/gold.json", "answers/small_model.json", "answers/large_model.json"),
    ("rankings/qrels.txt", "rankings/bm25.run", "rankings/dense.run"),
    ("factoid/gold.json", "factoid/careful.json", "factoid/hasty.json"),
    ("pipeline/gold.json", "pipeline/keyword.json", "pipeline/dense.json"),
    ("labels/subjects.txt", "labels/subjects_words.txt", "labels/subjects_graph.txt"),
    ("labels/pages.jsonl", "labels/pages_found.jsonl"),
)


def setup() -> configparser.ConfigParser:
    """The contents of setup.cfg."""
    found = configparser.ConfigParser()
    found.read(ROOT / "setup.cfg", "utf-8")
    return found


def pythons() -> list[str]:
    """The versions of Python in the classifiers."""
    return re.findall(r"Python :: (3\.\d+)", setup()["metadata"]["classifiers"])


def requirements() -> list[str]:
    """Every requirement of the package and its extras."""
    config = setup()
    lists = [config["options"]["install_requires"], *config["options.extras_require"].values()]
    return [line for text in lists for line in text.split("\n") if line]


def oldest() -> list[str]:
    """The lower bounds as pip constraints: "numpy>=1.26" becomes "numpy==1.26"."""
    bounds = (re.match(r"([\w.-]+)(?:\[[\w,]+\])?>=([\w.]+)", line) for line in requirements())
    return sorted({f"{bound[1]}=={bound[2]}" for bound in bounds if bound})


def interpreter(version: str) -> str | None:
    """The path of a Python of this version, from PATH or pyenv; None without one."""
    homes = sorted((Path.home() / ".pyenv" / "versions").glob(f"{version}.*"))
    named = [shutil.which(f"python{version}"), *(str(home / "bin" / "python") for home in homes)]
    if f"{sys.version_info[0]}.{sys.version_info[1]}" == version:
        named.insert(0, sys.executable)
    for path in named:
        if path and subprocess.run([path, "--version"], capture_output=True, check=False).returncode == 0:
            return path
    return None


def run(command: list[str], log: Path) -> tuple[bool, str]:
    """Whether a command succeeds, and the last line of its output; the output goes to the log."""
    kept = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTEST_ADDOPTS")}
    with log.open("a", encoding="utf-8") as file:
        print("$", *command, file=file, flush=True)
        done = subprocess.run(command, cwd=ROOT, env=kept, stdout=file, stderr=subprocess.STDOUT, check=False)
    lines = log.read_text("utf-8").strip().splitlines()
    return done.returncode == 0, lines[-1] if lines else ""


def try_environment(python: str, bounds: str, extras: str, tests: list[str], folder: Path) -> list[str]:
    """The faults of one environment, a line each; its log is beside it."""
    folder.mkdir(parents=True)
    log, bin_ = folder / "log.txt", folder / "env" / ("Scripts" if os.name == "nt" else "bin")
    limits = folder / "constraints.txt"
    limits.write_text("\n".join(oldest() if bounds == "oldest" else []) + "\n", "utf-8")
    pip = [str(bin_ / "python"), "-m", "pip", "install", "--quiet", "--no-cache-dir", "--constraint", str(limits)]
    steps = [[python, "-m", "venv", str(folder / "env")], [*pip, "--editable", "."]]
    for metric, (gold, *systems) in zip(["", "", "", "retriever_reader", "", ""], FILES, strict=True):
        files = [str(ROOT / "samples" / name) for name in (gold, *systems)]
        steps.append([str(bin_ / "qassay"), "score", *files, *(["--metric", metric] if metric else [])])
    steps.append([*pip, "--editable", f".[{extras}]", *TOOLS])
    for step in steps:
        succeeds, last = run(step, log)
        if not succeeds:
            return [f"{' '.join(step)[-200:]}: {last}"]
    listed = subprocess.run([str(bin_ / "python"), "-m", "pip", "freeze"], capture_output=True, text=True, check=True)
    core = [re.match(r"[\w.-]+", line)[0] for line in setup()["options"]["install_requires"].split("\n") if line]
    print("   ", *(line for line in listed.stdout.split() if line.partition("==")[0] in (*core, "pandas", "datasets")))
    options = ["-o", "addopts=--import-mode=importlib --strict-markers", "-m", "not thorough", "-p", "no:cacheprovider"]
    passes, last = run([str(bin_ / "python"), "-m", "pytest", "-q", "-n", "2", *options, *tests], log)
    print(f"    {last}", flush=True)
    return [] if passes else [f"tests: {last}; see {log}"]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", action="append", help="a version, such as 3.12; all of setup.cfg where not given")
    parser.add_argument("--bounds", choices=("oldest", "newest"), action="append", help="both where not given")
    parser.add_argument("--extras", default="evaluate", help="extras that the tests get (evaluate)")
    parser.add_argument("--folder", type=Path, help="keep environments and logs there; otherwise they are deleted")
    parser.add_argument("--tests", nargs="+", default=[f"tests/{name}" for name in TESTS])
    given = parser.parse_args()
    faults = []
    with tempfile.TemporaryDirectory() as temporary:
        for version in given.python or pythons():
            python = interpreter(version)
            for bounds in given.bounds or ("oldest", "newest"):
                name = f"Python {version}, {bounds} dependencies"
                # The oldest libraries have no builds for later versions of Python.
                if bounds == "oldest" and version != pythons()[0] and not given.bounds:
                    continue
                if python is None:
                    print(f"{name}: no Python {version} is here; skipped")
                    continue
                print(name, flush=True)
                start = time.perf_counter()
                found = try_environment(
                    python, bounds, given.extras, given.tests, (given.folder or Path(temporary)) / f"{version}-{bounds}"
                )
                print(f"    {time.perf_counter() - start:.0f} s, {len(found)} faults", flush=True)
                for fault in found:
                    print(f"    {fault}", flush=True)
                faults += found
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
