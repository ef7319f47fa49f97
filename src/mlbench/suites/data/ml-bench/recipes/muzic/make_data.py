"""Write generation logs of Museformer, and songs with lyrics for the evaluation of SongMASS.

python make_data.py CHECKOUT TARGET
"""

import random
import sys
from pathlib import Path

LOGS = ("generation", "seed7", "long_run")
LYRICS = ("lyric.gt", "valid.lyric", "test.lyric", "../data_org/para/valid.lyric", "../data_org/para/test.lyric")
MELODIES = ("melody.gt", "valid.melody", "test.melody", "../data_org/para/valid.melody", "../data_org/para/test.melody")
IDS = (
    *("ids.txt", "song_id_valid.txt", "song_id_test.txt"),
    *("../data_org/para/song_id_valid.txt", "../data_org/para/song_id_test.txt"),
)
HYPOTHESES = (
    *("hypo.txt", "hypo_greedy.txt", "../results/hypo_nbest.txt", "../results/run3.txt"),
    *("../results/melody_beam5.txt", "../results/melody_sampled.txt"),
)
LINES = 6  # of every file: any of them may be evaluated with any other


def main(target: Path) -> None:
    """Write all files with content of their own."""
    rng = random.Random(0)
    logs = target / "museformer" / "output_log"
    logs.mkdir(parents=True)
    for songs, name in enumerate(LOGS, 3):
        lines = [f"D-{song}\t-{rng.uniform(0.3, 2):.4f}\t{tokens(rng)}\n" for song in range(songs)]
        (logs / f"{name}.log").write_text("INFO | fairseq_cli.interactive\n" + "".join(lines))
    evaluate = target / "songmass" / "evaluate"
    (target / "songmass" / "data_org" / "para").mkdir(parents=True)
    for folder in (evaluate, target / "songmass" / "results"):
        folder.mkdir(parents=True)
    for name in LYRICS:
        write(evaluate / name, [" [sep] ".join(["la [align] la"] * rng.randint(2, 4)) + " [sep]" for _ in range(LINES)])
    for name in MELODIES:
        write(evaluate / name, [melody(rng, 3) for _ in range(LINES)])
    for shift, name in enumerate(IDS):
        write(evaluate / name, [str((line + shift) * 3 // (LINES + shift)) for line in range(LINES)])
    for name in HYPOTHESES:
        write(evaluate / name, [f"H-{line}\t-{rng.random():.4f}\t{melody(rng, 4)}" for line in range(LINES)])


def tokens(rng: random.Random) -> str:
    """Return some tokens of a piece: time signature, tempo, instrument, pitch, duration, velocity."""
    notes = [f"o-{4 * step} i-0 p-{rng.randint(48, 84)} d-{rng.randint(1, 12)} v-20" for step in range(8)]
    return " ".join(["s-9 o-0 t-30", *notes, "b-1"])


def melody(rng: random.Random, sentences: int) -> str:
    """Return sentences of notes, each a pitch and a duration with an alignment."""
    notes = (f"{rng.randint(55, 80)} {rng.randint(129, 140)} [align]" for _ in iter(int, 1))
    return " ".join(" ".join(next(notes) for _ in range(5)) + " [sep]" for _ in range(sentences))


def write(file: Path, lines: list[str]) -> None:
    """Write lines to a file."""
    file.write_text("".join(f"{line}\n" for line in lines))


if __name__ == "__main__":
    main(Path(sys.argv[2]))
