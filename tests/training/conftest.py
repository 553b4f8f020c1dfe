"""What the tests of the training hooks share."""

import pytest


@pytest.fixture(autouse=True)
def one_thread():
    """One thread of torch: several cost the tiny models of these tests more than they save."""
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)
