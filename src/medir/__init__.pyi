"""The public names and where each lives: type checkers read this list, and so does __init__.py."""

from medir import similarity as similarity
from medir.base.version import __version__ as __version__
from medir.comparing.compare import compare as compare
from medir.comparing.compare import med as med
from medir.comparing.comparison import Comparison as Comparison
from medir.comparing.decision.gate import Check as Check
from medir.comparing.differences import Row as Row
from medir.comparing.explaining.explain import explain as explain
from medir.comparing.explaining.explanation import Explanation as Explanation
from medir.comparing.exposure import Exposure as Exposure
from medir.comparing.exposure import Exposures as Exposures
from medir.comparing.exposure import documents as documents
from medir.comparing.judging.judge import Suggestion as Suggestion
from medir.comparing.judging.judge import judge as judge
from medir.comparing.judging.requests import write_pool as write_pool
from medir.comparing.judging.requests import write_requests as write_requests
from medir.comparing.judging.score import score as score
from medir.comparing.judging.scores import Scores as Scores
from medir.comparing.large.compare import compare_large as compare_large
from medir.comparing.matrix import Matrix as Matrix
from medir.comparing.matrix import matrix as matrix
from medir.comparing.solve import Solution as Solution
from medir.comparing.solve import solve as solve
from medir.errors import InputError as InputError
from medir.errors import MeasureError as MeasureError
from medir.errors import MedirError as MedirError
from medir.errors import MissingQueryError as MissingQueryError
from medir.errors import UsageError as UsageError
from medir.expecting.expect import expect as expect
from medir.expecting.expectation import Estimate as Estimate
from medir.expecting.expectation import Expectation as Expectation
from medir.inputs.clusters.copies import FoundClusters as FoundClusters
from medir.inputs.clusters.copies import find_clusters as find_clusters
from medir.inputs.clusters.reading import Clusters as Clusters
from medir.inputs.lengths import Lengths as Lengths
from medir.inputs.passages import Passage as Passage
from medir.inputs.passages import Passages as Passages
from medir.inputs.qrels import Qrels as Qrels
from medir.inputs.queries import Queries as Queries
from medir.inputs.runs import Run as Run
from medir.integrations import spark as spark
from medir.integrations.assertions import assert_ranking_close as assert_ranking_close
from medir.measures import Measure as Measure
from medir.measures import define as define
from medir.measures import measure as measure
from medir.passages.compare import PassageComparison as PassageComparison
from medir.passages.compare import compare_passages as compare_passages
from medir.passages.matrix import passage_matrix as passage_matrix
from medir.rendering.pages.report import write_report as write_report
from medir.rendering.pictures.plots import heat_map as heat_map
from medir.rendering.pictures.plots import system_map as system_map
from medir.rendering.pictures.trees import system_tree as system_tree
from medir.validation.study import Study as Study
from medir.validation.study import study as study

AP: Measure
Cascade: Measure
DCG: Measure
Discount: Measure
ERR: Measure
ERR_IA: Measure
INSQ: Measure
Judged: Measure
NRBP: Measure
P: Measure
RBP: Measure
RR: Measure
SDCG: Measure
Success: Measure
TBG: Measure
U: Measure
alpha_nDCG: Measure
nDCG: Measure

__all__: list[str]
