"""Console scripts and module folders as repositories declare them."""

from __future__ import annotations

from pathlib import Path

import pytest

from mlbench.interface_check.entry_points import entry_points

SETUP = {
    "lists": 'setup(entry_points={"console_scripts": ["a-b = pkg.cli:main", "c=pkg.c:run [extra]"]})',
    "one text": 'setup(entry_points={"console_scripts": "a-b = pkg.cli:main\\nc=pkg.c:run"})',
    "ini": 'setup(entry_points="""\n[console_scripts]\na-b = pkg.cli:main\nc = pkg.c:run\n[other]\nx = y:z\n""")',
    "names": 'S = ["a-b=pkg.cli:main"]\nE = {"console_scripts": S + ["c=pkg.c:run"]}\nsetuptools.setup(entry_points=E)',
    "star": 'D = dict(entry_points={"console_scripts": ["a-b=pkg.cli:main", "c=pkg.c:run"]})\nsetup(**D)',
    "star dict": 'D = {"entry_points": {"console_scripts": ("a-b=pkg.cli:main", "c=pkg.c:run")}}\nsetup(**D)',
    "tuple, parts unknown": 'setup(entry_points={"console_scripts": ("a-b=pkg." + "cli:main", f(), "c=pkg.c:run")})',
}


@pytest.mark.parametrize("form", SETUP)
def test_setup_py(tmp_path: Path, form: str) -> None:
    (tmp_path / "setup.py").write_text(f"from setuptools import setup\nimport setuptools\n{SETUP[form]}\n")
    assert entry_points(tmp_path).functions == {"a-b": "pkg.cli:main", "c": "pkg.c:run"}


def test_setup_py_is_never_run(tmp_path: Path) -> None:
    (tmp_path / "setup.py").write_text(
        f"open({str(tmp_path / 'ran')!r}, 'w')\nsetup(scripts=['bin/go', '../out'], package_dir={{'': 'lib'}})\n"
    )
    (tmp_path / "lib").mkdir()
    found = entry_points(tmp_path)
    assert found.scripts == {"go": "bin/go"}
    assert found.roots == (".", "lib")
    assert not (tmp_path / "ran").exists()


def test_a_package_that_a_function_of_setup_py_places(tmp_path: Path) -> None:
    """`python -m yolox.tools.train` was said to name no module."""
    (tmp_path / "setup.py").write_text(
        "import setuptools\ndef places():\n    found = {'lib.tools': 'tools'}\n    return found\n"
        "setuptools.setup(package_dir=places())\n"
    )
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools" / "train.py").write_text("")
    assert entry_points(tmp_path).file_of(tmp_path, "lib.tools.train") == "tools/train.py"


def test_setup_cfg(tmp_path: Path) -> None:
    (tmp_path / "src" / "pkg").mkdir(parents=True)
    (tmp_path / "src" / "pkg" / "cli.py").write_text("")
    (tmp_path / "setup.cfg").write_text(
        "[options]\npackage_dir =\n    = src\nscripts =\n    bin/go\n"
        "[options.entry_points]\nconsole_scripts =\n    a-b = pkg.cli:main\n"
    )
    found = entry_points(tmp_path)
    assert found.functions == {"a-b": "pkg.cli:main"}
    assert found.scripts == {"go": "bin/go"}
    assert found.file_of(tmp_path, "pkg.cli") == "src/pkg/cli.py"


def test_pyproject(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(
        '[project.scripts]\na = "pkg.a:main"\n[tool.poetry.scripts]\nb = "pkg.b:app.run"\n'
        'c = {reference = "pkg.c:x", type = "console"}\n'
        '[tool.setuptools.package-dir]\npkg = "code"\n'
    )
    (tmp_path / "code").mkdir()
    (tmp_path / "code" / "a.py").write_text("")
    found = entry_points(tmp_path)
    assert found.functions == {"a": "pkg.a:main", "b": "pkg.b:app.run", "c": "pkg.c:x"}
    assert found.file_of(tmp_path, "pkg.a") == "code/a.py"


def test_file_of(tmp_path: Path) -> None:
    for name in ("pkg/__main__.py", "pkg/mod.py", "sub/pkg/mod.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    found = entry_points(tmp_path)
    assert found.file_of(tmp_path, "pkg") == "pkg/__main__.py"
    assert found.file_of(tmp_path, "pkg.mod") == "pkg/mod.py"
    assert found.file_of(tmp_path, "pkg.mod", ("sub",)) == "sub/pkg/mod.py"
    assert found.file_of(tmp_path, "pkg.other") is None
    assert found.file_of(tmp_path, "../pkg") is None
    assert found.file_of(tmp_path, "pkg..mod") is None


@pytest.mark.parametrize(
    "text", ["def (", "setup(entry_points=f())", "setup(entry_points={'console_scripts': [3]})", "\0"]
)
def test_what_cannot_be_read_declares_nothing(tmp_path: Path, text: str) -> None:
    for name in ("setup.py", "setup.cfg", "pyproject.toml"):
        (tmp_path / name).write_text(text)
    assert entry_points(tmp_path).functions == {}


def test_an_empty_repository_declares_nothing(tmp_path: Path) -> None:
    found = entry_points(tmp_path)
    assert (found.functions, found.scripts, found.roots) == ({}, {}, (".",))


def test_projects_in_folders_count_after_the_repositorys_own(tmp_path: Path) -> None:
    scripts = '[project.scripts]\nserve = "pack.serve:main"\ntrain = "pack.train:main"\n'
    files = {
        "setup.cfg": "[options.entry_points]\nconsole_scripts =\n    train = own.train:main\n",
        "server/pyproject.toml": scripts,
        "server/src/pack/serve.py": "",
        "tool/setup.py": "from setuptools import setup\nsetup(scripts=['bin/go'])\n",
        "own/train.py": "",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    found = entry_points(tmp_path)
    assert found.functions == {"train": "own.train:main", "serve": "pack.serve:main"}
    assert (found.scripts, found.roots) == ({"go": "tool/bin/go"}, (".", "server", "server/src"))
    assert found.file_of(tmp_path, "pack.serve") == "server/src/pack/serve.py"


@pytest.mark.parametrize(
    "text",
    [
        '[tool.poetry]\npackages = [{ include = "pkg", from = "py" }]\n',
        '[tool.hatch.build.targets.wheel]\npackages = ["py/pkg"]\n',
        '[tool.setuptools.packages.find]\nwhere = ["py"]\n',
        '[tool.maturin]\npython-source = "py"\n[tool.setuptools.packages.find]\nwhere = ["src"]\n',
    ],
)
def test_where_pyproject_keeps_the_packages(tmp_path: Path, text: str) -> None:
    """`flwr` of flower's `framework/py` was a package that is not there, so that no command of it could be decided."""
    (tmp_path / "framework" / "py" / "pkg").mkdir(parents=True)
    (tmp_path / "framework" / "py" / "pkg" / "cli.py").write_text("")
    (tmp_path / "framework" / "pyproject.toml").write_text(f'[project.scripts]\nflwr = "pkg.cli:app"\n{text}')
    found = entry_points(tmp_path)
    assert found.roots == (".", "framework", "framework/py")
    assert found.file_of(tmp_path, "pkg.cli", found.roots) == "framework/py/pkg/cli.py"
