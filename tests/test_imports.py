"""Allowed imports: the core imports only itself, a family its declared families, generic code families by the registry."""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from qassay.registry import FAMILIES

ROOT = Path(__file__).parent.parent
# From the ground up: a room imports rooms of lower floors. "qassay" is metrics/__init__.py.
FLOORS = (
    {"core"},
    {"registry"},  # it loads a family on request by name
    {"files"},
    {*FAMILIES, "system_files", "labelling"},
    {"repeated_runs"},
    {"comparison"},
    {"catalog"},  # it explains the remarks of comparisons
    {"scoring"},
    {"calibration", "label_agreement"},
    {"reports", "pages", "cluster", "testing", "training", "table_scoring", "rewards"},
    {"exports", "leaderboards"},
    {"qassay"},
    {"kept_baselines"},
    {"pytest_plugin"},
    {"integrations"},
    {"spaces_app"},
    {"cli"},
    {"__main__"},
)
FLOOR_OF = {room: floor for floor, rooms in enumerate(FLOORS) for room in rooms}
ROOMS = {"qassay", "spaces_app"} | {
    path.stem
    for path in (ROOT / "metrics").iterdir()
    if path.suffix == ".py" and path.stem != "__init__" or (path / "__init__.py").is_file()
}


class Import(NamedTuple):
    file: str
    room: str
    module: str
    target: str  # the room of the module
    is_relative: bool

    def __str__(self):
        return f"{self.file} imports {self.module}"


def _files() -> Iterator[Path]:
    for path in sorted([*(ROOT / "metrics").rglob("*.py"), *(ROOT / "spaces_app").rglob("*.py")]):
        family = path.parent.name  # its script, shim, page and tests work copied, away from the package
        if family not in FAMILIES or path.name not in (f"{family}.py", "shim.py", "app.py", "tests.py"):
            yield path


def _imports(path: Path) -> Iterator[Import]:
    parts = path.relative_to(ROOT).with_suffix("").parts
    package = ("qassay", *parts[parts[0] == "metrics" : -1])
    room = package[1] if len(package) > 1 else "qassay" if path.stem == "__init__" else path.stem
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(package[: len(package) - node.level + 1]) if node.level else ""
            module = ".".join(filter(None, (base, node.module)))
            modules = [f"{module}.{alias.name}" for alias in node.names] if module == "qassay" else [module]
        else:
            continue
        for module in modules:
            names = module.split(".")
            if names[0] == "qassay":  # what metrics/__init__.py offers by name belongs to the package
                target = names[1] if len(names) > 1 and names[1] in ROOMS else "qassay"
                yield Import(path.relative_to(ROOT).as_posix(), room, module, target, bool(getattr(node, "level", 0)))


@pytest.fixture(scope="module")
def edges():
    """Every import of the package by the package."""
    return [edge for path in _files() for edge in _imports(path)]


@pytest.fixture(scope="module")
def between_rooms(edges):
    return [edge for edge in edges if edge.room != edge.target]


def test_every_room_has_a_floor(edges):
    assert ROOMS <= FLOOR_OF.keys() and {edge.room for edge in edges} <= ROOMS


def test_the_core_imports_only_the_core(between_rooms):
    assert [str(edge) for edge in between_rooms if edge.room == "core"] == []


@pytest.mark.parametrize("name", FAMILIES)
def test_a_family_imports_the_core_files_and_the_families_that_it_builds_on(between_rooms, name):
    wanted = [edge for edge in between_rooms if edge.room == name]
    assert [str(edge) for edge in wanted if edge.target not in ("core", "files", *FAMILIES[name].builds_on)] == []
    assert set(FAMILIES[name].builds_on) <= {edge.target for edge in wanted}


def test_only_descriptors_and_readers_of_families_import_files(between_rooms):
    wanted = [edge for edge in between_rooms if edge.room in FAMILIES and edge.target == "files"]
    allowed = ("family.py", "kinds.py", "read_*.py", "*_lines.py")
    assert [str(edge) for edge in wanted if not any(map(Path(edge.file).match, allowed))] == []


def test_generic_code_reaches_families_through_the_registry_only(between_rooms):
    assert [str(edge) for edge in between_rooms if edge.target in FAMILIES and edge.room not in FAMILIES] == []


def test_every_import_runs_downward(between_rooms):
    wanted = [edge for edge in between_rooms if not {edge.room, edge.target} <= {*FAMILIES}]
    assert [str(edge) for edge in wanted if FLOOR_OF[edge.target] >= FLOOR_OF[edge.room]] == []


def test_there_is_no_circle_of_rooms(between_rooms):
    below = {room: {edge.target for edge in between_rooms if edge.room == room} for room in ROOMS}
    while leaves := {room for room, targets in below.items() if not targets & below.keys()}:
        below = {room: targets for room, targets in below.items() if room not in leaves}
    assert below == {}


def test_imports_are_relative_in_the_package_and_absolute_in_the_page(edges):
    wrong = [edge for edge in edges if edge.is_relative != (edge.room != "spaces_app")]
    copied = [edge for edge in wrong if edge.room == "pages" and edge.target in ("pages", "core")]  # into Spaces
    assert [str(edge) for edge in wrong if edge not in copied] == []
