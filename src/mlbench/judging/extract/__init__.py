"""From a reply to the candidate: the code that the reply leaves as its answer, whatever stands around it.

`cleaning` drops what is no answer, `scanning` finds the blocks, `calls` reads tool calls, `sessions` and `notebooks`
read prompts and magics, `introductions` what the prose says of a block, `selection` chooses.
"""

from mlbench.judging.extract.reply import candidate_of, extract

__all__ = ["candidate_of", "extract"]
