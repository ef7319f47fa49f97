"""The options of every known launcher: which take a value, and what the launcher starts.

Plain data. An option that is not in the table is not guessed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal


@dataclass(frozen=True)
class LaunchSyntax:
    """The options of one launcher.

    Attributes:
        values: options with a value, as the next word or behind `=`.
        flags: options without a value.
        integers: options of `values` whose value is an integer.
        pairs: options with two values.
        before: number of the launcher's own words after its options (the time of `timeout`).
        argparse: options may be shortened, and the launcher refuses unknown ones. False: an unknown option means that
            the command line cannot be followed.
        starts: the kind of its first word: a command line, or a Python script.
        local_rank: it adds `--local_rank=0`.
    """

    values: frozenset[str] = frozenset()
    flags: frozenset[str] = frozenset()
    integers: frozenset[str] = frozenset()
    pairs: frozenset[str] = frozenset()
    before: int = 0
    argparse: bool = False
    starts: Literal["command", "script"] = "command"
    local_rank: bool = False


def _launcher(values: str = "", flags: str = "", integers: str = "", pairs: str = "", **others: object) -> LaunchSyntax:
    def options(words: str) -> frozenset[str]:
        return frozenset(words.split())

    taking = options(values) | options(integers)
    known = (taking, options(flags), options(integers), options(pairs))
    return LaunchSyntax(*known, **others)  # type: ignore[arg-type]


TORCHRUN = _launcher(
    "--nnodes --nproc_per_node --rdzv_backend --rdzv_endpoint --rdzv_id --rdzv_conf --start_method --role"
    " --log_dir -r --redirects"
    " -t --tee --local_ranks_filter --master_addr --local_addr --logs_specs --event_log_handler --numa_binding",
    "--standalone --no_python -m --module --run_path --use_env",
    "--node_rank --master_port --max_restarts",
    argparse=True,
    starts="script",
)
ACCELERATE = _launcher(
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
DEEPSPEED = _launcher(
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
LAUNCHERS: dict[str, LaunchSyntax] = {
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
    "torchrun": TORCHRUN,
    "accelerate-launch": ACCELERATE,
    "deepspeed": DEEPSPEED,
    "ds": DEEPSPEED,
}
LAUNCHERS["mpirun"] = LAUNCHERS["mpiexec"] = _launcher(
    "-np -n --np -c -H -host --host -hostfile --hostfile -machinefile -x -N -npernode --npernode -wdir --wdir"
    " -bind-to --bind-to"
    " -map-by --map-by -ppn -f -output-filename --output-filename",
    "--allow-run-as-root -allow-run-as-root --oversubscribe -oversubscribe --report-bindings --tag-output -v -q"
    " --display-map",
    pairs="-mca --mca -gmca --gmca -genv -env",
)
RUNNERS: dict[str, LaunchSyntax] = {
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
RUNNERS["mamba"] = RUNNERS["micromamba"] = RUNNERS["conda"]
SCRIPT_RUNNERS = ("coverage", "streamlit")
TORCH_LAUNCHERS = {
    "torch.distributed.launch": replace(TORCHRUN, local_rank=True),
    "torch.distributed.run": TORCHRUN,
    "accelerate.commands.launch": ACCELERATE,
    "deepspeed.launcher.runner": DEEPSPEED,
}
SETTING_RANKS = frozenset({*TORCH_LAUNCHERS, "torchrun", "accelerate-launch", "deepspeed"})
"""Launchers that give each process its `RANK`, `LOCAL_RANK` and `WORLD_SIZE`."""
MODULE_WRAPPERS = {
    "cProfile": _launcher("-o --outfile -s --sort", "-m", starts="script"),
    "profile": _launcher("-o --outfile -s --sort", "-m", starts="script"),
    "pdb": _launcher("-c --command", "-m", starts="script"),
    "coverage": RUNNERS["coverage"],
}
