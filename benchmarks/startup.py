"""How long medir takes to start: `import medir` and `medir --help`, beside Python itself.

    python benchmarks/startup.py [--repeat 10]

Each is a process of its own, best of `repeat`. Exits with 1 when a target is missed: importing
medir adds less than 150 ms to Python's own start, and the help takes less than 250 ms in all.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from pathlib import Path

IMPORT_TARGET, HELP_TARGET = 0.150, 0.250  # seconds
HEAVY = ("numpy", "pandas", "polars", "pyarrow", "rich")


def seconds(command: list[str], repeat: int) -> float:
    """The best time of a process."""
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        times.append(time.perf_counter() - start)
    return min(times)


def main() -> int:
    """Measures, prints, and says whether the targets hold."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--repeat", type=int, default=10)
    repeat = parser.parse_args().repeat
    python = sys.executable
    bare = seconds([python, "-c", "pass"], repeat)
    imported = seconds([python, "-c", "import medir"], repeat)
    helped = seconds([str(Path(python).parent / "medir"), "--help"], repeat)
    loaded = subprocess.run(
        [python, "-c", f"import medir, sys; print(*(m for m in {HEAVY} if m in sys.modules))"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout.strip()
    print(f"python -c pass           {bare * 1000:6.0f} ms")
    print(f"python -c 'import medir' {imported * 1000:6.0f} ms  {imported / bare:.1f} x")
    print(f"medir --help             {helped * 1000:6.0f} ms  {helped / bare:.1f} x")
    print(f"import medir loads, of {', '.join(HEAVY)}: {loaded or 'none'}")
    targets = {
        f"import medir below {IMPORT_TARGET * 1000:.0f} ms": imported - bare < IMPORT_TARGET,
        f"medir --help below {HELP_TARGET * 1000:.0f} ms": helped < HELP_TARGET,
        "import medir loads no DataFrame library": not loaded,
    }
    for target, holds in targets.items():
        print(f"{'holds ' if holds else 'MISSED'}  {target}")
    return 0 if all(targets.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
