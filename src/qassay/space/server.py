"""The server under the page: the server of uploads and requests, and what programs and the scores of visitors need more."""

from typing import Any

from ..core.arrow import release_memory
from ..pages.server import ServedBlocks
from .analysis import Analysis

# Rows of all systems in the scores of all visitors together. With its texts, and what tabs add, a row takes 0.6 to 0.9 kB,
# so that these take about 3 GB; the largest that a visitor may score has 800,000.
MAX_ROWS_KEPT = 4_000_000


class SpaceBlocks(ServedBlocks):
    """Blocks that keep nothing of the calls of programs, and of the scores of visitors no more than fits into memory.

    Gradio remembers the values of every request by session, also the values of programs, which come once.
    """

    async def preprocess_data(self, block_fn, inputs, state, explicit_call=False):
        """As for all pages, but programs have no state."""
        return await super().preprocess_data(block_fn, inputs, None if _is_api(block_fn) else state, explicit_call)

    async def postprocess_data(self, block_fn, predictions, state):
        """As in Gradio, but of the answers to programs nothing is kept."""
        return await super().postprocess_data(block_fn, predictions, None if _is_api(block_fn) else state)

    async def process_api(self, block_fn, inputs, *args, session_hash=None, **named):
        """As for all pages; the session of a program ends with its call, so that it takes no visitor's place."""
        fn = self.fns[block_fn] if isinstance(block_fn, int) else block_fn
        try:
            return await super().process_api(block_fn, inputs, *args, session_hash=session_hash, **named)
        finally:
            if _is_api(fn) and session_hash is not None:
                self.forget(session_hash)
            self.forget_large_scores()
            release_memory()

    def forget_large_scores(self) -> None:
        """Forget the sessions that were longest without an event, until the scores of all have `MAX_ROWS_KEPT`.

        What sessions share, such as what all see first, counts once; a session without data stays, and so
        does the one that was used last.
        """
        counted: set[int] = set()
        total = 0
        last_used_first = reversed(list(self.state_holder.session_data.items()))
        for place, (session, kept) in enumerate(last_used_first):
            new = {id(analysis): analysis for analysis in _analyses(kept) if id(analysis) not in counted}
            rows = sum(analysis.rows for analysis in new.values())
            total += rows
            if rows and place and total > MAX_ROWS_KEPT:
                self.forget(session)
                total -= rows
            else:
                counted.update(new)


def _analyses(session: Any) -> list[Analysis]:
    """What was scored in a session."""
    return [value for value in list(session.state_data.values()) if isinstance(value, Analysis)]


def _is_api(block_fn: Any) -> bool:
    """Whether only programs call it: the page's own events are private."""
    return block_fn.api_visibility != "private"
