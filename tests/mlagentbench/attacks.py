"""All attacks on an experiment, by what they are against."""

from __future__ import annotations

from tests.mlagentbench.attacks_on_data import FILES, LABELS
from tests.mlagentbench.attacks_on_forms import FORMS
from tests.mlagentbench.attacks_on_grading import GRADER, SUBMISSIONS
from tests.mlagentbench.attacks_on_measures import CLAIMS, CLOCK, RESOURCES

ATTACKS = (*FILES, *LABELS, *GRADER, *SUBMISSIONS, *CLOCK, *RESOURCES, *CLAIMS, *FORMS)
