"""NVIDIA GPUs in a sandbox: the arguments that let bubblewrap and Docker pass them through.

The driver's libraries lie below /usr on most systems, which every jail shows. Elsewhere they are mounted as well.
"""

from __future__ import annotations

from pathlib import Path

_DEVICES = ("nvidiactl", "nvidia-uvm", "nvidia-uvm-tools", "nvidia-modeset", "nvidia[0-9]*", "nvidia-caps/*", "dxg")
_DRIVERS = ("/run/opengl-driver", "/run/nvidia", "/etc/nvidia", "/sys/bus/pci", "/sys/devices", "/sys/module/nvidia")


def devices(root: Path = Path("/dev")) -> list[Path]:
    """Return NVIDIA's device files on this machine."""
    return sorted({device for name in _DEVICES for device in root.glob(name)})


def jail_devices(root: Path = Path("/dev")) -> list[str]:
    """Return the arguments of bubblewrap that show the device files, to stand between `--dev` and `--remount-ro`."""
    return [
        word for device in devices(root) for word in ("--dev-bind", str(device), f"/dev/{device.relative_to(root)}")
    ]


def jail_drivers() -> list[str]:
    """Return the arguments of bubblewrap that show what drivers keep outside of /usr."""
    return [word for folder in _DRIVERS for word in ("--ro-bind-try", folder, folder)]


def container_devices() -> dict[str, object]:
    """Return the part of a Compose service that gives it every NVIDIA GPU."""
    device = {"driver": "nvidia", "count": "all", "capabilities": ["gpu"]}
    return {"deploy": {"resources": {"reservations": {"devices": [device]}}}}
