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
