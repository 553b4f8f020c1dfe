"""Starts the page on this machine and keeps it there until it is stopped."""

import contextlib
import errno
import gc
import os
import socket
import threading
import webbrowser
from collections.abc import Callable, Sequence
from typing import Any

from .choices import MODELS_VARIABLE

HOST = "127.0.0.1"


def serve(
    host: str | None = None,
    port: int | None = None,
    models: Sequence[str] = (),
    open_page: bool = False,
    sample: str = "answers",
) -> None:
    """Serve the page until the process is interrupted; prints the address when it can be opened.

    Args:
        host: the address to listen at; None: the variable GRADIO_SERVER_NAME, else this machine alone.
        port: None: the variable GRADIO_SERVER_PORT, else the first free one from 7860.
        models: names or folders of models that the page offers.
        open_page: open it in a browser too.
        sample: what a visitor sees first.

    Raises:
        ImportError: gradio is not installed. ValueError: an address that cannot be had. KeyboardInterrupt: Ctrl-C
            or SIGTERM, after the page is closed and what visitors uploaded is deleted.
    """
    if models:
        os.environ[MODELS_VARIABLE] = joined_models(models)
    host = host or os.environ.get("GRADIO_SERVER_NAME") or HOST
    if port is not None:
        check_address(host, port)
    _reach_directly(host)
    build = _page()
    from ..pages.server import stopping_when_told
    from ..pages.upload_folder import own_folder

    with stopping_when_told(), own_folder():
        demo, options = build(sample)
        # What is imported and built stays; looking through it again and again takes a tenth of the time of a score.
        gc.collect()
        gc.freeze()
        gc.set_threshold(50_000, 20, 20)
        try:
            _, address, _ = demo.launch(server_name=host, server_port=port, prevent_thread_lock=True, **options)
        except OSError as error:  # all of gradio's own choice are taken, or another program was faster
            raise ValueError(f"{error}; choose another port with --port") from error
        try:
            print(f"qassay: ready at {address} (Ctrl-C stops it)", flush=True)
            if open_page:
                webbrowser.open(address)
            _wait()
        finally:
            demo.close(verbose=False)


def run(sample: str) -> None:
    """As `serve`, with this sample first, for a script that Ctrl-C ends."""
    with contextlib.suppress(KeyboardInterrupt):
        serve(sample=sample)


def _wait() -> None:
    """Until a signal comes."""
    threading.Event().wait()


def joined_models(models: Sequence[str]) -> str:
    """The models as the variable QASSAY_APP_MODELS holds them, separated by commas.

    Example:
        >>> joined_models(["cross-encoder/stsb-roberta-large", "./my_model"])
        'cross-encoder/stsb-roberta-large,./my_model'
    """
    for model in models:
        if "," in model or not model.strip():
            raise ValueError(f"--model {model!r}: the name of a model is not empty and has no comma; rename the folder")
    return ",".join(models)


def check_address(host: str, port: int) -> None:
    """Refuse an address that cannot be had, before the seconds that gradio takes.

    Example:
        >>> check_address("127.0.0.1", 70_000)
        Traceback (most recent call last):
        ValueError: port 70000: a port is a number from 1 to 65535
    """
    if not 1 <= port <= 65_535:
        raise ValueError(f"port {port}: a port is a number from 1 to 65535")
    try:
        socket.create_server((host, port)).close()
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise ValueError(f"port {port} is in use by another program; choose another with --port") from error
        if error.errno == errno.EACCES:
            raise ValueError(f"port {port} needs more rights; choose one from 1024 with --port") from error
        raise ValueError(f"{host} is not an address of this machine: {error.strerror}; omit --host") from error


def _reach_directly(host: str) -> None:
    """Gradio asks its own server whether it is up: a proxy would be another machine, and cannot know this one."""
    for name in ("no_proxy", "NO_PROXY"):
        hosts = [part for part in os.environ.get(name, "").split(",") if part]
        os.environ[name] = ",".join(dict.fromkeys([*hosts, "localhost", "127.0.0.1", host]))


def _page() -> Callable[[str], tuple[Any, dict[str, Any]]]:
    """What builds the page."""
    try:
        from .app import build
    except ModuleNotFoundError as error:
        if error.name != "gradio":
            raise
        raise ImportError('the page needs gradio: run `pip install "qassay[app]"`') from error
    return build
