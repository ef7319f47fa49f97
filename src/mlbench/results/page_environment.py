"""The template environment of the pages: escaping on, undefined names are errors, figures formatted alike."""

from __future__ import annotations

import jinja2

from mlbench.results import format


def page_environment(package: str) -> jinja2.Environment:
    """Return the environment for the templates of a package, with the filters that every page uses."""
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader(package),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "percent": format.percent,
        "count": format.count,
        "dollars": format.dollars,
        "printable": format.printable,
    }
    return environment


def source(environment: jinja2.Environment, name: str) -> str:
    """Return the text of a file beside the templates: a style or a script."""
    assert environment.loader is not None
    return environment.loader.get_source(environment, name)[0]
