"""The server under the page: the server of all pages, and what programs and the scores of visitors need more."""

import importlib.util
import json
import os
from typing import Any

from ..core.arrow import release_memory
from ..pages.server import ServedBlocks, call_words, launch_options
from .agreement_view import JudgedTable
from .analysis import Analysis
from .kept_work import KeptWork, Work

# Rows of all systems in the scores of all visitors together, and of their tables of labelled answers. With its texts, and what tabs add, a row takes 0.6 to 0.9 kB,
# so that these take about 3 GB; the largest that a visitor may score has 800,000.
MAX_ROWS_KEPT = 4_000_000


class SpaceBlocks(ServedBlocks):
    """Blocks that keep nothing of the calls of programs, and of the scores of visitors no more than fits into memory.

    Gradio remembers the values of every request by session, also the values of programs, which come once.

    Attributes:
        kept_work: what visitors made, for pages that are loaded again.
    """

    def __init__(self, *args, **named):
        super().__init__(*args, **named)
        self.kept_work = KeptWork()

    def launch(self, *args, **named):
        """As in Gradio; its tools of MCP tell wrong arguments in qassay's words."""
        launched = super().launch(*args, **named)
        if getattr(self, "mcp_server_obj", None):
            self._tell_wrong_arguments(self.mcp_server_obj.mcp_server.request_handlers)
        return launched

    def _tell_wrong_arguments(self, handlers: dict) -> None:
        from mcp.types import CallToolRequest

        call_tool = handlers[CallToolRequest]

        async def told(request):
            answer = await call_tool(request)
            fn = next((fn for fn in self.fns.values() if fn.api_name == request.params.name), None)
            for part in answer.root.content if fn and answer.root.isError else ():
                part.text = call_words(getattr(part, "text", ""), fn) or part.text
            return answer

        handlers[CallToolRequest] = told

    async def preprocess_data(self, block_fn, inputs, state, explicit_call=False):
        """As for all pages, but programs have no state."""
        return await super().preprocess_data(block_fn, inputs, None if _is_api(block_fn) else state, explicit_call)

    async def postprocess_data(self, block_fn, predictions, state):
        """As in Gradio, but of the answers to programs nothing is kept."""
        return await super().postprocess_data(block_fn, predictions, None if _is_api(block_fn) else state)

    async def process_api(self, block_fn, inputs, *args, request=None, session_hash=None, **named):
        """As for all pages; the session of a program ends with its call, so that it takes no visitor's place.

        Tools of MCP answer with text, for which Gradio takes Python's notation: it is JSON here.
        """
        fn = self.fns[block_fn] if isinstance(block_fn, int) else block_fn
        try:
            output = await super().process_api(
                block_fn, inputs, *args, request=request, session_hash=session_hash, **named
            )
        finally:
            if _is_api(fn) and session_hash is not None:
                self.forget(session_hash)
            elif session_hash is not None:
                self._touch_work(session_hash)
            self.kept_work.forget_old()
            self.forget_large_scores()
            release_memory()
        if _is_api(fn) and getattr(request, "headers", {}).get("x-gradio-user") == "mcp":
            output["data"] = [json.dumps(value, ensure_ascii=False) for value in output["data"]]
        return output

    def _touch_work(self, session: str) -> None:
        """What a visitor who is here has made is kept."""
        for work in self._works_of(session):
            self.kept_work.touch(work)

    def shows(self, session: str | None, work: Work) -> bool:
        """Whether a page shows a work now: the visitor may have scored other files meanwhile."""
        return any(work is own for own in self._works_of(session))

    def _works_of(self, session: str | None) -> list[Work]:
        found = self.state_holder.session_data
        return _works(found[session]) if session is not None and session in found else []

    def forget_large_scores(self) -> None:
        """Forget the sessions that were longest without an event, until the scores of all have `MAX_ROWS_KEPT`; and what was
        kept for pages that are loaded again.

        What sessions share, such as what all see first, counts once; a session without data stays, and so
        does the one that was used last.
        """
        counted: set[int] = set()
        total = 0
        last_used_first = reversed(list(self.state_holder.session_data.items()))
        for place, (session, kept) in enumerate(last_used_first):
            own_works = {id(work): work for work in _works(kept) if id(work) not in counted}
            own = sum(work.rows for work in own_works.values())
            total += own
            if own and place and total > MAX_ROWS_KEPT:
                self.forget(session)
                total -= own
            else:
                counted.update(own_works)
        for work in self.kept_work.last_used_first():
            own = 0 if id(work) in counted else work.rows
            total += own
            if total > MAX_ROWS_KEPT and not self._is_shown(work):
                self.kept_work.forget(work)
                total -= own

    def _is_shown(self, work: Work) -> bool:
        """Whether a session that is remembered has it."""
        return any(self.shows(session, work) for session in list(self.state_holder.session_data))


def _works(session: Any) -> list[Work]:
    """What was made in a session."""
    return [value for value in list(session.state_data.values()) if isinstance(value, (Analysis, JudgedTable))]


def _is_api(block_fn: Any) -> bool:
    """Whether only programs call it: the page's own events are private."""
    return block_fn.api_visibility != "private"


def wants_mcp() -> bool:
    """Whether `GRADIO_MCP_SERVER` asks for the tools of MCP.

    Raises:
        ImportError: it does, and what they need is not installed, which Gradio does not report.
    """
    if os.environ.get("GRADIO_MCP_SERVER", "").lower() not in ("true", "1", "yes"):
        return False
    if importlib.util.find_spec("mcp") is None:
        raise ImportError('GRADIO_MCP_SERVER needs mcp: run `pip install "qassay[app]"`, or omit the variable')
    return True


def space_options() -> dict[str, Any]:
    """Keyword arguments of the launch: the arguments of all pages, quiet, with the tools of MCP where they are asked for."""
    return {**launch_options(), "quiet": True, "mcp_server": wants_mcp()}
