"""Time ``medir compare --report FOLDER/`` on two synthetic run files, and a browser that opens it.

``python benchmarks/report_folder.py [--queries 1000000] [--folder DIR] [--repeat 3]`` prints the
seconds of the comparison alone, with a report of all queries in a folder, and of ``cp -r`` of that
folder; its size and files; the seconds until Chromium shows the table from disk, until it shows a
query by its link, and until a search over all queries and a sort by another column are there; and
the list of targets. The exit code is 1 when one of them is missed. Times are the best of
``--repeat`` rounds, of whole processes. Needs playwright and Chromium. The files of the default
size take 2.4 GB of disk.
"""

import argparse
import random
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from compare import HERE, MEASURE, MEDIR, Runs, Target, print_table, print_targets, warm
from runs import MOST_QUERIES, SEED, make

MOST_COPIES = 3.0
MOST_BYTES = 1.2
MOST_FILES = 4000
MOST_SECONDS = 2.0  # to open
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)
TIMEOUT = 60_000  # milliseconds


def time_command(command: list[str]) -> float:
    """Time a whole process."""
    start = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - start


def time_round(runs: Runs, folder: Path) -> dict[str, float]:
    """Time the comparison, the comparison with a report, and a copy of it, each once."""
    command = [str(MEDIR), "compare", *map(str, runs), "-m", MEASURE]
    copy = folder.with_name("copy")
    for path in (folder, copy):
        shutil.rmtree(path, ignore_errors=True)
    warm(runs)
    seconds = {"medir compare": time_command(command)}
    warm(runs)
    seconds["medir compare --report"] = time_command([*command, "--report", f"{folder}/"])
    seconds["cp -r"] = time_command(["cp", "-r", str(folder), str(copy)])
    return seconds


def time_browser(page: Path, queries: int) -> dict[str, float]:
    """Time what a reader waits for, each in a window of its own."""
    from playwright.sync_api import sync_playwright

    chosen = random.Random(SEED)
    query = f"q{chosen.randint(1, queries):07d}"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        browser.new_page().goto("about:blank")

        def opened(anchor: str, shown: str) -> tuple[Any, float]:
            window = browser.new_page()
            start = time.perf_counter()
            window.goto(page.as_uri() + anchor)
            window.locator(shown).first.wait_for(timeout=TIMEOUT)
            return window, time.perf_counter() - start

        window, to_open = opened("", "#table tr.row")
        _, to_link = opened(f"#{query}", f'.panel[aria-label="Query {query}"] .document')
        start = time.perf_counter()
        window.get_by_label("Search").fill(query)
        one = window.locator("#count", has_text=f"1 of {queries:,}")
        one.wait_for(timeout=TIMEOUT)
        to_search = time.perf_counter() - start
        window.get_by_label("Search").fill("")
        window.locator("#count", has_text=f"{queries:,} of").wait_for(timeout=TIMEOUT)
        start = time.perf_counter()
        window.get_by_role("button", name="moved", exact=True).click()
        window.locator('th[aria-sort="descending"]', has_text="moved").wait_for(timeout=TIMEOUT)
        to_sort = time.perf_counter() - start
        browser.close()
    return {
        "the table is there": to_open,
        "a link shows its query": to_link,
        "a search over all ids is done": to_search,
        "all are sorted by another column": to_sort,
    }


def targets(seconds: dict[str, float], size: float, files: int, to_open: float) -> list[Target]:
    """Return what is asked of a folder, and what was measured."""
    extra = seconds["medir compare --report"] - seconds["medir compare"]
    copies = extra / seconds["cp -r"]
    return [
        Target(
            f"the comparison plus at most {MOST_COPIES:g} x cp -r of the folder",
            copies <= MOST_COPIES,
            f"{copies:.2f} x",
        ),
        Target(
            f"at most {MOST_BYTES:g} x the bytes of both runs",
            size <= MOST_BYTES,
            f"{size:.2f} x",
        ),
        Target(f"at most {MOST_FILES:,} files", files <= MOST_FILES, f"{files:,}"),
        Target(
            f"opens from disk in less than {MOST_SECONDS:g} s",
            to_open < MOST_SECONDS,
            f"{to_open:.2f} s",
        ),
    ]


def main() -> int:
    """Run the benchmark and return the exit code."""
    parser = argparse.ArgumentParser(description="time medir with a report in a folder")
    parser.add_argument("--queries", type=int, default=1_000_000)
    parser.add_argument("--folder", type=Path, default=HERE / "data")
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    if not 1 <= options.queries <= MOST_QUERIES:
        parser.error(f"--queries must be from 1 to {MOST_QUERIES}")
    runs = make(options.folder, options.queries, SEED)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "report"
        rounds = [time_round(runs, folder) for _ in range(options.repeat)]
        seconds = {name: min(one[name] for one in rounds) for name in rounds[0]}
        sizes = [path.stat().st_size for path in folder.rglob("*") if path.is_file()]
        browser = time_browser(folder / "index.html", options.queries)
    of_runs = sum(sizes) / sum(path.stat().st_size for path in runs)
    print_table(
        [f"{options.queries:,} queries", "seconds"],
        [[name, f"{value:.2f}"] for name, value in {**seconds, **browser}.items()],
    )
    print(f"the folder: {sum(sizes) / 1e6:,.0f} MB in {len(sizes):,} files\n")
    found = targets(seconds, of_runs, len(sizes), browser["the table is there"])
    print_targets(found)
    return 0 if all(target.holds for target in found) else 1


if __name__ == "__main__":
    sys.exit(main())
