"""`mlbench analyse`: analyses of rows and of logs, one file for each kind.

What enters: a suite or logs. What leaves: tables, and files with the unrounded figures.
"""

from __future__ import annotations

import typer

from mlbench.cli.analyse.errors import analyse_claims, analyse_documentation, analyse_errors
from mlbench.cli.analyse.forgetting import analyse_forgetting
from mlbench.cli.analyse.likelihood import analyse_likelihood
from mlbench.cli.analyse.memory import analyse_memory
from mlbench.cli.analyse.overlap import analyse_overlap
from mlbench.cli.analyse.paper_tables import analyse_bleu, analyse_tokens, analyse_truncation
from mlbench.cli.analyse.timeline import analyse_timeline

analyses = typer.Typer(help="Analyse rows, prompts and answers.", no_args_is_help=True)

analyses.command("tokens")(analyse_tokens)
analyses.command("bleu")(analyse_bleu)
analyses.command("truncation")(analyse_truncation)
analyses.command("errors")(analyse_errors)
analyses.command("claims")(analyse_claims)
analyses.command("documentation")(analyse_documentation)
analyses.command("memory")(analyse_memory)
analyses.command("forgetting")(analyse_forgetting)
analyses.command("timeline")(analyse_timeline)
analyses.command("overlap")(analyse_overlap)
analyses.command("likelihood")(analyse_likelihood)
