"""Tree search over scripts, in the manner of AIDE (Jiang et al., 2025), on the published actions.

In: a research problem and the published actions as tools. Out: the best script's work in the workspace, and a
`TreeSearchResult` in the output's metadata. `tree` decides what is tried next, `search` does it.
"""

from mlbench.evals.mlagentbench.tree_search.agent import KEY, tree_search
from mlbench.evals.mlagentbench.tree_search.options import TreeSearchOptions, tree_search_options
from mlbench.evals.mlagentbench.tree_search.search import TreeSearchResult

__all__ = ["KEY", "TreeSearchOptions", "TreeSearchResult", "tree_search", "tree_search_options"]
