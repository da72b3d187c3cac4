"""What is not the same on every system stands in one room, each with an alternative.

The alternative for decimal digits, which older standard libraries lack, is compiled and asked about
thousands of numbers; `make portable` runs the native tests and the module with all alternatives.
"""

from __future__ import annotations

import ast
import math
import os
import random
import re
import shutil
import struct
import subprocess
from decimal import Decimal, localcontext
from pathlib import Path

import pytest

from tests.test_native_layers import KERNELS, NATIVE, sources

PLATFORM = KERNELS / "platform"
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
NOT_PORTABLE = {
    "a function of POSIX": r"\b(?:mmap|munmap|sysconf|fstat|pread|sigaction|siglongjmp)\b",
    "a header of POSIX": r"<(?:sys/\w+|unistd|fcntl|pthread|dlfcn|signal|setjmp)\.h>",
    "a header of Windows": r"<(?:windows|io|intrin)\.h>",
    "128 bits": r"\b__u?int128(?:_t)?\b",
    "an attribute": r"\b__attribute__\b|\b__declspec\b|\b__forceinline\b",
    "a builtin": r"\b__builtin_\w+",
    "an intrinsic": r"\b_mm\d*_\w+|\b__m\d+|mmintrin\.h|arm_neon\.h|\bv\w+_[usf](?:8|16|32|64)\b",
    "a processor": r"\b__(?:SSE\w*|AVX\w*|aarch64|x86_64|ARM_NEON)__\b",
    "a system or a compiler": r"\b(?:__GNUC__|__clang__|_MSC_VER|_WIN32|__APPLE__|__linux__)\b",
    "a locale": r"\b(?:strto(?:d|f|ld)|atof|sto(?:d|f|ld))\b",
    "digits of doubles": r"\bstd::(?:from|to)_chars\b|<charconv>",
}


def code_of(path: Path) -> str:
    """A file of the core without its comments."""
    return COMMENT.sub("", path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("what", NOT_PORTABLE)
def test_what_is_not_portable_stands_in_one_room(what: str) -> None:
    token = re.compile(NOT_PORTABLE[what])
    found = {
        str(path.relative_to(NATIVE)): sorted(set(token.findall(code_of(path))))
        for path in sources()
        if path.parent != PLATFORM
    }
    assert {name: tokens for name, tokens in found.items() if tokens} == {}


@pytest.mark.parametrize("what", ["a function of POSIX", "128 bits", "an attribute", "a builtin"])
def test_what_other_files_lack_is_found_where_it_stands(what: str) -> None:
    """Else the patterns above would find nothing anywhere."""
    assert any(re.search(NOT_PORTABLE[what], code_of(home)) for home in PLATFORM.iterdir())


POSIX = re.compile(
    r"\b(?:fcntl|pty|termios|resource)\.[a-z]{5}\w*\(|os\.(?:mkfifo|geteuid|fork|killpg)\b|preexec_fn"
    r"|SIG(?:KILL|PIPE|HUP|BUS)\b|symlink_to|\bchmod\("
)
GUARD = re.compile(r"mark\.posix|os\.name|sys\.platform|importorskip|hasattr\(os|getattr\(signal")


def test_tests_say_what_only_posix_has() -> None:
    """Where they use it, they say what happens on other systems."""
    folder = Path(__file__).parent
    files = [path for path in folder.rglob("*.py") if path.parent.name != "mutation"]  # no tests
    texts = {path: path.read_text(encoding="utf-8") for path in files}
    users = [path for path, text in texts.items() if POSIX.search(text)]
    assert len(users) > 5
    assert [str(path.relative_to(folder)) for path in users if not GUARD.search(texts[path])] == []


LACKING = {"fcntl", "grp", "pty", "pwd", "resource", "termios", "tty"}  # modules, on Windows
SKIPS = re.compile(r"importorskip\(|allow_module_level=True")


def bare_imports(text: str) -> set[str]:
    """What Windows lacks among the modules that a file imports first of all, without asking.

    What stands in a function, an `if` or a `try` is asked for; so is what follows a line that skips
    the file.
    """
    found: set[str] = set()
    for node in ast.parse(text).body:
        if isinstance(node, ast.Import):
            found |= {one.name.split(".")[0] for one in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module.split(".")[0])
        elif SKIPS.search(ast.unparse(node)) and not isinstance(node, ast.FunctionDef):
            break
    return found & LACKING


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("import os, resource\nfrom pty import fork", {"resource", "pty"}),
        ("from termios import tcgetattr as get", {"termios"}),
        ("def limit():\n    import resource", set()),
        ("try:\n    import fcntl\nexcept ImportError:\n    fcntl = None", set()),
        ("if os.name == 'posix':\n    import pwd", set()),
        ("import pytest\nresource = pytest.importorskip('resource')\nimport grp", set()),
        ("if os.name == 'nt':\n    pytest.skip(allow_module_level=True)\nimport tty", set()),
        ("def a():\n    pytest.importorskip('x')\nimport tty", {"tty"}),
        ("from .resource import x\nimport resources", set()),
    ],
)
def test_bare_imports_are_found(text: str, expected: set[str]) -> None:
    assert bare_imports(text) == expected


@pytest.mark.parametrize("folder", ["tests", "src/medir"])
def test_every_file_can_be_imported_on_windows(folder: str) -> None:
    """Else not even the tests that it could run there are collected."""
    root = Path(__file__).parent.parent
    texts = {path: path.read_text(encoding="utf-8") for path in (root / folder).rglob("*.py")}
    found = {str(path.relative_to(root)): bare_imports(text) for path, text in texts.items()}
    assert len(found) > 100
    assert {name: modules for name, modules in found.items() if modules} == {}


def test_the_package_asks_before_it_uses_what_only_posix_has() -> None:
    package = NATIVE.parent / "src" / "medir"
    texts = {path: path.read_text(encoding="utf-8") for path in package.rglob("*.py")}
    users = [path for path, text in texts.items() if POSIX.search(text)]
    assert [str(path.relative_to(package)) for path in users if not GUARD.search(texts[path])] == []


def any_double(bits: int) -> float:
    """The double of these 64 bits."""
    value: float = struct.unpack("<d", struct.pack("<Q", bits))[0]
    return value


def between(bits: int) -> Decimal:
    """The exact middle of the double of these bits and the next."""
    with localcontext() as context:
        context.prec = 1100
        return (Decimal(any_double(bits)) + Decimal(any_double(bits + 1))) / 2


def numbers() -> list[str]:
    """Numbers as people and programs write them, and those that are hardest to round."""
    draw = random.Random(5)
    texts = [repr(any_double(draw.getrandbits(63) % (0x7FF << 52))) for _ in range(6000)]
    texts += [repr(draw.random()) for _ in range(3000)]
    texts += [f"{draw.gauss(0, 1000):.{draw.randrange(20)}f}" for _ in range(2000)]
    texts += [f"{draw.getrandbits(90)}e{draw.randint(-420, 400)}" for _ in range(2000)]
    texts += [repr(math.ldexp(1.0, exponent)) for exponent in range(-1074, 1024)]
    for _ in range(300):
        middle = format(between(draw.getrandbits(63) % (0x7FE << 52)), "e")
        digits, exponent = middle.split("e")
        point = "" if "." in digits else "."
        texts += [middle, f"{digits}{point}{'0' * 900}1e{exponent}", f"-{middle}"]
    texts += ["0", "-0.0", "5e-324", "2.5e-324", "1.7976931348623157e308", "1.7976931348623158e308"]
    texts += ["4", ".5", "5.", "1E5", "0e99999999999999999999", f"0.{'0' * 400}1e401"]
    return texts


@pytest.fixture(scope="module")
def decimals(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program that reads numbers with the portable alternative and writes them again."""
    compiler = os.environ.get("CXX") or shutil.which("c++")
    if compiler is None or os.name == "nt":
        pytest.skip("there is no C++ compiler that takes GCC's options")
    program = tmp_path_factory.mktemp("portable") / "decimals"
    source = NATIVE / "tests" / "decimals.cpp"
    options = ["-std=c++20", "-O1", "-DMEDIR_PORTABLE", f"-I{KERNELS}"]
    subprocess.run([*compiler.split(), *options, str(source), "-o", str(program)], check=True)
    return program


def answers(program: Path, tokens: list[str]) -> list[list[str]]:
    """For each token: its bits as a double, how far it was read, how that ended, and its digits."""
    text = "".join(f"{token}\n" for token in tokens)
    ended = subprocess.run([program], input=text, capture_output=True, text=True, check=True)
    return [line.split(" ") for line in ended.stdout.splitlines()]


@pytest.mark.slow
def test_digits_are_read_as_python_reads_them(decimals: Path) -> None:
    texts = numbers()
    for text, (bits, length, ended, _) in zip(texts, answers(decimals, texts), strict=True):
        expected = float(text)
        beyond = math.isinf(expected) or (expected == 0 and set(text) & set("123456789") != set())
        if beyond and float(text.split("e")[0]) != 0:
            assert (ended, length) == ("range", str(len(text))), text
        else:
            assert (any_double(int(bits, 16)), ended) == (expected, "read"), text
            assert length == str(len(text)), text


@pytest.mark.slow
def test_digits_are_written_as_python_writes_them(decimals: Path) -> None:
    texts = [text for text in numbers() if math.isfinite(float(text))]
    texts += [repr(float(2**power + add)) for power in range(50, 80) for add in (0, 1, 3, 2**20)]
    for text, (bits, _, ended, digits) in zip(texts, answers(decimals, texts), strict=True):
        if ended != "read":
            continue
        value = any_double(int(bits, 16))
        assert float(digits) == value, text
        if "e" not in digits and abs(value) >= 2**53:
            assert int(digits) == int(value), text  # a whole number: all of its digits
        else:
            assert Decimal(digits).normalize() == Decimal(repr(value)).normalize(), text
            plain, scientific = format(Decimal(repr(value)), "f"), f"{Decimal(repr(value)):e}"
            assert len(digits) <= max(len(plain), len(scientific) + 1), text


@pytest.mark.slow
@pytest.mark.parametrize(
    ("token", "ended", "length"),
    [
        ("", "invalid", 0),
        (".", "invalid", 0),
        ("-", "invalid", 0),
        ("e5", "invalid", 0),
        ("+1", "invalid", 0),
        (" 1", "invalid", 0),
        ("--1", "invalid", 0),
        ("1e", "read", 1),
        ("1e+", "read", 1),
        ("1,5", "read", 1),
        ("1..2", "read", 2),
        ("0x10", "read", 1),
        ("inf", "read", 3),
        ("-Infinity", "read", 9),
        ("infinit", "read", 3),
        ("nan", "read", 3),
        ("nan(a_1)", "read", 8),
        ("nan(a-1)", "read", 3),
        ("1e400", "range", 5),
        ("-1e-400", "range", 7),
    ],
)
def test_what_is_a_number_and_how_far(token: str, ended: str, length: int, decimals: Path) -> None:
    [answer] = answers(decimals, [token])
    assert (answer[2], int(answer[1])) == (ended, length)
