"""Tells errors that qassay raises, whose words are for the user, from defects of qassay and faults of a library."""

import opcode
import types

_PACKAGE = __name__.partition(".")[0]
_RAISE = opcode.opmap.get("RAISE_VARARGS")


def is_expected(error: BaseException) -> bool:
    """Whether a `raise` of qassay made an error, so that its words are for the user.

    An error of a function in C, such as `int("x")`, has no frame: its last frame is still qassay's. The
    instruction of that frame tells the two apart, also where qassay caught the error and raised it again.

    Example:
        >>> try:
        ...     int("x")
        ... except ValueError as error:
        ...     is_expected(error)
        False
    """
    place = error.__traceback__
    while place is not None and place.tb_next is not None:
        place = place.tb_next
    return place is not None and is_of_package(place.tb_frame) and _is_raise(place)


def is_of_package(frame: types.FrameType) -> bool:
    """Whether a frame runs code of qassay."""
    return str(frame.f_globals.get("__name__")).partition(".")[0] == _PACKAGE


def _is_raise(place: types.TracebackType) -> bool:
    """Whether a frame stopped at a `raise`; True where its bytecode does not tell, as in compiled modules."""
    code = place.tb_frame.f_code.co_code
    return _RAISE is None or not 0 <= place.tb_lasti < len(code) or code[place.tb_lasti] == _RAISE
