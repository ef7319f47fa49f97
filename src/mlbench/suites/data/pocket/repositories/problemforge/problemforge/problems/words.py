"""Problems on (invented) words."""

from problemforge import registry
from problemforge.problems import problem

_STEMS = "bel dor fam gur hil kan lom mer nib pol rud sil tav wen".split()


@registry.register_problem
class PluralToyWords(problem.Problem):
    """Plural of toy nouns: -a after l and r, the last letter doubled and -e after n and m, otherwise -os."""

    alphabet = "abcdefghijklmnopqrstuvwxyz"
    length = 8

    def sample(self, rng):
        word = rng.choice(_STEMS) + (rng.choice(_STEMS) if rng.random() < 0.5 else "")
        if word[-1] in "lr":
            return word, word + "a"
        if word[-1] in "nm":
            return word, word + word[-1] + "e"
        return word, word + "os"


@registry.register_problem("vowel_mask_words")
class MaskedVowels(problem.Problem):
    """Every vowel of a toy word becomes a star."""

    alphabet = "abcdefghijklmnopqrstuvwxyz*"
    length = 9

    def sample(self, rng):
        word = "".join(rng.choice(_STEMS) for _ in range(rng.randint(1, 3)))
        return word, "".join("*" if c in "aeiou" else c for c in word)
