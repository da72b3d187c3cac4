"""`--fail-above` and `--fail-below` in a shell: exit codes, messages, and a run against itself."""

from __future__ import annotations

import csv
import gzip
import io
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cases.decisions import AFTER as AFTER_LISTS
from tests.cases.decisions import BEFORE as BEFORE_LISTS
from tests.cases.decisions import QRELS as JUDGED
from tests.cases.decisions import SEGMENTS
from tests.cases.examples import AFTER, BEFORE, QRELS, QUERIES
from tests.cases.runs import write_qrels, write_run
from tests.shell import EXAMPLES, Outcome
from tests.shell import medir as shell

TEXTS = EXAMPLES / "passages"


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, ...]:
    """MED of P@4 is 0, 0.25, 0.5, 0.75 and 1; with judgments as tests.cases.decisions has it."""
    qrels = write_qrels(tmp_path / "qrels.txt", JUDGED)
    queries = tmp_path / "queries.tsv"
    rows = [f"{query}\t{part}\t1\n" for query, part in SEGMENTS.items()]
    queries.write_text("".join(["query_id\tpart\ttraffic\n", *rows]))
    return (
        write_run(tmp_path / "before.run", BEFORE_LISTS),
        write_run(tmp_path / "after.run", AFTER_LISTS),
        qrels,
        queries,
    )


def compare(files: tuple[Path, ...], *arguments: object) -> Outcome:
    before, after, qrels, queries = files
    table = "--queries", queries, "--by", "part"
    return shell("compare", before, after, "--qrels", qrels, *table, *arguments)


@pytest.mark.parametrize(
    ("option", "kept", "broken"),
    [
        ("--fail-above", "P@4=0.4", "P@4=0.39"),
        ("--fail-above", "loss:P@4=0.35", "loss:P@4=0.34"),
        ("--fail-above", "gain:median:P@4=0.25", "gain:median:P@4=0.2"),
        ("--fail-above", "loss:p80:P@4=0.75", "loss:p80:P@4=70%"),
        ("--fail-above", "max:P@4=0.75", "max:P@4=0.7"),
        ("--fail-above", "above-0.5:P@4=40%", "above-0.5:P@4=39%"),
        ("--fail-above", "segment=head:P@4=0.34", "segment=head:P@4=0.33"),
        ("--fail-above", 'segment="long: tail":P@4=0.5', 'segment="long: tail":P@4=0.49'),
        ("--fail-above", "segment=*:P@4=0.5", "segment=*:P@4=0.4"),
        ("--fail-below", "Overlap@4=0.5", "Overlap@4=0.51"),
        ("--fail-below", "p20:Overlap@4=0", "p20:Overlap@4=0.01"),
        ("--fail-below", "min:Overlap@4=0", "min:Overlap@4=0.01"),
        ("--fail-below", "below-0.5:Overlap@4=40%", "below-0.5:Overlap@4=39%"),
        ("--fail-below", "segment=head:min:Overlap@4=0", "segment=head:Overlap@4=0.6"),
    ],
)
def test_exit_codes(files: tuple[Path, ...], option: str, kept: str, broken: str) -> None:
    passed = compare(files, option, kept)
    assert (passed.code, passed.err) == (0, "")
    assert "\nok: " in passed.out
    failed = compare(files, option, broken)
    assert failed.code == 1
    assert failed.err.startswith("medir: check failed: ")
    assert "\nfailed: " in failed.out


def test_multiples_of_the_noise(files: tuple[Path, ...], tmp_path: Path) -> None:
    """Half of what the change moves, so that twice the noise is kept and once is not."""
    noise = {q: AFTER_LISTS[q] if q in ("q1", "q3") else some for q, some in BEFORE_LISTS.items()}
    again = write_run(tmp_path / "again.run", noise)  # 0.25 and 0.75 of 0, 0.25, 0.25, 0.75, 0.75
    assert compare(files, "--noise", again, "--fail-above", "P@4=2xnoise").code == 0
    failed = compare(files, "--noise", again, "--fail-above", "P@4=1.9xnoise")
    assert failed.code == 1
    assert "limit 0.38 (1.9 times the noise of 0.200)" in failed.err
    assert compare(files, "--fail-above", "P@4=2xnoise").code == 2
    nothing = compare(files, "--noise", files[0], "--fail-above", "P@4=2xnoise")
    assert nothing.code == 1
    assert "limit 0 (the noise is 0, and so is every multiple of it)" in nothing.err


def test_what_is_printed(files: tuple[Path, ...]) -> None:
    checks = (
        "--fail-above",
        "P@4=0.3",
        "--fail-above",
        "loss:P@4=0.5",
        "--fail-below",
        "Overlap@4=0",
    )
    done = compare(files, *checks)
    assert done.code == 1
    assert [line for line in done.out.splitlines() if line.startswith(("ok:", "failed:"))] == [
        "failed: mean MED of P@4 is 0.400, limit 0.3",
        "ok: mean loss of P@4 is 0.350, limit 0.5",
        "ok: mean Overlap@4 is 0.500, limit 0",
    ]
    assert done.err == (
        "medir: check failed: mean MED of P@4 is 0.400, limit 0.3; 2 queries above 0.300: "
        "q3 (0.750), q4 (0.750)\n"
    )
    assert "Most affected queries by Overlap@4" in done.out  # a measure that a check names


def test_checks_beside_rows(files: tuple[Path, ...], tmp_path: Path) -> None:
    """Rows are written before a check fails, and what it says does not come between them."""
    out = tmp_path / "rows.csv"
    checks = "--fail-above", "max:P@4=0", "--fail-above", "P@4=1"
    done = compare(files, "-o", out, *checks)
    assert done.code == 1
    assert len(out.read_text().splitlines()) == 6
    printed = compare(files, "--format", "csv", *checks)
    assert printed.code == 1
    assert printed.out == out.read_text()
    assert [
        line.partition(": max")[0].partition(": mean")[0] for line in printed.err.splitlines()
    ] == [
        "medir: ok",
        "medir: check failed",
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--fail-above", "P@4"], "cannot read the check 'P@4'"),
        (["--fail-above", "any:P@4=1"], "write max instead of any (max:P@4=1)"),
        (["--fail-above", "Overlap@4=1"], "write --fail-below Overlap@4=1"),
        (["--fail-below", "P@4=1"], "write --fail-above P@4=1"),
        (["--fail-above", "segment=body:P@4=1"], "no query has part 'body'"),
        (["--fail-above", "P@4=1", "--weight", "none"], "there is no column 'none'"),
        (["--fail-below", "tau_b@1=-1"], "no query has a value of tau_b@1: nothing to check"),
        (["--junit", "x.xml"], "--junit needs a check"),
    ],
)
def test_what_cannot_be_checked(
    files: tuple[Path, ...], arguments: list[str], message: str
) -> None:
    done = compare(files, *arguments)
    assert done.code == 2
    assert message in done.err


def test_a_total_weight_of_nothing(files: tuple[Path, ...]) -> None:
    files[3].write_text("query_id\tpart\tweight\n" + "".join(f"{q}\thead\t0\n" for q in SEGMENTS))
    done = compare(files, "--fail-above", "P@4=1")
    assert done.code == 2
    assert "the weights of mean MED of P@4 add up to 0: nothing to check" in done.err
    assert compare(files).code == 0


def test_queries_without_a_value(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", {"q": ["a"], "r": ["a", "b"]})
    done = shell("compare", run, run, "--fail-below", "tau_b=0.5")
    assert done.code == 1
    assert done.err == (
        "medir: check failed: mean tau_b is 1.000, limit 0.5; 1 query has no value\n"
    )


def test_checks_of_passages() -> None:
    runs = TEXTS / "before.txt", TEXTS / "after.txt"
    assert shell("passages", *runs, "--fail-above", "max:U@12000=3000").code == 0
    failed = shell("passages", *runs, "--fail-above", "loss:max:U@12000=2999")
    assert failed.code == 1
    assert "max loss of U@12000 is 3,000, limit 2,999; 1 query above 2,999: 2" in failed.err
    explained = shell("passages", *runs, "--explain", 1, "--fail-above", "U@12000=3000")
    assert explained.code == 0
    assert "ok: mean MED of U@12000 is " in explained.out


# A run against itself: every kind of limit at 0 is kept.

STATISTICS = ["mean", "median", "p1", "p95", "p99.9", "max", "above-0", "above-0.5"]


def limits(measure: str, *segments: str) -> Iterator[str]:
    """Every kind of upper limit, at 0."""
    for segment in ("", *segments):
        for column in ("", "med:", "gain:", "loss:"):
            for statistic in STATISTICS:
                yield "--fail-above"
                yield f"{segment}{column}{statistic}:{measure}=0"
    yield from ("--fail-above", f"{measure}=2xnoise")
    yield from ("--fail-above", f"loss:max:{measure}=0%")


def assert_nothing_fails(command: str, run: Path, measure: str, *options: object) -> None:
    done = shell(command, run, run, "--noise", run, *options, *limits(measure))
    assert (done.code, done.err) == (0, "")
    assert done.out.count("ok: ") == sum(one == "--fail-above" for one in limits(measure))


SIMILARITIES = ["--fail-below", "Overlap@10=0", "--fail-below", "below-1:Jaccard@10=0",
                "--fail-below", "RBO=1", "--fail-below", "min:RBO=1"]  # fmt: skip


@pytest.mark.parametrize("run", [BEFORE, AFTER], ids=lambda run: run.stem)
@pytest.mark.parametrize("judged", [False, True])
def test_an_example_against_itself(run: Path, judged: bool) -> None:
    options = ["--queries", QUERIES, "--by", "segment", *(["--qrels", QRELS] if judged else [])]
    parts = limits("nDCG@20", "segment=head:", "segment=*:")
    done = shell("compare", run, run, "--noise", run, *options, *parts, *SIMILARITIES)
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith(
        "The mean of nDCG@20 does not change"
        if judged
        else "No query changed: nDCG@20 cannot move."
    )


def test_example_passages_against_themselves() -> None:
    for name in ("before.txt", "after.txt"):
        assert_nothing_fails("passages", TEXTS / name, "U@12000")
        assert_nothing_fails("passages", TEXTS / name, "U@12000", "--gold", TEXTS / "gold.tsv")


def variants(path: Path, folder: Path, seed: int) -> dict[str, Path]:
    """A run as it is, cut at 10, and with results dropped at random from both."""
    chance = random.Random(seed)
    lines = gzip.decompress(path.read_bytes()).decode().splitlines(keepends=True)
    by_query: dict[str, list[str]] = {}
    for line in lines:
        by_query.setdefault(line.split()[0], []).append(line)
    cut = [line for some in by_query.values() for line in some[:10]]
    made = {
        "cut": cut,
        "dropped": [line for line in lines if chance.random() > 0.3],
        "cut and dropped": [line for line in cut if chance.random() > 0.5],
    }
    for name, some in made.items():
        (folder / name).write_text("".join(some))
    return {"whole": path} | {name: folder / name for name in made}


def default_measure(run: Path) -> str:
    """The measure that is used if none is named."""
    rows = csv.DictReader(io.StringIO(shell("compare", run, run, "--format", "csv").out))
    (name,) = {row["measure"] for row in rows}
    return name


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    ["runs/covidex.r5.2s.lr", "runs/sab20.5.4.dfo", "runs/udel_fang_ltr_uni", "runs/uogTrDPH_QE_RF",
     "deep/elhuyar_prf_nof99p"],
)  # fmt: skip
def test_trec_covid_against_itself(name: str, data: Path, tmp_path: Path) -> None:
    """With the measure that is used unless one is named, and with smaller cutoffs."""
    path = data / "trec-covid-r5" / f"{name}.gz"
    for kind, run in variants(path, tmp_path, seed=len(name)).items():
        measure = default_measure(run)
        assert measure.startswith("nDCG@")
        assert (measure == "nDCG@20") == (kind in ("whole", "dropped"))
        assert_nothing_fails("compare", run, measure)
        for other in ("P@1", "nDCG@5", "AP@5", "ERR@5"):
            assert_nothing_fails("compare", run, other)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["york07-ga-01", "popat-lucene-checkbook"])
def test_genomics_against_itself(name: str, data: Path, tmp_path: Path) -> None:
    """Texts of ten passages are long enough for U@500."""
    path = data / "genomics07" / "runs" / f"{name}.gz"
    gold = "--gold", data / "genomics07" / "gold.tsv"
    for kind, run in variants(path, tmp_path, seed=len(name)).items():
        measure = "U@500" if kind.startswith("cut") else "U@12000"
        assert_nothing_fails("passages", run, measure)
        assert_nothing_fails("passages", run, measure, *gold)
