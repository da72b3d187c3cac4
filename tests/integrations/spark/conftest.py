"""A real cluster on this machine, started once: two executors, each with a core and a gigabyte."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.integrations.packages import needed
from tests.shell import ROOT

MASTER = "local-cluster[2,1,1024]"
LIMIT = "spark.sql.autoBroadcastJoinThreshold"
QUICK_START = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"  # for minutes, not for days


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    """A session of Spark. Without pyspark or Java, the tests are skipped and say so."""
    pyspark = needed("pyspark")
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip("needs Java 17 or later, which Spark runs on")
    home = str(Path(pyspark.__file__).parent)
    set_now = {"SPARK_HOME": home, "PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    os.environ.update(set_now)
    # Functions that tests define come from there.
    paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    from pyspark.sql import SparkSession

    session = (
        SparkSession.builder.master(MASTER)
        .appName("medir")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.task.maxFailures", "2")
        .config("spark.driver.extraJavaOptions", QUICK_START)
        .config("spark.executor.extraJavaOptions", QUICK_START)
        .config("spark.executorEnv.PYTHONPATH", os.pathsep.join(paths))
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


@pytest.fixture
def frame(spark: Any) -> Callable[..., Any]:
    """Makes a DataFrame of a table of Arrow."""

    def make(table: Any) -> Any:
        return spark.createDataFrame(table)

    return make


@pytest.fixture
def stored(spark: Any, tmp_path: Path) -> Callable[..., Any]:
    """Makes a DataFrame of Parquet, whose size Spark knows, of a table of Arrow."""
    import pyarrow.parquet as pq

    def make(table: Any) -> Any:
        path = tmp_path / f"table-{len(list(tmp_path.iterdir()))}.parquet"
        pq.write_table(table, path)
        return spark.read.parquet(str(path))

    return make


@pytest.fixture(params=["sent", "joined"])
def small(request: pytest.FixtureRequest, spark: Any) -> Iterator[str]:
    """Whether small tables are sent to every worker, or joined as large ones are."""
    if request.param == "joined":
        spark.conf.set(LIMIT, "-1")
    yield request.param
    spark.conf.unset(LIMIT)
