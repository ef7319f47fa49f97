"""Problems on letters."""

from problemforge import registry
from problemforge.problems import problem


@registry.register_problem
class SortLetters(problem.Problem):
    """ecabd -> abcde"""

    alphabet = "abcdefgh"
    length = 6

    def sample(self, rng):
        text = "".join(rng.choice(self.alphabet) for _ in range(rng.randint(4, self.length)))
        return text, "".join(sorted(text))


@registry.register_problem
class CaesarShift3(problem.Problem):
    """Every letter three further, round the end."""

    alphabet = "abcdefghijklmnopqrstuvwxyz"
    length = 8

    def sample(self, rng):
        text = "".join(rng.choice(self.alphabet) for _ in range(rng.randint(5, self.length)))
        return text, "".join(self.alphabet[(self.alphabet.index(c) + 3) % 26] for c in text)


@registry.register_problem
class MirrorCase(problem.Problem):
    """Upper case becomes lower case and the other way round."""

    alphabet = "abcdefABCDEF"
    length = 8

    def sample(self, rng):
        text = "".join(rng.choice(self.alphabet) for _ in range(rng.randint(5, self.length)))
        return text, text.swapcase()
