"""Downloads the published rows from the Hugging Face Hub at one exact commit."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from mlbench.records import RunError, UsageError
from mlbench.repositories.cache import cache_folder
from mlbench.suites.tabular_io import chosen

DATASET = "super-dainiu/ml-bench"


@dataclass(frozen=True)
class Snapshot:
    """The files of each split at one commit of the dataset."""

    revision: str
    files: dict[str, list[Path]]


def download(splits: Iterable[str], revision: str | None = None, instead: str = "") -> Snapshot:
    """Download the dataset's files, or find them in the cache; `HF_ENDPOINT` names another Hub.

    Args:
        splits: the splits whose files are wanted.
        revision: a commit, branch or tag; None for the head of the main branch.
        instead: appended to error messages: what to do if the Hub cannot be reached.

    Raises:
        UsageError: huggingface_hub is not installed.
        RunError: the Hub is out of reach or refuses, or the revision holds no file of a split.
    """
    try:
        from huggingface_hub import HfApi
    except ImportError as error:
        raise UsageError("loading from the Hub needs huggingface_hub: pip install 'mlbench-harness[hub]'") from error
    hub = HfApi(endpoint=os.environ.get("HF_ENDPOINT") or None, library_name="mlbench")
    try:
        about = hub.dataset_info(DATASET, revision=revision, timeout=20)
        commit = str(about.sha)
        if not re.fullmatch(r"[0-9a-f]{40}", commit):
            raise RunError(f"the Hub did not state a commit of {DATASET}{instead}")
        found = chosen([name for name in (each.rfilename for each in about.siblings or ()) if _inside(name)], splits)
        if not found:
            raise RunError(f"{DATASET} at {commit[:12]} holds no Parquet or JSONL file of a split{instead}")
        folder = cache_folder("hub")
        files = {
            split: [
                Path(hub.hf_hub_download(DATASET, name, repo_type="dataset", revision=commit, cache_dir=folder))
                for name in names
            ]
            for split, names in found.items()
        }
    except RunError:
        raise
    except Exception as error:  # versions of huggingface_hub raise errors of different transports
        why = (str(error).splitlines() or [""])[0][:160] or type(error).__name__
        raise RunError(f"cannot get {DATASET}{f' at {revision}' if revision else ''}: {why}{instead}") from error
    return Snapshot(commit, files)


def _inside(name: str) -> bool:
    return not name.startswith("/") and ".." not in name.split("/") and "\\" not in name
