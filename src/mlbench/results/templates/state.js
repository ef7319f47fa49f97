// The state of the page, kept in the address, so that a link shows the same.
const data = JSON.parse(document.getElementById("data").textContent);
const $ = (selector) => document.querySelector(selector);
const DEFAULTS = { policy: data.policies[0], view: "", suite: "", run: "", repo: "", type: "", outcome: "", reason: "", error: "", failure: "", ended: "", q: "", sort: "", a: "" };
const state = { ...DEFAULTS };
const keyOf = (attempt) => `${attempt.run + 1}.${attempt.row}.${attempt.n}`;
const byKey = new Map(data.attempts.map((attempt) => [keyOf(attempt), attempt]));

function readAddress() {
  const given = new URLSearchParams(location.hash.slice(1));
  for (const [name, value] of Object.entries(DEFAULTS)) state[name] = given.get(name) ?? value;
  if (!data.policies.includes(state.policy)) state.policy = DEFAULTS.policy;
  if (state.view !== "rows") state.view = DEFAULTS.view;
}

function address(changes = {}) {
  const next = { ...state, ...changes };
  const kept = Object.entries(next).filter(([name, value]) => value !== DEFAULTS[name]);
  return "#" + new URLSearchParams(kept);
}

function change(changes) {
  history.replaceState(null, "", address(changes));
  Object.assign(state, changes);
  show();
}

const seconds = (value) => (value < 0.995 ? `${Math.round(value * 1000)} ms` : `${value.toFixed(1)} s`);
const number = (value) => value.toLocaleString("en");

// Filters. A text is searched once, however many attempts share it.
const lowered = [];
function textsWith(words) {
  return data.texts.map((text, at) => (lowered[at] ??= text.toLowerCase()).includes(words));
}

const outcomeOf = (attempt) => {
  const verdict = attempt.verdicts[state.policy];
  return verdict === undefined ? "unscored" : verdict[0] ? "passed" : "failed";
};
const reasonOf = (attempt) => {
  const verdict = attempt.verdicts[state.policy];
  return verdict === undefined ? "" : `${verdict[1]}:${verdict[2]}`;
};
const errorsUnder = (attempt) => (attempt.experiment || outcomeOf(attempt) === "failed" ? attempt.errors.map(([kind]) => kind) : []);
// An error of one kind (`E2/choices`) is of its class (`E2`) as well; a failure of no class is `none`.
const isOf = (attempt, wanted) =>
  wanted === "none"
    ? outcomeOf(attempt) === "failed" && !attempt.errors.length
    : errorsUnder(attempt).some((kind) => kind === wanted || kind.startsWith(`${wanted}/`));
const disagrees = (attempt) => new Set(Object.values(attempt.verdicts).map((verdict) => verdict[0])).size > 1;

function matching() {
  const words = state.q.trim().toLowerCase();
  const texts = words ? textsWith(words) : null;
  const has = (attempt) =>
    [attempt.prompt, attempt.answer, attempt.code, attempt.reference, attempt.error, attempt.work?.script].some((at) => texts[at]) ||
    attempt.steps?.some((step) => texts[step[2]]) ||
    Object.values(attempt.verdicts).some((verdict) => texts[verdict[4]]) ||
    attempt.outcome?.items?.some(([, , ...said]) => said.some((at) => texts[at])) ||
    `${attempt.repo} ${attempt.domain} ${attempt.path} ${keyOf(attempt)}`.toLowerCase().includes(words);
  return data.attempts.filter(
    (attempt) =>
      (!state.suite || data.suites[attempt.run] === state.suite) &&
      (!state.failure || attempt.experiment?.failures.includes(state.failure)) &&
      (!state.run || attempt.run + 1 === Number(state.run)) &&
      (!state.repo || attempt.repo === state.repo) &&
      (!state.type || attempt.type === state.type) &&
      (!state.outcome || (state.outcome === "disagree" ? disagrees(attempt) : outcomeOf(attempt) === state.outcome)) &&
      (!state.reason || reasonOf(attempt) === state.reason) &&
      (!state.error || isOf(attempt, state.error)) &&
      (!state.ended || attempt.work?.outcome === state.ended) &&
      (!words || has(attempt)),
  );
}
