"""How the program ends when something beneath it gives way: memory, the disk, whoever reads its output."""

from __future__ import annotations

import codecs
import errno
import io
import os
import re
import signal
import sys
from shutil import get_terminal_size
from typing import Any

from proband.cli.console import columns_said
from proband.errors import nearest

TRACEBACK_VARIABLE = "PROBAND_TRACEBACK"

_NEGATIVE = re.compile(r"-[\d.]+")
_NO_CHOICE = re.compile(r"(Value error, )?'(?P<value>.*)' is not one of (?P<known>.*)\.", re.DOTALL)
_LEGIBLY = "proband-legibly"
_IN_ASCII = {"−": "-", "–": "-", "─": "-", "×": "x", "±": "+-", "≤": "<=", "≥": ">=", "…": "...", "½": "1/2"}
_KEPT: list[Any] = []  # what the system calls must not be collected
_CUT_SHORT = (
    b"InputError: a file was truncated while it was being read, or the disk failed.\n"
    b"hint: make sure no other program writes to the files, and start again.\n"
)


def explain_bus_errors() -> None:
    """Let the program end with words where a mapped file loses its end between two looks at it.

    A handler of Python's own would never run: the system returns to the instruction that failed.
    """
    if not hasattr(signal, "SIGBUS"):
        return
    import ctypes

    def end(_: int) -> None:
        os.write(2, _CUT_SHORT)
        os._exit(1)

    handler = ctypes.CFUNCTYPE(None, ctypes.c_int)(end)
    register = ctypes.CDLL(None).signal
    register.argtypes, register.restype = [ctypes.c_int, ctypes.c_void_p], ctypes.c_void_p
    register(int(signal.SIGBUS), ctypes.cast(handler, ctypes.c_void_p))
    _KEPT.append(handler)


class _Outlived(io.FileIO):
    """A file that may refuse what is written, or whose reader may go away: the program goes on without it."""

    failed: OSError | None = None

    def write(self, data: Any) -> int:
        """Write, or once that failed, do nothing."""
        if self.failed is None:
            try:
                return super().write(data)
            except OSError as error:
                self.failed = error
        return len(data)


def outlive_outputs() -> None:
    """Let no command end because its words cannot be printed: it may have files to write yet."""
    for name, place in (("stdout", 1), ("stderr", 2)):
        stream = getattr(sys, name)
        if stream is None:  # closed from the start
            nowhere = os.open(os.devnull, os.O_WRONLY)
            if nowhere != place:
                os.dup2(nowhere, place)
            setattr(sys, name, os.fdopen(place, "w", encoding="utf-8", closefd=False))
        elif not stream.isatty():
            stream.flush()
            file = io.BufferedWriter(_Outlived(stream.fileno(), "wb", closefd=False))
            buffered = stream.line_buffering
            setattr(
                sys, name, io.TextIOWrapper(file, stream.encoding, stream.errors, line_buffering=buffered)
            )


def let_all_be_printed() -> None:
    """Write UTF-8 to pipes and files of Windows, which has another code page for them, and what a terminal lacks in other letters."""
    codecs.register_error(_LEGIBLY, _legibly)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            chosen = sys.platform != "win32" or stream.isatty() or "PYTHONIOENCODING" in os.environ
            stream.reconfigure(encoding=None if chosen else "utf-8", errors=_LEGIBLY)


def _legibly(error: UnicodeError) -> tuple[str | bytes, int]:
    """Write signs of ours in ASCII, and of names what the terminal has no letters for as their numbers."""
    if isinstance(error, UnicodeEncodeError) and error.object[error.start] in _IN_ASCII:
        return _IN_ASCII[error.object[error.start]], error.start + 1
    return codecs.backslashreplace_errors(error)


def require_output() -> None:
    """Refuse to end well if what was printed was not written; that its reader went away, such as head, is no fault."""
    sys.stdout.flush()
    error = getattr(getattr(getattr(sys.stdout, "buffer", None), "raw", None), "failed", None)
    gone = isinstance(error, BrokenPipeError) or (sys.platform == "win32" and error.errno == errno.EINVAL)
    if error is not None and not gone:
        raise error


def as_wide_as_the_terminal(text: str) -> str:
    """Fold what is said of an error where a terminal would cut its words; in a pipe a line stays one, unless a width is stated."""
    if not sys.stderr.isatty() and not columns_said():
        return text
    from proband.report.tables.terminal import folded

    width = get_terminal_size().columns
    return "\n".join(
        "\n".join(folded(line, width)) if len(line) > width else line for line in text.split("\n")
    )


def share_among(words: list[str]) -> str | None:
    """How a share is written, where one of the words that were typed is in per cent."""
    from proband.engine.kinds import number_in

    shares = (word.rpartition("=")[2] for word in words if word.endswith("%"))
    return next(filter(None, map(number_in, shares)), None)


_EXPECTED = {
    "float_parsing": "a number",
    "int_parsing": "a whole number",
    "greater_than_equal": "{ge} or more",
    "less_than_equal": "{le} or less",
}


def complaint(error: Any) -> str:
    """What typer says of a word that was typed; of a value of the wrong kind, what was expected and what was got."""
    if hasattr(error.__cause__, "errors"):  # pydantic's, which does not say what it got
        first = error.__cause__.errors(include_url=False)[0]
        expected = _EXPECTED.get(first["type"])
        if expected is not None:
            error.message = (
                f"expected {expected.format(**first.get('ctx', {}))}, got {str(first['input'])!r}."
            )
    said = io.StringIO()
    error.show(said)
    return said.getvalue().rstrip()


def meant_among(error: Any) -> str | None:
    """What was probably meant by an option that is not known, or by a value that is none of those it takes."""
    if hasattr(error, "option_name") and hasattr(error, "possibilities"):
        error.possibilities = None  # the hint says it, the nearest first
        if _NEGATIVE.fullmatch(error.option_name):
            return "a number without an option must not be negative."
        options = [name for one in error.ctx.command.params for name in (*one.opts, *one.secondary_opts)]
        return nearest(error.option_name, options)
    # Typer keeps neither the value nor those it takes, other than in its words.
    choice = _NO_CHOICE.fullmatch(getattr(error, "message", ""))
    if choice is None:
        return None
    error.message = error.message.removeprefix("Value error, ")
    return nearest(choice["value"], re.findall("'([^']*)'", choice["known"]))


def words_of(error: Exception) -> tuple[str, str]:
    """What to say of an error that is not of our own making, and how to mend it."""
    if isinstance(error, MemoryError):
        return (
            "There is not enough memory.",
            "close other programs, select fewer samples, use fewer --threads, or use a machine with more memory.",
        )
    if isinstance(error, OSError):
        where = "" if error.filename is None else f" ({error.filename})"
        return (
            f"The operating system reported: {error.strerror or error}{where}.",
            "check whether the disk is full, or the device of the file.",
        )
    said = (str(error).splitlines() or [""])[0][:200]
    return (
        f"Internal error: {type(error).__name__}: {said}",
        f"this is a bug in Proband; set {TRACEBACK_VARIABLE}=1 to print a traceback for a bug report.",
    )
