"""The other programs that the benchmark times, each run in a process of its own.

``python benchmarks/peers.py polars BEFORE AFTER`` and
``python benchmarks/peers.py duckdb BEFORE AFTER OUT.csv`` print the seconds of the work alone:
starting Python and importing the library are not counted.
"""

import sys
from pathlib import Path
from time import perf_counter

import duckdb
import polars

DEPTH = 20

# The measure is MED-nDCG@20 without judgments: the sum over the documents of the positive part
# of d(rank before) - d(rank after), divided by the sum of d(1) to d(20), where d(i) is
# 1 / log2(i + 1), and 0 for a document that is not in the list. This takes no account of ranks
# beyond 20, so the lists must have 20 documents at the most.
MED_QUERY = """
COPY (
    SELECT query,
           sum(greatest(0, coalesce(before.discount, 0) - coalesce(after.discount, 0)))
           / (SELECT sum(1 / log2(i + 1)) FROM range(1, {depth} + 1) AS ranks(i)) AS med
    FROM ({before}) AS before FULL OUTER JOIN ({after}) AS after USING (query, document)
    GROUP BY query
) TO {out} (HEADER, DELIMITER ',')
"""

DISCOUNT_QUERY = """
SELECT query, document,
       1 / log2(1 + row_number() OVER (PARTITION BY query ORDER BY score DESC)) AS discount
FROM read_csv({path}, delim = ' ', header = false, quote = '', columns = {{
    'query': 'VARCHAR', 'q0': 'VARCHAR', 'document': 'VARCHAR',
    'rank': 'INTEGER', 'score': 'DOUBLE', 'tag': 'VARCHAR'}})
"""


def read_with_polars(before: Path, after: Path) -> float:
    """Read all columns of both files into two Polars frames, and do nothing with them."""
    start = perf_counter()
    frames = [polars.read_csv(path, separator=" ", has_header=False) for path in (before, after)]
    seconds = perf_counter() - start
    if any(frame.width not in (6, 7) for frame in frames):
        raise ValueError("a run has six columns, one of passages seven")
    return seconds


def join_with_duckdb(before: Path, after: Path, out: Path) -> float:
    """Compute the measure as a full join in DuckDB, and write query and value to a CSV file."""
    connection = duckdb.connect(config={"temp_directory": str(out.parent / "duckdb-temporary")})
    connection.execute("SET preserve_insertion_order = false")
    query = MED_QUERY.format(
        depth=DEPTH,
        before=DISCOUNT_QUERY.format(path=_quoted(before)),
        after=DISCOUNT_QUERY.format(path=_quoted(after)),
        out=_quoted(out),
    )
    start = perf_counter()
    connection.execute(query)
    return perf_counter() - start


def _quoted(path: Path) -> str:
    """Return the path as an SQL string."""
    return "'" + str(path).replace("'", "''") + "'"


def main() -> None:
    """Run the peer named on the command line and print its seconds."""
    match sys.argv[1:]:
        case ["polars", before, after]:
            print(read_with_polars(Path(before), Path(after)))
        case ["duckdb", before, after, out]:
            print(join_with_duckdb(Path(before), Path(after), Path(out)))
        case _:
            sys.exit("usage: peers.py polars BEFORE AFTER | peers.py duckdb BEFORE AFTER OUT.csv")


if __name__ == "__main__":
    main()
