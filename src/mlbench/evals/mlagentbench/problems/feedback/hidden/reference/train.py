"""Score the essays of learners: what shows each skill is counted, per chance that there was to show it.

The words of all essays tell which are rare, which are misspelt (no other essay has them) and which phrases compete. A
share is drawn towards the mean of all essays if there were few chances. Each score is then a smooth function of all,
and of what a linear model of words and pairs of words says: three kinds of models tell it, and are averaged.
"""

import os
import re
from collections import Counter

import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel
from sklearn.linear_model import Ridge, RidgeCV
from sklearn.model_selection import KFold, cross_val_predict
from sklearn.preprocessing import PolynomialFeatures, StandardScaler

SCORES = ["cohesion", "syntax", "vocabulary", "phraseology", "grammar", "conventions"]
SEED = int(os.environ.get("SEED", "0"))
LINKS = r"However,|Therefore,|For example,|In addition,|As a result,|First of all,"
NESTED = r"because it makes|although some people|, which nobody|when there is time"
RARE = r"\b(?:assist|cherish|employ|transform|require|observe|beneficial|substantial|detrimental|innovative|demanding)"
PLAIN = r"\b(?:help|like|use|change|need|see|good|big|bad|new|hard)"
RIGHT = r"makes a mistake|pays attention to|takes part in|is interested in|depends on|has an influence on"
WRONG = r"does a mistake|gives attention at|makes part of|is interested for|depends of|does an influence to"
VERBS = r"(?:help|like|use|change|need|see|assist|cherish|employ|transform|require|observe)"
ADJECTIVES = r"(?:good|big|bad|new|hard|beneficial|substantial|detrimental|innovative|demanding)"
TOPICS = [
    "student teacher principal lesson book homework exam",
    "player coach runner game team match race",
    "farmer child walker scientist tree river garden animal",
    "teenager worker phone message screen camera",
]
train, test = pd.read_csv("train.csv"), pd.read_csv("test.csv")
MANY_ESSAYS = 35
texts = pd.concat([train["full_text"], test["full_text"]], ignore_index=True)
known = Counter(word for text in texts for word in set(re.findall("[a-z]+", text.lower())))


def many(pattern: str, text: str, flags: int = re.IGNORECASE) -> int:
    return len(re.findall(pattern, text, flags))


def counts(text: str) -> list[tuple[float, float]]:
    """Pairs of how often something was done, and how often it could have been."""
    words = re.findall("[A-Za-z]+", text)
    misspelt = sum(known[word.lower()] < MANY_ESSAYS for word in words)
    clauses = max(1, many(r"\bthe \w+ ", text) // 2)
    capitals, stops, links = many("[A-Z]", text, 0), text.count("."), many(LINKS, text)
    joined = many(NESTED, text) + many(r"\band the\b", text)
    agrees, not_agrees = many(rf"\b{VERBS}(?:e?s)\b", text), many(rf"\b{VERBS}\b", text)
    article, all_nouns = many(rf"\bthe {ADJECTIVES}\b", text), many(rf"\b{ADJECTIVES}\b", text)
    starts = max(1, many(rf"{VERBS}|{RIGHT}|{WRONG}", text) - joined)
    topic = [sum(known_word in text for known_word in each.split()) for each in TOPICS]
    return [
        (links, starts),
        (max(topic), sum(topic)),
        (joined, starts),
        (many(RARE, text), many(RARE, text) + many(PLAIN, text)),
        (many(RIGHT, text), many(RIGHT, text) + many(WRONG, text)),
        (agrees, agrees + not_agrees),
        (article, all_nouns),
        (misspelt, len(words)),
        (stops, starts),
        (capitals, starts),
        (len(words), clauses),
    ]


def averaged(curved: np.ndarray, smooth: np.ndarray, curved_asked: np.ndarray, smooth_asked: np.ndarray) -> np.ndarray:
    """What a ridge regression, a Gaussian process and boosted trees say, averaged."""
    found = [2 * RidgeCV(np.logspace(0, 4, 13)).fit(curved, ratings).predict(curved_asked)]
    for column in range(len(SCORES)):
        target = ratings[:, column]
        kernel = ConstantKernel(1.0) * RBF(5.0, (0.5, 1e3)) + WhiteKernel(0.3)
        process = GaussianProcessRegressor(kernel, normalize_y=True, random_state=SEED).fit(smooth, target)
        found.append(process.predict(smooth_asked))
        trees = HistGradientBoostingRegressor(max_iter=80, learning_rate=0.07, max_leaf_nodes=6, random_state=SEED)
        found.append(trees.fit(smooth, target).predict(smooth_asked))
    ridge, processes, boosted = found[0], np.column_stack(found[1::2]), np.column_stack(found[2::2])
    return (ridge + 2 * processes + boosted) / 5


pairs = np.array([counts(text) for text in texts], float)
done, could = pairs[..., 0], pairs[..., 1]
overall = done.sum(axis=0) / could.sum(axis=0)
shares = (done + 4 * overall) / (could + 4)
odds = np.log((shares + 0.02) / (np.maximum(1 - shares, 0) + 0.02))
basis = StandardScaler().fit_transform(np.column_stack([shares, odds, np.log(texts.str.split().str.len())]))
curved = StandardScaler().fit_transform(PolynomialFeatures(2, include_bias=False).fit_transform(basis))
ratings, many_known = train[SCORES].to_numpy(), len(train)

# what the counts overlook, a model of words may know: it is asked about essays that it has not seen
words = TfidfVectorizer(ngram_range=(1, 2), min_df=3, sublinear_tf=True, lowercase=False).fit_transform(texts)
folds = KFold(8, shuffle=True, random_state=SEED)
guess = cross_val_predict(Ridge(1.0), words[:many_known], ratings, cv=folds)
guess = np.vstack([guess, Ridge(1.0).fit(words[:many_known], ratings).predict(words[many_known:])])
inputs = np.hstack([curved, StandardScaler().fit_transform(guess) * 3])
smooth = np.hstack([basis[:, : len(pairs[0])], basis[:, -1:], StandardScaler().fit_transform(guess)])
told = averaged(inputs[:many_known], smooth[:many_known], inputs[many_known:], smooth[many_known:])
submission = pd.DataFrame(told.clip(1, 5), columns=SCORES)
submission.insert(0, "text_id", test["text_id"])
submission.to_csv("submission.csv", index=False)
