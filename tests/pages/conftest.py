"""Pages of metrics, loaded as their Spaces load them."""

import runpy

import pytest

from qassay.pages import build as spaces

ATTACK = '<img src=x onerror="window.hit=1"><script>window.hit=2</script>'


def app(name):
    return runpy.run_path(str(spaces.PACKAGE / name / "app.py"))["PAGE"]


@pytest.fixture(scope="module")
def answers():
    return app("answer_match")


@pytest.fixture(scope="module")
def rankings():
    return app("retrieval_ranking")
