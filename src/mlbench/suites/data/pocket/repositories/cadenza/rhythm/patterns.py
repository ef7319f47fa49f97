"""Bars of sixteen (or twelve) pulses. 0 rest, 1 ghost stroke, 2 stroke, 3 accent."""
import zlib

import numpy as np

GROOVES = {
    "SAMBA": "3012201030122010",
    "CLAVE": "3002002000202000",
    "MAQSUM": "3030003020002010",
    "BULERIA": "003002010302",
    "TANGO": "3002003020203010",
    "BAIAO": "3002002030120020",
}


def bars(groove, count=24, looseness=0.1, seed=1):
    """(count, 2 * pulses): two bars a line, played not quite as written."""
    if groove not in GROOVES:
        raise ValueError(f"no such groove: {groove!r}")
    written = np.array([int(c) for c in GROOVES[groove]] * 2)
    rng = np.random.default_rng([zlib.crc32(groove.encode()), seed])
    out = np.tile(written, (count, 1))
    slip = rng.random(out.shape) < looseness
    out[slip] = rng.integers(0, 4, int(slip.sum()))
    return out
