"""`medir.spark`: comparisons of runs that lie on a cluster, by Spark's own means.

Runs, judgments and queries are DataFrames of Spark. Rows are those of `medir.compare`, bit by bit;
sums over queries may differ in their last digits, since Spark adds them up in another order.
"""

from medir.integrations.spark.comparing import compare as compare
from medir.integrations.spark.crossing import matrix as matrix
from medir.integrations.spark.exposing import documents as documents
from medir.integrations.spark.summary import Summaries as Summaries
from medir.integrations.spark.summary import check as check
from medir.integrations.spark.summary import summary as summary
from medir.integrations.spark.summary import top as top

__all__ = ["Summaries", "check", "compare", "documents", "matrix", "summary", "top"]
