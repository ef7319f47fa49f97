"""Problems on numbers."""

from problemforge import registry
from problemforge.problems import problem


class _Digits(problem.Problem):
    alphabet = "0123456789"
    length = 6

    def digits(self, rng):
        return "".join(rng.choice("0123456789") for _ in range(self.length))


@registry.register_problem
class ReverseDigits(_Digits):
    """407112 -> 211704"""

    def sample(self, rng):
        text = self.digits(rng)
        return text, text[::-1]


@registry.register_problem
class AddOneDecimal(_Digits):
    """The number plus one, with carries; the last place comes first."""

    def sample(self, rng):
        number = rng.randrange(10 ** self.length - 1)
        if rng.random() < 0.4:
            number = number // 1000 * 1000 + 999
            number = min(number, 10 ** self.length - 2)
        return f"{number:06d}"[::-1], f"{number + 1:06d}"[::-1]


@registry.register_problem
class RunningParityBinary(problem.Problem):
    """Parity of all bits so far."""

    alphabet = "01"
    length = 10

    def sample(self, rng):
        bits = [rng.randrange(2) for _ in range(self.length)]
        out = [sum(bits[:i + 1]) % 2 for i in range(self.length)]
        return "".join(map(str, bits)), "".join(map(str, out))
