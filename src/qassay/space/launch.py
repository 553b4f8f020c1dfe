"""Starts the page on this machine, and serves it until it is stopped."""

import contextlib
import errno
import importlib.util
import os
import signal
import socket
import threading
import webbrowser
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from .choices import MODELS_VARIABLE
from .worker import start

HOST = "127.0.0.1"
_PORTS = range(7860, 7960)
_CONNECTIONS = 500  # at once; more get 503
_LEAVE_SECONDS = 1  # how long open streams may last after a signal to stop


def serve(
    host: str | None = None,
    port: int | None = None,
    models: Sequence[str] = (),
    open_page: bool = False,
    metric: str = "",
) -> None:
    """Serve the page until the process is interrupted; prints the address when it is ready.

    Args:
        host: the address to listen on; None: the variable GRADIO_SERVER_NAME, else this machine only.
        port: None: the variable GRADIO_SERVER_PORT, else the first free one from 7860.
        models: names or folders of models that the page offers.
        open_page: open it in a browser too.
        metric: the metric that the page selects and shows first; "" for the metric of the files.

    Raises:
        ImportError: gradio is not installed. ValueError: an address that cannot be used. KeyboardInterrupt: Ctrl-C
            or SIGTERM, after the page is closed and what visitors uploaded is deleted.
    """
    if models:
        os.environ[MODELS_VARIABLE] = joined_models(models)
    host = host or os.environ.get("GRADIO_SERVER_NAME") or HOST
    with listen(host, port if port is not None else _port_of_variable()) as server:
        if importlib.util.find_spec("gradio") is None:
            raise ImportError('the page needs gradio: run `pip install "qassay[app]"`')
        start()
        from .app import build  # loaded beside the start of the process that scores
        from .uploads import kept_uploads

        with _stopping_on_signals(), kept_uploads() as uploads:
            shown = "127.0.0.1" if host == "0.0.0.0" else host  # noqa: S104
            address = f"http://{f'[{shown}]' if ':' in shown else shown}:{server.getsockname()[1]}/"

            def announce() -> None:
                print(f"qassay: ready at {address} (Ctrl-C stops it)", flush=True)
                if open_page:
                    webbrowser.open(address)

            run_server(build(uploads, metric), server, announce)


def run(metric: str) -> None:
    """Serve the page of one metric until Ctrl-C, for a script."""
    with contextlib.suppress(KeyboardInterrupt):
        serve(metric=metric)


def run_server(app: Any, listening: socket.socket, when_ready: Callable[[], None]) -> None:
    """Serve an application on a socket until a signal comes; `when_ready` is called when it answers."""
    import uvicorn

    class Server(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            if self.started:
                when_ready()

    config = uvicorn.Config(
        app, log_level="critical", timeout_graceful_shutdown=_LEAVE_SECONDS, limit_concurrency=_CONNECTIONS
    )
    Server(config).run(sockets=[listening])


def joined_models(models: Sequence[str]) -> str:
    """The value of the variable QASSAY_APP_MODELS: the models, separated by commas.

    Example:
        >>> joined_models(["cross-encoder/stsb-roberta-large", "./my_model"])
        'cross-encoder/stsb-roberta-large,./my_model'
    """
    for model in models:
        if "," in model or not model.strip():
            raise ValueError(f"--model {model!r}: the name of a model is not empty and has no comma; rename the folder")
    return ",".join(models)


def listen(host: str, port: int | None = None) -> socket.socket:
    """A socket that listens on an address; without a port, on the first free one from 7860.

    Raises:
        ValueError: an address that cannot be used.
    """
    if port is not None and not 1 <= port <= 65_535:
        raise ValueError(f"port {port}: a port is a number from 1 to 65535")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    for number in _PORTS if port is None else [port]:
        try:
            return socket.create_server((host, number), family=family, backlog=2048)
        except OSError as error:
            if error.errno == errno.EADDRINUSE and port is None and number != _PORTS[-1]:
                continue
            if error.errno == errno.EADDRINUSE:
                raise ValueError(f"port {number} is in use by another program; choose another with --port") from error
            if error.errno == errno.EACCES:
                raise ValueError(f"port {number} needs more rights; choose one from 1024 with --port") from error
            raise ValueError(f"{host} is not an address of this machine: {error.strerror}; omit --host") from error
    raise AssertionError("the last port gives or raises")


def _port_of_variable() -> int | None:
    text = os.environ.get("GRADIO_SERVER_PORT", "")
    if text and not text.isdecimal():
        raise ValueError(f"GRADIO_SERVER_PORT={text}: a port is a number from 1 to 65535")
    return int(text) if text else None


@contextlib.contextmanager
def _stopping_on_signals() -> Iterator[None]:
    """SIGTERM, as sent by `docker stop`, stops the server as Ctrl-C does; a second SIGTERM stops it at once."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(number: int, _: Any) -> None:
        signal.signal(number, signal.SIG_DFL)
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
