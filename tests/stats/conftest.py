import pytest

import qassay

from .some_runs import PARTS


@pytest.fixture
def runs():
    return qassay.runs(PARTS)
