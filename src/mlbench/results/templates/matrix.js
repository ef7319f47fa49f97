// The second view of the attempts: a line for each row of a suite or each problem, a column for each run.
const MATRIX = [
  ["repo", "Repository", ({ first }) => first.repo],
  ["row", ANSWERS ? "Row" : "Problem", ({ first }) => first.row, ANSWERS ? "n" : ""],
  ["asks", "Instruction", asks],
  ["passed", "Passed", ({ passed, judged }) => (judged ? passed / judged : -1), "n"],
].filter(([name]) => ANSWERS || !["repo", "asks"].includes(name));

function asks({ first }) {
  if (first.experiment) return first.experiment.title;
  const parts = data.texts[first.prompt].split("<instruction>").at(-1).split("</instruction>");
  return parts.length > 1 ? parts[0].trim().slice(0, 200) : `${first.type} in ${first.path}`;
}

const runsOf = (attempts) => [...new Set(attempts.map((attempt) => attempt.run))].sort((a, b) => a - b);
const passes = (attempts) => attempts.filter((attempt) => outcomeOf(attempt) === "passed").length;
const judgedOf = (attempts) => attempts.filter((attempt) => outcomeOf(attempt) !== "unscored").length;

// The rows in order, each with its attempts of every run that is shown.
function suiteRows(attempts, runs) {
  const place = new Map(runs.map((run, at) => [run, at]));
  const rows = new Map();
  for (const attempt of attempts) {
    const key = `${data.suites[attempt.run]} ${attempt.row}`;
    if (!rows.has(key)) rows.set(key, { first: attempt, cells: runs.map(() => []), passed: 0, judged: 0 });
    rows.get(key).cells[place.get(attempt.run)].push(attempt);
  }
  for (const row of rows.values()) [row.passed, row.judged] = [passes(row.cells.flat()), judgedOf(row.cells.flat())];
  const suite = (row) => data.suites.indexOf(data.suites[row.first.run]);
  const order = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
  return [...rows.values()].sort((a, b) => suite(a) - suite(b) || order(a.first.repo, b.first.repo) || order(a.first.row, b.first.row));
}

// A run's name stands upright, so that many runs fit; below it, how many of the attempts shown pass.
function runHead(run) {
  const own = shown.filter((attempt) => attempt.run === run);
  const name = make("span", { class: "upright", text: data.runs[run] });
  return make("th", { scope: "col", class: "c-cell", title: visible(data.runs[run]) }, name, swatch({ run }), make("small", { text: `${passes(own)}/${judgedOf(own)}` }));
}

function matrixRow({ first, cells, passed, judged }) {
  const asked = asks({ first });
  const heads = {
    repo: make("td", { class: "c-repo", text: first.repo }),
    row: make("th", { scope: "row", class: ANSWERS ? "n" : "", text: first.row }),
    asks: make("td", { class: "c-asks", title: visible(asked), text: asked }),
    passed: make("td", { class: "n", text: `${passed}/${judged}` }),
  };
  const row = make("tr", {}, ...MATRIX.map(([name]) => heads[name]));
  row.lastChild.before(...cells.map(cellOf));
  return row;
}

// One attempt is a mark, several are a count; the first one opens.
function cellOf(attempts) {
  if (!attempts.length) return make("td", { class: "c-cell" });
  const [first] = attempts;
  const [passed, judged] = [passes(attempts), judgedOf(attempts)];
  const text = !judged ? "–" : attempts.length === 1 ? (passed ? "✓" : "✗") : `${passed}/${judged}`;
  const said = attempts.length === 1 ? reasonOf(first).replace(":", ": ") || "not scored" : `${passed} of ${judged} pass`;
  const label = visible(`${data.runs[first.run]}, ${first.row}: ${said}`);
  const key = keyOf(first);
  const tone = !judged ? "short" : passed === judged ? "pass" : passed ? "some" : "fail";
  const link = make("a", { href: address({ a: key }), text, "aria-label": label });
  return make("td", { class: `c-cell ${tone}`, "data-key": key, "aria-current": String(key === state.a), title: label }, link);
}
