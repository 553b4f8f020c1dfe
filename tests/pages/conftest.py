"""Pages of metrics, as their Spaces start them."""

import runpy
from pathlib import Path

import pytest

METRICS = Path(__file__).resolve().parents[2] / "metrics"

ATTACK = '<img src=x onerror="window.hit=1"><script>window.hit=2</script>'


def app(name):
    return runpy.run_path(str(METRICS / name / "app.py"))["PAGE"]


@pytest.fixture(scope="module")
def answers():
    return app("answer_match")


@pytest.fixture(scope="module")
def rankings():
    return app("retrieval_ranking")
