"""Passengers, made up: the columns of the published table; who is carried off follows their spending, cabin and group.

Whoever travels together shares home, deck, side, name and fate in part; a group is never split between train and test.
"""

import argparse
from pathlib import Path

import numpy as np
import pandas as pd
from mlbench_tables import split

GROUPS, SHARE = 2700, 0.3
HOMES, GOALS = ["Earth", "Europa", "Mars"], ["TRAPPIST-1e", "55 Cancri e", "PSO J318.5-22"]
DECKS = {"Earth": "EFG", "Europa": "ABCDE", "Mars": "DEF"}
BILLS = ["RoomService", "FoodCourt", "ShoppingMall", "Spa", "VRDeck"]
WORTH = np.array([-0.55, 0.4, 0.35, -0.65, -0.6])
"""What a bill's logarithm adds to the odds: the luxuries keep a passenger on board."""
SYLLABLES = ["ra", "to", "mi", "lu", "ken", "sol", "ar", "dis", "fen", "gra", "hu", "jor", "pel", "ves", "wy", "zan"]
MISSING = ["HomePlanet", "CryoSleep", "Cabin", "Destination", "Age", "VIP", *BILLS, "Name"]


def word(rng: np.random.Generator, count: int) -> str:
    return "".join(rng.choice(SYLLABLES, count)).capitalize()


def group(rng: np.random.Generator, number: int) -> list[dict[str, object]]:
    """The passengers who travel together, with the odds (a logarithm) of each in `odds`."""
    home = str(rng.choice(HOMES, p=[0.54, 0.25, 0.21]))
    goal = str(rng.choice(GOALS, p=[0.69, 0.21, 0.1]))
    deck, side, cabin = str(rng.choice(list(DECKS[home]))), str(rng.choice(["P", "S"])), int(rng.integers(0, 1800))
    size = int(rng.choice(np.arange(1, 9), p=[0.55, 0.2, 0.1, 0.05, 0.04, 0.03, 0.02, 0.01]))
    surname, thrifty = word(rng, 3), rng.random() < 0.3
    # the ship was hit in some places, on either side
    hit = sum(np.exp(-(((cabin - place) / 110) ** 2)) for place in ((300, 800, 1400) if side == "P" else (550, 1150)))
    shared = rng.normal(0, 0.5) + 2.6 * hit - 0.9 + (0.5 if size in (3, 4, 5) else 0) - (0.6 if size > 6 else 0)
    shared += (0.3 if home == "Europa" else 0) + (0.25 if goal == "55 Cancri e" else 0)
    people = []
    for place in range(size):
        age = int(np.clip(rng.normal(30 if size == 1 else 27, 14), 0, 79))
        cryo = bool(rng.random() < (0.45 if age > 12 else 0.3))
        spends = 0 if cryo or thrifty or age < 13 else 1
        level = {"Earth": 5.2, "Europa": 6.6, "Mars": 5.6}[home]
        bills = np.round(rng.lognormal(level, 1.5, 5) * (rng.random(5) < 0.6) * spends).astype(int)
        vip = bool(age > 17 and home != "Earth" and rng.random() < 0.06)
        odds = shared + (0.9 if cryo else 0) + (0.8 if age < 13 else 0) - (0.5 if vip else 0)
        odds += 0.55 * (WORTH @ np.log1p(bills)) + (0.0 if cryo else 0.55 * (spends == 1))
        people.append(
            {
                "PassengerId": f"{number:04d}_{place + 1:02d}",
                "HomePlanet": home,
                "CryoSleep": cryo,
                "Cabin": f"{deck}/{cabin}/{side}",
                "Destination": goal,
                "Age": age,
                "VIP": vip,
                **dict(zip(BILLS, bills, strict=True)),
                "Name": f"{word(rng, 2)} {surname}",
                "odds": odds,
            }
        )
    return people


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=Path)
    parser.add_argument("--seed", type=int, required=True)
    args = parser.parse_args()
    rng = np.random.default_rng(args.seed)
    frame = pd.DataFrame([person for number in range(1, GROUPS + 1) for person in group(rng, number)])
    odds = 2.4 * frame.pop("odds")
    frame["Transported"] = rng.random(len(frame)) < 1 / (1 + np.exp(-(odds - odds.median())))
    for column in MISSING:
        frame[column] = frame[column].astype(object).mask(rng.random(len(frame)) < 0.025)
    trained = rng.random(GROUPS + 1) < SHARE
    known = trained[frame["PassengerId"].str[:4].astype(int)]
    trivial = {"Transported": bool(frame["Transported"][known].mean() > 0.5)}
    floor = {"Transported": (odds > odds.median())[~known]}
    split(args.out, frame[known], frame[~known], "PassengerId", ["Transported"], trivial, floor)


main()
