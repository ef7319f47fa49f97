"""What a command line starts: the program behind `nohup`, `conda run`, `torchrun`, `python -u -m` and their like.

Pure: words in, words out. The tables say which options of a launcher take a value; what they do not know is not
guessed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

Run = Literal["file", "module", "code", "program"]


@dataclass(frozen=True)
class LaunchTarget:
    """What a command line starts.

    Attributes:
        run: `file` and `module`: by Python; `code`: Python code; `program`: something found by its name or path.
        name: the path or module as written, the code, or the program's name.
        argv: the words behind it.
        env: variables that launchers set for it.
        options: those of the interpreter (`-u`, `-W ignore`, `-O`).
        launchers: the names of what stands around it, outermost first.
        injected: words that a launcher puts before `argv` (`--local_rank=0`).
        cwd: the folder that a launcher changes into, as written; empty where none does.
    """

    run: Run
    name: str
    argv: tuple[str, ...] = ()
    env: dict[str, str] = field(default_factory=dict)
    options: tuple[str, ...] = ()
    launchers: tuple[str, ...] = ()
    injected: tuple[str, ...] = ()
    cwd: str = ""


@dataclass(frozen=True)
class Refusal:
    """The launcher itself would refuse this command line, or (`cannot-follow`) it is not known well enough."""

    reason: str
    message: str


@dataclass(frozen=True)
class _Launcher:
    """The options of one launcher.

    values: take the next word, or what follows `=`. flags: take none. integers: of those with a value.
    pairs: take two words. before: words after the options that are the launcher's own (the time of `timeout`).
    argparse: options may be shortened, and others are refused; else others make the command line impossible to follow.
    starts: what its first word is: a command line, or a script of Python.
    """

    values: frozenset[str] = frozenset()
    flags: frozenset[str] = frozenset()
    integers: frozenset[str] = frozenset()
    pairs: frozenset[str] = frozenset()
    before: int = 0
    argparse: bool = False
    starts: Literal["command", "script"] = "command"
    local_rank: bool = False


def _launcher(values: str = "", flags: str = "", integers: str = "", pairs: str = "", **others: object) -> _Launcher:
    def options(words: str) -> frozenset[str]:
        return frozenset(words.split())

    return _Launcher(options(values) | options(integers), options(flags), options(integers), options(pairs), **others)  # type: ignore[arg-type]


_TORCHRUN = _launcher(
    "--nnodes --nproc_per_node --rdzv_backend --rdzv_endpoint --rdzv_id --rdzv_conf --start_method --role"
    " --log_dir -r --redirects"
    " -t --tee --local_ranks_filter --master_addr --local_addr --logs_specs --event_log_handler --numa_binding",
    "--standalone --no_python -m --module --run_path --use_env",
    "--node_rank --master_port --max_restarts",
    argparse=True,
    starts="script",
)
_ACCELERATE = _launcher(
    "--config_file --main_process_ip --mixed_precision --gpu_ids --dynamo_backend --dynamo_mode --rdzv_backend"
    " --rdzv_conf"
    " --deepspeed_config_file --offload_optimizer_device --offload_param_device --offload_optimizer_nvme_path"
    " --offload_param_nvme_path --zero3_init_flag --zero3_save_16bit_model --deepspeed_hostfile"
    " --deepspeed_exclusion_filter"
    " --deepspeed_inclusion_filter --deepspeed_multinode_launcher --deepspeed_moe_layer_cls_names --gradient_clipping"
    " --fsdp_version --fsdp_offload_params --fsdp_min_num_params --fsdp_sharding_strategy --fsdp_reshard_after_forward"
    " --fsdp_auto_wrap_policy --fsdp_transformer_layer_cls_to_wrap --fsdp_backward_prefetch --fsdp_state_dict_type"
    " --fsdp_forward_prefetch --fsdp_use_orig_params --fsdp_cpu_ram_efficient_loading --fsdp_sync_module_states"
    " --fsdp_activation_checkpointing --same_network --downcast_bf16 --role --log_dir --tee --main_training_function"
    " --tpu_cluster --tpu_use_cluster --enable_cpu_affinity --env --vm --local_ranks_filter",
    "--cpu --multi_gpu --tpu --ipex --use_xpu --mps --use_deepspeed --use_fsdp --use_megatron_lm"
    " --use_mps_device -m --module"
    " --no_python --debug -q --quiet --dynamo_use_fullgraph --dynamo_use_dynamic"
    " --dynamo_use_regional_compilation --fp8_backend",
    "--num_processes --num_machines --machine_rank --main_process_port --num_cpu_threads_per_process --zero_stage"
    " --gradient_accumulation_steps --max_restarts --monitor_interval --mpirun_ccl",
    argparse=True,
    starts="script",
)
_DEEPSPEED = _launcher(
    "-H --hostfile -i --include -e --exclude --master_addr --launcher --launcher_args --autotuning"
    " --bind_core_list --venv_script"
    " --enable_each_rank_log",
    "--force_multi --module --no_python --no_local_rank --no_ssh_check --no_ssh --save_pid --elastic_training"
    " --bind_cores_to_rank",
    "--num_nodes --num_gpus --num_accelerators --master_port --node_rank --ssh_port --min_elastic_nodes"
    " --max_elastic_nodes",
    argparse=True,
    starts="script",
    local_rank=True,
)
_LAUNCHERS: dict[str, _Launcher] = {
    "nohup": _launcher(),
    "setsid": _launcher(flags="-c -f -w --ctty --fork --wait"),
    "unbuffer": _launcher(flags="-p"),
    "time": _launcher("-f -o --format --output", "-p -v -a -q --portability --verbose --append --quiet"),
    "nice": _launcher("-n --adjustment"),
    "ionice": _launcher("-n -c --class --classdata", "-t --ignore"),
    "timeout": _launcher("-s -k --signal --kill-after", "-v --verbose --foreground --preserve-status", before=1),
    "stdbuf": _launcher("-i -o -e --input --output --error"),
    "chrt": _launcher(flags="-b -f -i -o -r", before=1),
    "taskset": _launcher(flags="-a -c --cpu-list", before=1),
    "numactl": _launcher(
        "-N -m -C -i -p --cpunodebind --membind --physcpubind --interleave --preferred", "-l --localalloc"
    ),
    "sudo": _launcher("-u -g -C -p --user --group", "-E -H -n -S -k -i -b --preserve-env --set-home --login"),
    "xvfb-run": _launcher("-n -s -e -f -p -w --server-num --server-args --error-file", "-a -l --auto-servernum"),
    "command": _launcher(flags="-p"),
    "exec": _launcher("-a", "-c -l"),
    "builtin": _launcher(),
    "then": _launcher(),
    "srun": _launcher(
        "-p -A -N -n -c -t -J -w -x -o -e -D -G -q -C --partition --account --nodes --ntasks --cpus-per-task"
        " --time --job-name"
        " --nodelist --exclude --output --error --chdir --gpus --qos --constraint --gres --mem"
        " --ntasks-per-node --gpus-per-node"
        " --gpus-per-task --mpi --cpu-bind --kill-on-bad-exit --mem-per-cpu --reservation",
        "-l -u -v -Q --label --unbuffered --verbose --quiet --pty --exclusive --overlap",
    ),
    "horovodrun": _launcher(
        "-np --num-proc -H --hosts -hostfile --hostfile -p --ssh-port --network-interfaces --cycle-time-ms --log-level"
        " --fusion-threshold-mb --timeline-filename --min-np --max-np --start-timeout --mpi-args",
        "--gloo --mpi --verbose --check-build --autotune --disable-cache --hierarchical-allreduce"
        " --no-stall-check --log-with-timestamp",
    ),
    "torchrun": _TORCHRUN,
    "accelerate-launch": _ACCELERATE,
    "deepspeed": _DEEPSPEED,
    "ds": _DEEPSPEED,
}
_LAUNCHERS["mpirun"] = _LAUNCHERS["mpiexec"] = _launcher(
    "-np -n --np -c -H -host --host -hostfile --hostfile -machinefile -x -N -npernode --npernode -wdir --wdir"
    " -bind-to --bind-to"
    " -map-by --map-by -ppn -f -output-filename --output-filename",
    "--allow-run-as-root -allow-run-as-root --oversubscribe -oversubscribe --report-bindings --tag-output -v -q"
    " --display-map",
    pairs="-mca --mca -gmca --gmca -genv -env",
)
_RUNNERS: dict[str, _Launcher] = {
    "conda": _launcher(
        "-n --name -p --prefix --cwd", "-v --verbose --no-capture-output --live-stream --dev --debug-wrapper-scripts -s"
    ),
    "poetry": _launcher("-C -P --directory --project", "-q -v -vv -vvv -n --quiet --no-interaction --no-plugins"),
    "pipenv": _launcher(flags="--verbose --quiet -q -v"),
    "pdm": _launcher("-p --project", "-q -v -s --site-packages"),
    "hatch": _launcher("-e --env", "-q -v"),
    "uv": _launcher(
        "--extra --group --with --with-editable --with-requirements -p --python --env-file --package"
        " --directory --project"
        " --index-url --index --only-group --no-group",
        "--no-project --isolated --frozen --locked --no-sync --all-extras --dev --no-dev --active -q --quiet -v"
        " --verbose --offline"
        " --exact --refresh --managed-python --all-groups --no-editable --inexact",
    ),
    "coverage": _launcher(
        "--rcfile --source --include --omit --concurrency --data-file --context",
        "-m --module -a --append --branch -p --parallel-mode --timid",
    ),
    "streamlit": _launcher(),
}
_RUNNERS["mamba"] = _RUNNERS["micromamba"] = _RUNNERS["conda"]
_SCRIPT_RUNNERS = ("coverage", "streamlit")
_TORCH_LAUNCH = {
    "torch.distributed.launch": replace(_TORCHRUN, local_rank=True),
    "torch.distributed.run": _TORCHRUN,
    "accelerate.commands.launch": _ACCELERATE,
    "deepspeed.launcher.runner": _DEEPSPEED,
}
_MODULE_WRAPPERS = {
    "cProfile": _launcher("-o --outfile -s --sort", "-m", starts="script"),
    "profile": _launcher("-o --outfile -s --sort", "-m", starts="script"),
    "pdb": _launcher("-c --command", "-m", starts="script"),
    "coverage": _RUNNERS["coverage"],
}
_PYTHON = re.compile(r"python(?:\d+(?:\.\d+)*)?w?|pypy\d*|ipython\d?")
_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)=(.*)", re.DOTALL)
_DEEPEST = 12


def target(argv: tuple[str, ...], *, fed: str = "") -> LaunchTarget | Refusal:
    """What `argv` starts, behind all launchers.

    Args:
        fed: what it reads from its standard input, for `python -`.
    """
    return _unwrap(tuple(argv), fed, {}, (), "", 0)


def _unwrap(
    argv: tuple[str, ...], fed: str, env: dict[str, str], launchers: tuple[str, ...], cwd: str, depth: int
) -> LaunchTarget | Refusal:
    if not argv or depth > _DEEPEST:
        return Refusal("usage", f"`{' '.join(launchers)}` is given nothing to run")
    name = argv[0].rpartition("/")[2]
    around = (*launchers, name)

    def inner(
        words: tuple[str, ...], more: Mapping[str, str] | None = None, folder: str = ""
    ) -> LaunchTarget | Refusal:
        return _unwrap(words, fed, {**env, **(more or {})}, around, folder or cwd, depth + 1)

    if _PYTHON.fullmatch(name):
        return _python(argv, fed, LaunchTarget("code", "", env=env, launchers=launchers, cwd=cwd))
    if name == "env":
        return _env(argv, inner)
    if name == "accelerate":
        if argv[1:2] != ("launch",):
            return LaunchTarget("program", argv[0], argv[1:], env, launchers=launchers, cwd=cwd)
        argv, name = argv[1:], "accelerate-launch"
    if name in _RUNNERS:
        at = next((at for at, word in enumerate(argv[1:], 1) if word == "run"), 0)
        if not at:
            return LaunchTarget("program", argv[0], argv[1:], env, launchers=launchers, cwd=cwd)
        split = _split(name, _RUNNERS[name], (*argv[1:at], *argv[at + 1 :]))
        if isinstance(split, Refusal):
            return split
        if name in _SCRIPT_RUNNERS:
            rest = tuple(word for word in split.rest if word != "--") if name == "streamlit" else split.rest
            return _script(name, rest, split.given, LaunchTarget("code", "", env=env, launchers=around, cwd=cwd))
        folder = next((split.given[option] for option in ("--cwd", "-C", "--directory") if option in split.given), "")
        if name == "uv" and split.rest and split.rest[0].endswith(".py"):
            return inner(("python", *split.rest), folder=folder)
        return inner(split.rest, folder=folder)
    if name not in _LAUNCHERS:
        return LaunchTarget("program", argv[0], argv[1:], env, launchers=launchers, cwd=cwd)
    launcher = _LAUNCHERS[name]
    split = _split(name, launcher, argv[1:])
    if isinstance(split, Refusal):
        return split
    if launcher.starts == "script":
        return _launched(name, launcher, split, LaunchTarget("code", "", env=env, launchers=around, cwd=cwd))
    if name in ("mpirun", "mpiexec", "sudo"):
        more = {match[1]: match[2] for word in split.exported if (match := _ASSIGNMENT.fullmatch(word))}
        rest = split.rest
        while rest and name == "sudo" and (match := _ASSIGNMENT.fullmatch(rest[0])):
            more[match[1]], rest = match[2], rest[1:]
        return inner(rest, more)
    return inner(split.rest[launcher.before :], folder=split.given.get("--chdir", split.given.get("-D", "")))


@dataclass(frozen=True)
class _Split:
    given: dict[str, str]
    rest: tuple[str, ...]
    exported: tuple[str, ...] = ()


def _split(name: str, launcher: _Launcher, words: tuple[str, ...]) -> _Split | Refusal:
    """The launcher's own options, and the rest, which starts with what it runs (or with the launcher's own words)."""
    given: dict[str, str] = {}
    exported: list[str] = []
    at = 0
    while at < len(words) and words[at].startswith("-") and words[at] != "-":
        word = words[at]
        at += 1
        if word == "--":
            break
        if word in ("-h", "--help", "--version"):
            return Refusal("help", f"`{name} {word}` runs nothing")
        option, equals, value = word.partition("=")
        known = _known(launcher, option)
        if known is None and not word.startswith("--") and len(word) > 2 and word[:2] in launcher.values:
            known, equals, value = word[:2], "=", word[2:]
        if known is None and name == "nice" and re.fullmatch(r"-\d+", word):
            continue
        if known is None and re.fullmatch(r"-\w+", word) and all(f"-{letter}" in launcher.flags for letter in word[1:]):
            given.update({f"-{letter}": "" for letter in word[1:]})
            continue
        if known is None:
            if launcher.argparse:
                return Refusal("unknown-argument", f"{name}: unrecognized arguments: {word}")
            return Refusal("cannot-follow", f"{name}: the option {word} is not known here")
        if known in launcher.pairs:
            at += 2
            continue
        if known in launcher.flags:
            if equals and launcher.argparse:
                return Refusal("usage", f"{name}: argument {known}: ignored explicit argument {value!r}")
            given[known] = value
            continue
        if not equals:
            if at >= len(words):
                return Refusal("missing-argument", f"{name}: argument {known}: expected one argument")
            value = words[at]
            at += 1
        if known in launcher.integers and not re.fullmatch(r"\s*[-+]?\d+\s*", value):
            return Refusal("invalid-type", f"{name}: argument {known}: invalid int value: {value!r}")
        given[known] = value
        if known == "-x":
            exported.append(value)
    return _Split(given, words[at:], tuple(exported))


def _known(launcher: _Launcher, option: str) -> str | None:
    """The option's name in the tables: argparse takes `-` for `_` here, and shortened names."""
    everything = launcher.values | launcher.flags | launcher.pairs
    if option in everything:
        return option
    if not launcher.argparse or not option.startswith("--"):
        return None
    name = "--" + option[2:].replace("-", "_")
    if name in everything:
        return name
    longer = [one for one in everything if one.startswith(name)]
    return longer[0] if len(longer) == 1 else None


def _launched(name: str, launcher: _Launcher, split: _Split, around: LaunchTarget) -> LaunchTarget | Refusal:
    """What torchrun, accelerate, deepspeed and `python -m cProfile` start."""
    if not split.rest:
        return Refusal("missing-argument", f"{name}: the script to run is missing")
    if launcher.local_rank and "--use_env" not in split.given and "--no_local_rank" not in split.given:
        around = replace(around, injected=("--local_rank=0",))
    if "--no_python" in split.given:
        inner = target(split.rest)
        if isinstance(inner, Refusal):
            return inner
        return replace(
            inner,
            env={**around.env, **inner.env},
            launchers=(*around.launchers, *inner.launchers),
            injected=around.injected,
        )
    return _script(name, split.rest, split.given, around)


def _script(name: str, rest: tuple[str, ...], given: Mapping[str, str], around: LaunchTarget) -> LaunchTarget | Refusal:
    if not rest:
        return Refusal("missing-argument", f"{name}: the script to run is missing")
    run: Run = "module" if "-m" in given or "--module" in given else "file"
    return replace(around, run=run, name=rest[0], argv=rest[1:])


def _env(argv: tuple[str, ...], inner: object) -> LaunchTarget | Refusal:
    """`env [-i] [-u NAME] [NAME=VALUE]... COMMAND`."""
    more: dict[str, str] = {}
    folder = ""
    at = 1
    while at < len(argv):
        word = argv[at]
        if word in ("-u", "--unset", "-C", "--chdir"):
            folder = argv[at + 1] if word in ("-C", "--chdir") and at + 1 < len(argv) else folder
            at += 2
        elif word == "-S":
            return Refusal("cannot-follow", "env: the option -S is not known here")
        elif word in ("-i", "-", "-0", "-v", "--ignore-environment") or word.startswith(("--unset=", "--chdir=", "-u")):
            at += 1
        elif match := _ASSIGNMENT.fullmatch(word):
            more[match[1]] = match[2]
            at += 1
        elif word.startswith("-"):
            return Refusal("cannot-follow", f"env: the option {word} is not known here")
        else:
            return inner(argv[at:], more, folder)  # type: ignore[operator, no-any-return]
    return LaunchTarget("program", "env", argv[1:], more)


_FLAGS = "bBdEiIOPqRsSuvx"


def _python(argv: tuple[str, ...], fed: str, around: LaunchTarget) -> LaunchTarget | Refusal:
    """`python [OPTION]... [-c CODE | -m MODULE | FILE | -] [ARGUMENT]...`."""
    options: list[str] = []
    at = 1
    while at < len(argv):
        word = argv[at]
        at += 1
        if word == "-" or not word.startswith("-"):
            if word == "-":
                return replace(around, run="code", name=fed, argv=argv[at:], options=tuple(options))
            if argv[0].rpartition("/")[2].startswith("ipython") and argv[at : at + 1] == ("--",):
                at += 1
            return replace(around, run="file", name=word, argv=argv[at:], options=tuple(options))
        if word in ("--help", "--version", "--help-all", "--help-env", "--help-xoptions"):
            return Refusal("help", f"`python {word}` runs nothing")
        if word == "--check-hash-based-pycs":
            at += 1
            continue
        if word.startswith("--"):
            return Refusal("usage", f"python: unknown option {word}")
        letters = word[1:]
        for index, letter in enumerate(letters):
            rest = letters[index + 1 :]
            if letter in "cmWXQ":
                if not rest and at >= len(argv):
                    return Refusal("usage", f"python: argument expected for the -{letter} option")
                value = rest or argv[at]
                at += 0 if rest else 1
                if letter == "c":
                    return replace(around, run="code", name=value, argv=argv[at:], options=tuple(options))
                if letter == "m":
                    return _module(value, argv[at:], replace(around, options=tuple(options)))
                options += [f"-{letter}", value]
                break
            if letter in "hV?":
                return Refusal("help", f"`python -{letter}` runs nothing")
            if letter not in _FLAGS:
                return Refusal("usage", f"python: unknown option -{letter}")
            options.append(f"-{letter}")
    return replace(around, run="code", name=fed, options=tuple(options))


def _module(name: str, rest: tuple[str, ...], around: LaunchTarget) -> LaunchTarget | Refusal:
    """`python -m NAME`: a launcher in its own right, or a module."""
    launcher = _TORCH_LAUNCH.get(name) or _MODULE_WRAPPERS.get(name)
    if launcher is None:
        return replace(around, run="module", name=name, argv=rest)
    if name == "coverage":
        if rest[:1] != ("run",):
            return replace(around, run="program", name=name, argv=rest)
        rest = rest[1:]
    split = _split(name, launcher, rest)
    if isinstance(split, Refusal):
        return split
    return _launched(name, launcher, split, replace(around, launchers=(*around.launchers, name)))
