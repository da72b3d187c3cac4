"""Lists of 10 to a million results under measures that are searched for, with more and more effort.

``python benchmarks/sweep.py [--longest 1000000] [--interrupts 200]`` compares one query whose two
lists hold the same documents in another order (reversed, rotated, interleaved, swapped blocks, a
noisy copy, random), under AP, ERR, two slow cascades and TBG, with 1 to 10^9 steps, and prints the
time, the memory and the widest gaps by length and effort. Checks, with exit code 1 when one fails:

- the time of a query and the memory that it takes stay below what docs/reliability.md states;
- more effort never gives a lower value or a larger gap;
- all intervals of one maximum have a value in common.

With ``--interrupts N`` it then stops N comparisons of the longest lists by Ctrl-C at random
moments, and checks that each ends with 130 within 0.2 seconds.

With 10^9 steps a search is ended by a time limit. Each pair of lists has a process of its own; the
time is that of the whole comparison, with one thread.
"""

import argparse
import json
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.cases.structures import STRUCTURES, hard_measures, rearranged, words

LENGTHS = (10, 100, 1000, 10_000, 100_000, 1_000_000)
EFFORTS = (1, 1000, 1_000_000, 1_000_000_000)
TIME_LIMIT = 4.0  # seconds, with the most effort
LATE = 0.25  # seconds, until a limit is noticed
MOST_ANSWER = 0.2  # seconds until an interrupt is answered
ENDING = 0.05  # seconds that a process takes at most to end when all is done
ROUNDING = 1e-12


def most_seconds(size: int, effort: int) -> float:
    """What docs/reliability.md states: a second with the default effort, and for reading."""
    return (TIME_LIMIT + LATE if effort > 1_000_000 else 1.0) + 1e-5 * size


def most_megabytes(size: int) -> float:
    """What docs/reliability.md states."""
    return 256 + 1e-3 * size


def solve(structure: str, size: int) -> None:
    """Print what is found for one pair of lists, by effort and measure."""
    import numpy as np

    import medir

    before, after = np.arange(size)[None, :], rearranged(structure, size)[None, :]
    lengths = medir.Lengths.of(words(size))
    for effort in EFFORTS:
        for name, measure in hard_measures(size).items():
            base = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            started = time.perf_counter()
            found = medir.compare(
                before,
                after,
                [measure],
                lengths=lengths if name == "TBG" else None,
                effort=effort,
                time_limit=TIME_LIMIT if effort > 1_000_000 else None,
                threads=1,
            )
            seconds = time.perf_counter() - started
            grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - base
            med, gain, loss, _, gap, gain_gap, loss_gap, _ = found.values[0, :, 0].tolist()
            row = {
                "size": size, "structure": structure, "effort": effort, "measure": name,
                "seconds": seconds, "megabytes": grown / 1024,
                "gain": gain, "loss": loss, "gain_gap": gain_gap, "loss_gap": loss_gap,
                "med": med, "gap": gap,
            }  # fmt: skip
            print(json.dumps(row), flush=True)


def faults_of(rows: list[dict[str, Any]]) -> list[str]:
    """What does not hold, in sentences."""
    faults = []
    for row in rows:
        where = f"{row['measure']} of {row['size']:,} {row['structure']}, effort {row['effort']:,}"
        if row["seconds"] > most_seconds(row["size"], row["effort"]):
            faults.append(f"{where}: {row['seconds']:.2f} s")
        if row["megabytes"] > most_megabytes(row["size"]):
            faults.append(f"{where}: {row['megabytes']:.0f} MB")
    cases: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for row in rows:
        cases.setdefault((row["measure"], row["size"], row["structure"]), []).append(row)
    for case, several in cases.items():
        rounding = ROUNDING * (1 + abs(several[-1]["med"]))
        for value, gap in (("gain", "gain_gap"), ("loss", "loss_gap")):
            found = [(row[value], row[gap]) for row in several]
            # What a time limit ended depends on the machine.
            for (less, wide), (more, narrow) in pairwise(found[:-1]):
                if more < less - rounding or narrow > wide + rounding:
                    faults.append(f"{case}: more effort is worse: {found}")
            if max(least for least, _ in found) > min(map(sum, found)) + rounding:
                faults.append(f"{case}: intervals without a common value: {found}")
    return faults


def print_table(rows: list[dict[str, Any]]) -> None:
    """Print times, memory, proofs and gaps, as shares of what is possible, by length and effort."""
    print(f"{'length':>9}  {'effort':>13}  {'proven':>9}  {'widest gap':>10}  ", end="")
    print(f"{'most seconds':>12}  {'most MB':>7}")
    for size in LENGTHS:
        for effort in EFFORTS:
            those = [row for row in rows if (row["size"], row["effort"]) == (size, effort)]
            if not those:
                continue
            proven = sum(row["gap"] == 0 for row in those)
            widest = max(row["gap"] / (row["med"] + row["gap"] or 1) for row in those)
            print(
                f"{size:>9,}  {effort:>13,}  {proven:>3} of {len(those):>2}  {widest:>10.2g}  "
                f"{max(row['seconds'] for row in those):>12.2f}  "
                f"{max(row['megabytes'] for row in those):>7.0f}"
            )


def interrupt(count: int, size: int) -> list[str]:
    """Stop comparisons at random moments; return what does not hold."""
    faults, slowest, stopped = [], 0.0, 0
    rng = random.Random()
    with tempfile.TemporaryDirectory() as folder:
        files = {}
        for structure in ("in order", *STRUCTURES):
            order = range(size) if structure == "in order" else rearranged(structure, size)
            files[structure] = Path(folder) / structure.replace(" ", "-")
            with files[structure].open("w") as file:
                file.writelines(
                    f"q Q0 d{d} {rank} {size - rank} x\n" for rank, d in enumerate(order, start=1)
                )
        program = [str(Path(sys.executable).parent / "medir"), "compare", str(files["in order"])]
        while stopped < count:
            structure, measure = rng.choice(STRUCTURES), rng.choice([f"AP@{size}", f"ERR@{size}"])
            process = subprocess.Popen(
                [*program, str(files[structure]), "-m", measure, "--effort", "1000000000"],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
            )
            time.sleep(rng.uniform(0.5, 3))
            if process.poll() is not None:
                continue
            started = time.perf_counter()
            process.send_signal(signal.SIGINT)
            _, said = process.communicate()
            seconds = time.perf_counter() - started
            if process.returncode == 0 and seconds < ENDING:
                continue  # all was done
            slowest, stopped = max(slowest, seconds), stopped + 1
            if process.returncode != 130 or seconds > MOST_ANSWER or b"Traceback" in said:
                faults.append(
                    f"Ctrl-C in {measure}, {structure}: {process.returncode}, {seconds:.2f} s"
                )
    print(f"{stopped} interrupts: the slowest answer took {slowest:.3f} s")
    return faults


def main() -> int:
    """Run the sweep."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--longest", type=int, default=LENGTHS[-1])
    parser.add_argument("--interrupts", type=int, default=0)
    parser.add_argument("--one", nargs=2, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        solve(arguments.one[0], int(arguments.one[1]))
        return 0
    rows = []
    for size in LENGTHS:
        for structure in STRUCTURES if size <= arguments.longest else ():
            command = [sys.executable, __file__, "--one", structure, str(size)]
            found = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
            rows += [json.loads(line) for line in found.splitlines()]
    print_table(rows)
    faults = faults_of(rows)
    if arguments.interrupts:
        faults += interrupt(arguments.interrupts, min(arguments.longest, LENGTHS[-1]))
    for fault in faults:
        print(f"fault: {fault}")
    print(f"{len(rows)} comparisons, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
