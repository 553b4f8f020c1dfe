"""The pytest plugin: the fixture `qassay_gate` judges a system against predictions stored in the repository.

pytest loads it automatically. It only registers options until a test requests the fixture.
"""

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from .baselines import BaselineGate

_FOLDER = "qassay_baselines"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of the gate to pytest."""
    group = parser.getgroup("qassay", "a gate for systems that answer questions")
    meaning = "the folder of the baselines that qassay_gate judges by"
    group.addoption("--qassay-baseline", metavar="DIR", help=f"{meaning}; default: the ini option, or {_FOLDER}")
    group.addoption(
        "--qassay-update-baseline",
        action="store_true",
        help="store the predictions of this run as the baselines, instead of judging them",
    )
    parser.addini("qassay_baseline", f"{meaning}, from the root folder of pytest", default=_FOLDER)


@pytest.fixture
def qassay_gate(request: pytest.FixtureRequest) -> "BaselineGate":
    """`qassay_gate(metric, predictions, references, measure, margin=0.01)`; see `qassay.check.baselines.BaselineGate`."""
    from .baselines import BaselineGate

    config = request.config
    folder = config.getoption("qassay_baseline") or config.rootpath / config.getini("qassay_baseline")
    return BaselineGate(folder, request.node.nodeid, update=config.getoption("qassay_update_baseline"))
