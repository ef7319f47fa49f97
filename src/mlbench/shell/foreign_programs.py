"""Programs that belong to no repository: tools of the system, of Python, and of well-known libraries.

A name in this table may still be a program of a repository that declares it. Ask the repository first.
"""

from __future__ import annotations

BY_PURPOSE: dict[str, frozenset[str]] = {
    purpose: frozenset(names.split())
    for purpose, names in {
        "installs": "pip pip3 pipenv poetry conda mamba micromamba uv pdm hatch apt apt-get apt-key add-apt-repository"
        " brew yum dnf pacman npm yarn easy_install make cmake ninja bazel gcc g++ nvcc cargo virtualenv venv module"
        " pre-commit",
        "downloads": "git wget curl gdown kaggle huggingface-cli hf aws gsutil gcloud aria2c axel scp rsync dvc mim"
        " ssh",
        "housekeeping": "ls cd pushd popd mkdir rmdir cp mv rm ln touch chmod chown tar unzip zip gzip gunzip 7z cat"
        " head tail less more man echo printf source . export unset set alias eval printenv nvidia-smi lscpu lspci"
        " free activate deactivate sudo su which find grep sed awk jq sort wc tree du df pwd vim vi nano code open"
        " xdg-open clear exit sleep kill killall pkill wandb tmux screen test [ true false read ffmpeg convert dot"
        " patch xargs diff md5sum sha256sum sha1sum setfacl mount umount dos2unix hash ulimit top htop ps",
        "container": "docker docker-compose nvidia-docker singularity apptainer podman kubectl helm ctl ctlptl kind",
        "serves": "tensorboard jupyter jupyter-lab jupyter-notebook visdom streamlit uvicorn gunicorn flask gradio"
        " ray mlflow",
        "tests": "pytest py.test tox nose nosetests flake8 black isort ruff mypy yapf pylint coverage",
        "cluster": "sbatch squeue scancel salloc scontrol sinfo sacct bsub qsub",
        "wrappers": "env",
        "languages": "java node perl ruby go rustc",
        "libraries": "accelerate fairseq-train fairseq-generate fairseq-preprocess fairseq-hydra-train spacy"
        " transformers-cli onnxsim trtexec",
    }.items()
}
"""The names, by what the programs are for."""

FOREIGN: frozenset[str] = frozenset().union(*BY_PURPOSE.values())
"""All names of the table."""
