"""List and read the files that a candidate left, inside its jail. Uses only the standard library, without site.

Reads a request as JSON from standard input:
    roots                folders to search
    workspace, pristine  a root, and a folder with its original content
    first                globs of the files that are read first
    skip                 paths to leave out
    since                nanoseconds; new files that did not change later are left out
    files, bytes         limits
Writes one line of JSON, then the contents of the files one after the other. Never blocks: anything that is not a
regular file is named, but not opened.
"""

from __future__ import annotations

import fnmatch
import json
import os
import stat
import sys

DEEPEST = 40


def entries(root: str, most: int) -> list[tuple[str, os.stat_result]]:
    """Return the paths below a folder that are not folders, as (path, lstat); links are not followed."""
    todo = [(root, 0)]
    found: list[tuple[str, os.stat_result]] = []
    while todo:
        folder, depth = todo.pop()
        try:
            with os.scandir(folder) as listing:
                for entry in listing:
                    try:
                        info = entry.stat(follow_symlinks=False)
                    except OSError:
                        continue
                    if stat.S_ISDIR(info.st_mode):
                        if depth < DEEPEST:
                            todo.append((entry.path, depth + 1))
                    else:
                        found.append((entry.path, info))
                        if len(found) > most:
                            return found
        except OSError:
            continue
    return found


def content(path: str, most: int) -> tuple[bytes | None, str]:
    """Return the bytes of a regular file, or None and the reason; never blocks."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError as error:
        return None, "cannot be read: " + (error.strerror or "?")
    try:
        info = os.fstat(handle)
        if not stat.S_ISREG(info.st_mode):
            return None, "is no regular file"
        if info.st_size > most:
            return None, f"is too large: {info.st_size} bytes"
        parts, left = [], most + 1
        while left > 0:
            part = os.read(handle, min(left, 1 << 20))
            if not part:
                break
            parts.append(part)
            left -= len(part)
        data = b"".join(parts)
        return (None, "is too large") if len(data) > most else (data, "")
    except OSError as error:
        return None, "cannot be read: " + (error.strerror or "?")
    finally:
        os.close(handle)


def kind(mode: int) -> str:
    names = (
        (stat.S_ISFIFO, "a FIFO"),
        (stat.S_ISSOCK, "a socket"),
        (stat.S_ISCHR, "a device"),
        (stat.S_ISBLK, "a device"),
    )
    return next((name for test, name in names if test(mode)), "")


def main() -> None:
    asked = json.load(sys.stdin)
    workspace, pristine = asked["workspace"], asked["pristine"]
    skip, most_files, left = set(asked["skip"]), asked["files"], asked["bytes"]
    new: list[tuple[str, os.stat_result]] = []
    altered: list[str] = []
    faults: list[str] = []
    known = {path[len(pristine) :]: info for path, info in entries(pristine, 1 << 18)}
    for root in asked["roots"]:
        here = entries(root, 20 * most_files)
        if len(here) > 20 * most_files:
            faults.append(f"more than {20 * most_files} files in {root}")
        for path, info in here:
            if path in skip or (info.st_ctime_ns <= asked["since"] and path[len(workspace) :] not in known):
                continue
            was = known.pop(path[len(workspace) :], None) if root == workspace else None
            if was is None:
                new.append((path, info))
            elif (was.st_ctime_ns, was.st_size, was.st_mode) != (info.st_ctime_ns, info.st_size, info.st_mode):
                if stat.S_IFMT(was.st_mode) != stat.S_IFMT(info.st_mode):
                    altered.append(path)
                elif stat.S_ISLNK(info.st_mode):
                    if os.readlink(path) != os.readlink(pristine + path[len(workspace) :]):
                        altered.append(path)
                elif was.st_size != info.st_size or content(path, 1 << 28) != content(
                    pristine + path[len(workspace) :], 1 << 28
                ):
                    altered.append(path)
    changed = [(path, os.lstat(path)) for path in altered]

    def rank(item: tuple[str, os.stat_result]) -> tuple[bool, int, str]:
        matches = any(fnmatch.fnmatchcase(item[0], glob) for glob in asked["first"])
        return (not matches, item[1].st_size, item[0])

    ordered = sorted(new + changed, key=rank)
    if len(ordered) > most_files:
        faults.append(f"{len(ordered)} files; the first {most_files} are looked at")
    files: list[dict[str, object]] = []
    data: list[bytes] = []
    for path, info in ordered[:most_files]:
        real, what = path, kind(info.st_mode)
        if stat.S_ISLNK(info.st_mode):
            real = os.path.realpath(path)
            if not any((real + "/").startswith(root + "/") for root in asked["roots"]):
                what = "a link to " + real
        inside, fault = (None, "is " + what) if what else content(real, left)
        if inside is not None:
            left -= len(inside)
            data.append(inside)
        files.append(
            {"path": path, "size": info.st_size, "kept": None if inside is None else len(inside), "fault": fault}
        )
    removed = [workspace + path for path in known if workspace + path not in skip]
    head = {"files": files, "removed": sorted(removed)[:1000], "altered": sorted(altered)[:1000], "faults": faults}
    sys.stdout.buffer.write(json.dumps(head).encode() + b"\n")
    for part in data:
        sys.stdout.buffer.write(part)


main()
