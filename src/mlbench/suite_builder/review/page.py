"""The review page as one text, with a policy that lets nothing else run or load.

Markup, style and script are together. The page holds nothing of a suite: the script gets that as JSON and inserts it as
text only.
"""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass

import jinja2
from markupsafe import Markup

from mlbench import web

SCRIPTS = ("api.js", "task.js", "actions.js", "keys.js")


@dataclass(frozen=True)
class ReviewPage:
    """The page and its Content-Security-Policy."""

    html: str
    policy: str


def page() -> ReviewPage:
    """The page, read once."""
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("mlbench.suite_builder.review"), autoescape=True, undefined=jinja2.StrictUndefined
    )
    assert environment.loader is not None
    sources = {name: environment.loader.get_source(environment, name)[0] for name in ("review.css", *SCRIPTS)}
    style = "\n" + web.source(web.COLOURS) + sources["review.css"]
    script = '\n"use strict";\n' + web.source(web.MADE) + "".join(sources[name] for name in SCRIPTS)
    html = environment.get_template("review.html.jinja").render(style=Markup(style), script=Markup(script))
    policy = (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; connect-src 'self';"
        " img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
    return ReviewPage(html, policy)


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
