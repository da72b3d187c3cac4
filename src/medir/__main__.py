"""`medir` in a shell, and `python -m medir`: how the process starts, is stopped, and ends.

Signals are handled before anything is imported that Python has not loaded by itself. docs/gate.md
lists the exit codes.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # Python has loaded it already
import os
import sys

try:  # no traceback while this file is being loaded
    if _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:
        _signal.signal(_signal.SIGINT, _signal.SIG_DFL)
except ValueError:  # not in the main thread: an import of some other program
    pass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType
    from typing import NoReturn

CANNOT, UNEXPECTED, CLOSED_PIPE = 2, 70, 141
SIGNALLED = 128  # and the number of the signal, as shells count
PATIENCE = 2.0  # seconds to clean up, before another signal ends the process at once
SOON = 0.01  # seconds
LEAST_MEMORY = 160 << 20  # bytes of address space that numpy takes
GARBAGE = 100_000  # objects, before Python looks for cycles: what is imported has none to free
SWITCH = 1e-4  # seconds for which a thread of Python keeps others waiting
READ_RUNS = {"compare", "expect", "explain", "judge", "documents", "passages"}
OF_DOCUMENTS = {"--qrels", "--lengths", "--clusters", "--order"}  # ranks alone do not do for them
NO_MEMORY = ("Cannot allocate memory", "failed to map segment")  # a library that cannot be loaded


class Stops:
    """What Ctrl-C, SIGTERM and SIGHUP do.

    The first one raises KeyboardInterrupt, so that what is unfinished is cleaned up; others are
    ignored meanwhile. Where nothing needs cleaning up, the process ends at once.
    """

    def __init__(self) -> None:
        import signal
        import time

        self._signal, self._time = signal, time
        self.number: int | None = None  # of the first signal
        self.postponed: int | None = None  # the number of one that has not been answered yet
        self.working = False
        self._since = 0.0
        defaults = signal.SIG_DFL, signal.default_int_handler
        for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK"):
            number = getattr(signal, name, None)
            if number is not None and signal.getsignal(number) in defaults:
                signal.signal(number, self._stop)
        sys.unraisablehook = self._unraisable

    def _stop(self, number: int, frame: FrameType | None) -> None:
        if self.number is not None:
            if self._time.monotonic() - self._since > PATIENCE:
                self.leave(self.number)
        elif not self.working:
            self.leave(number)
        elif _is_importing(frame):
            self._again_soon(number)
        else:
            self._begin(number)
            raise KeyboardInterrupt

    def _begin(self, number: int) -> None:
        self.number, self._since = number, self._time.monotonic()

    def received(self) -> int | None:
        """The number of the signal that ends the command, also if it was postponed."""
        if self.number is None and self.postponed is not None:
            self._begin(self.postponed)
        return self.number

    def _unraisable(self, unraisable: sys.UnraisableHookArgs) -> None:
        """An interrupt that came where Python can raise nothing comes again."""
        number = self.number
        if number is None or not issubclass(unraisable.exc_type, KeyboardInterrupt):
            sys.__unraisablehook__(unraisable)
            return
        self.number = None
        self._again_soon(number)

    def _again_soon(self, number: int) -> None:
        import _thread

        self.postponed = number

        def again() -> None:
            self._time.sleep(SOON)
            if hasattr(self._signal, "pthread_kill"):  # it also ends a wait
                self._signal.pthread_kill(main_thread, number)
            else:
                _thread.interrupt_main(self._signal.Signals(number))

        main_thread = _thread.get_ident()  # handlers run in no other

        try:
            _thread.start_new_thread(again, ())
        except RuntimeError:
            self.leave(number)

    def leave(self, number: int) -> NoReturn:
        """Ends the process now."""
        say(self.message(number))
        os._exit(SIGNALLED + number)

    def message(self, number: int) -> str:
        """What a signal did."""
        return "interrupted" if number == self._signal.SIGINT else "terminated"

    def ignore(self) -> None:
        """All is done: an interrupt comes too late."""
        self._signal.signal(self._signal.SIGINT, self._signal.SIG_IGN)


def _is_importing(frame: FrameType | None) -> bool:
    """Whether a module is being loaded; a native one that is interrupted ends the process."""
    while frame is not None:
        if frame.f_code.co_filename == "<frozen importlib._bootstrap>":
            return True
        frame = frame.f_back
    return False


def say(message: str) -> None:
    """Writes a line to standard error, if there is one; any piece of code may have been stopped."""
    try:  # noqa: SIM105  # contextlib is not loaded yet
        os.write(2, f"medir: {message}\n".encode("utf-8", "backslashreplace"))
    except OSError:
        pass


def main() -> NoReturn:
    """Runs the command that the arguments name, and ends the process with its exit code."""
    try:
        stops = Stops()
    except KeyboardInterrupt:
        say("interrupted")
        os._exit(SIGNALLED + 2)
    try:
        try:
            _keep_streams()
            _check_memory()
            _collect_seldom()
            _switch_often()
            _read_ahead(sys.argv[1:])
            from medir.cli import main as command

            stops.working = True
            command(prog_name="medir")
            code = 0
        finally:
            stops.working = False
    except BaseException as error:
        code = _code_of(error, stops)
    whole, code = _flushed(code)
    stops.ignore()
    if whole and code in (0, 1, 2):
        _collect_no_more()
        sys.exit(code)
    os._exit(code)  # other threads may be at work, or standard output cannot be written


def _keep_streams() -> None:
    """Makes sure that no file that is opened takes the place of a closed stream.

    A closed standard output fails when it is written to. What cannot be said on standard error
    changes nothing else.
    """
    for number, mode in enumerate((os.O_WRONLY, os.O_RDONLY, os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, mode)
    if sys.stdout is None:
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    import io

    class Lenient(io.FileIO):
        def write(self, data: bytes) -> int:  # type: ignore[override]
            try:
                return super().write(data)
            except OSError:
                return len(data)

    sys.stderr = io.TextIOWrapper(
        io.BufferedWriter(Lenient(2, "w", closefd=False)),
        encoding="utf-8" if sys.stderr is None else sys.stderr.encoding,
        errors="backslashreplace",
        line_buffering=True,
    )


def _check_memory() -> None:
    """Raises an error where numpy could not be loaded: OpenBLAS would end the process with 1."""
    import mmap

    try:
        mmap.mmap(-1, LEAST_MEMORY).close()
    except OSError:
        raise MemoryError from None


def _collect_seldom() -> None:
    """Saves a fifteenth of the start, in which Python would look through all modules many times."""
    import gc

    gc.set_threshold(GARBAGE)


def _switch_often() -> None:
    """What the core has written is handed over by one thread while Python computes in another."""
    sys.setswitchinterval(SWITCH)


def _read_ahead(words: list[str]) -> None:
    """Has large runs read while Python loads the command that will ask for them."""
    if not words or words[0] not in READ_RUNS:
        return
    from medir.files.ahead import read_ahead

    options = {word.partition("=")[0] for word in words}
    read_ahead(words[1:], compared=words[0] == "compare" and not options & OF_DOCUMENTS)


def _collect_no_more() -> None:
    """Python need not search every object for cycles as it ends."""
    import gc

    gc.freeze()


def _code_of(error: BaseException, stops: Stops) -> int:
    """The exit code for what ended a command; a message says why."""
    number = stops.received()
    if number is not None:
        say(stops.message(number))
        return SIGNALLED + number
    if isinstance(error, SystemExit) and isinstance(error.code, int | None):
        return error.code or 0
    if isinstance(error, KeyboardInterrupt):
        say("interrupted")
        return SIGNALLED + 2
    if isinstance(error, MemoryError) or (
        isinstance(error, ImportError) and any(one in str(error) for one in NO_MEMORY)
    ):
        say("not enough memory")
        return CANNOT
    if isinstance(error, BrokenPipeError):
        return CLOSED_PIPE
    _report(error)
    return UNEXPECTED


def _report(error: BaseException) -> None:
    """Says what nobody expected."""
    if os.environ.get("MEDIR_TRACEBACK"):
        import traceback

        traceback.print_exception(error)
        sys.stderr.flush()
    lines = str(error).splitlines()
    text = "".join(c if c.isprintable() else "?" for c in lines[0][:200]) if lines else ""
    kind = type(error).__name__ + (": " if text else "")
    say(
        f"internal error: {kind}{text}; please report it with the command "
        "(MEDIR_TRACEBACK=1 shows where it happened)"
    )


def _flushed(code: int) -> tuple[bool, int]:
    """Whether all that was printed could be written, and the exit code."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        return False, code or CLOSED_PIPE
    except OSError as error:
        if code == CANNOT:  # it has been said
            return False, code
        say(f"cannot write standard output: {error.strerror}")
        return False, code if code > CANNOT else CANNOT
    return True, code


if __name__ == "__main__":
    main()
