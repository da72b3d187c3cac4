"""Time the distances of all pairs of real runs beside reading these runs.

``MEDIR_DATA=DIR python benchmarks/matrix.py [--repeat 3]`` takes the 48 runs of TREC-COVID round 5,
unpacked: all 1,128 pairs and 50 topics. nDCG@20 may take three times as long as reading (and
checking) the runs; AP@100 and ERR, on lists cut at 100, are reported. The exit code is 1 when the
target is missed.
"""

import argparse
import gzip
import os
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import medir

TARGET = 3.0


def best(repeat: int, work: Callable[[], object]) -> float:
    """The lowest seconds of several calls."""
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def unpacked(folder: Path) -> dict[str, str]:
    """The runs as plain files in a folder."""
    runs = {}
    for packed in sorted((Path(os.environ["MEDIR_DATA"]) / "trec-covid-r5" / "runs").iterdir()):
        target = folder / packed.name.removesuffix(".gz")
        target.write_bytes(gzip.decompress(packed.read_bytes()))
        runs[target.name] = str(target)
    return runs


def main() -> int:
    """Prints the times and their ratios."""
    parser = argparse.ArgumentParser(description="Time medir.matrix beside reading the runs.")
    parser.add_argument("--repeat", type=int, default=3)
    repeat = parser.parse_args().repeat
    with tempfile.TemporaryDirectory() as folder:
        runs = unpacked(Path(folder))
        reading = best(repeat, lambda: [medir.Run.read(path) for path in runs.values()])
        print(f"{len(runs)} runs, lowest of {repeat}")
        print(f"{'':24}{'seconds':>9}{'of reading':>12}")
        print(f"{'reading the runs':24}{reading:9.3f}")
        ratios = {}
        for name, depth in (("nDCG@20", None), ("AP@100", 100), ("ERR", 100)):
            seconds = best(repeat, partial(medir.matrix, runs, name, depth=depth))
            ratios[name] = seconds / reading
            print(f"{'matrix, ' + name:24}{seconds:9.3f}{ratios[name]:10.2f} x")
    held = ratios["nDCG@20"] <= TARGET
    print(f"{'holds' if held else 'MISSED'}: nDCG@20 takes at most {TARGET:g} x reading the runs")
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
