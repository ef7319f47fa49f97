"""yacs: `cfg.merge_from_list`, which refuses keys that the configuration lacks."""

from __future__ import annotations

from typing import Any

from ..config_files import flat

MODULES = ("yacs.config",)
PARSER = "yacs"


def install(module: Any, recorder: Any) -> None:
    node = module.CfgNode
    original = node.merge_from_list

    def merge_from_list(self: Any, words: Any) -> Any:
        try:
            result = original(self, words)
        except (KeyError, AssertionError) as error:
            reason = "unknown-argument" if "Non-existent key" in str(error) else "wrong-number-of-values"
            recorder.rejected(reason, str(error.args[0] if error.args else "an odd number of words"), PARSER)
            raise
        except ValueError as error:
            recorder.rejected("invalid-type", str(error), PARSER)
            raise
        given = tuple(str(word) for word in list(words)[0::2])
        recorder.parsed(PARSER, flat(_plain(self)), given, {name: (name,) for name in given})
        return result

    node.merge_from_list = merge_from_list


def _plain(node: Any) -> Any:
    return {key: _plain(value) for key, value in node.items()} if isinstance(node, dict) else node
