// The list of attempts; rows are created when they are scrolled to.
const STEP = 120;
const MARKS = { passed: ["✓ pass", "pass"], failed: ["✗ fail", "fail"], unscored: ["– none", "short"] };
const ANSWERS = data.attempts.some((attempt) => !attempt.experiment);
const COLUMNS = [
  ["verdict", "Verdict", outcomeOf],
  ["run", "Run", (attempt) => attempt.run],
  ["row", ANSWERS ? "Row" : "Problem", (attempt) => attempt.row, ANSWERS ? "n" : ""],
  ["n", "Attempt", (attempt) => attempt.n, "n"],
  ["repo", "Repository", (attempt) => attempt.repo],
  ["type", "Type", (attempt) => attempt.type],
  ["reason", "Reason", reasonOf],
  ["seconds", "Seconds", (attempt) => attempt.seconds, "n"],
].filter(([name]) => (name !== "run" || data.runs.length > 1) && (ANSWERS || !["repo", "type"].includes(name)));
const list = $("#list tbody");
let shown = []; // the attempts, in the order of the list
let lines = []; // what a row of the table is made of: an attempt, or a row of the suite with its attempts
let drawn = 0;

function heads(columns) {
  const cells = columns.map(([name, title, , side]) => {
    const down = state.sort === `-${name}`;
    const up = state.sort === name;
    const button = make("button", { type: "button", text: title + (up ? " ↑" : down ? " ↓" : "") });
    button.addEventListener("click", () => {
      change({ sort: up ? `-${name}` : down ? "" : name });
      $(`#list thead .c-${name} button`).focus();
    });
    return make("th", { scope: "col", class: `c-${name} ${side ?? ""}`, "aria-sort": up ? "ascending" : down ? "descending" : null }, button);
  });
  $("#list thead tr").replaceChildren(...cells);
}

function sorted(items, columns) {
  const column = columns.find(([name]) => name === state.sort.replace(/^-/, ""));
  if (!column) return items;
  const sign = state.sort.startsWith("-") ? -1 : 1;
  const order = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
  return items.toSorted((a, b) => sign * order(column[2](a), column[2](b)));
}

function rowOf(attempt) {
  const key = keyOf(attempt);
  const [mark, tone] = MARKS[outcomeOf(attempt)];
  const verdict = attempt.verdicts[state.policy];
  const cells = {
    verdict: make("td", { class: tone, text: mark }),
    run: make("td", { class: "run-cell", title: data.runs[attempt.run] }, swatch(attempt), make("span", { text: data.runs[attempt.run] })),
    row: make("td", { class: ANSWERS ? "n" : "" }, make("a", { href: address({ a: key }), text: attempt.row })),
    n: make("td", { class: "n", text: attempt.n }),
    repo: make("td", { class: "c-repo", text: attempt.repo }),
    type: make("td", { class: "c-type", text: attempt.type }),
    reason: make("td", { title: data.texts[verdict?.[5]] || null, text: verdict ? `${verdict[1]}: ${verdict[2]}` : "not scored" }),
    seconds: make("td", { class: "n c-seconds", text: attempt.seconds.toFixed(2) }),
  };
  const row = make("tr", { "data-key": key, "aria-current": String(key === state.a) });
  row.append(...COLUMNS.map(([name]) => cells[name]));
  return row;
}

const swatch = (attempt) => make("span", { class: `swatch run-${attempt.run % COLOURS}` });

function draw(until) {
  const next = lines.slice(drawn, Math.max(drawn + STEP, until));
  list.append(...next.map(state.view === "rows" ? matrixRow : rowOf));
  drawn += next.length;
}

function showList() {
  const rows = state.view === "rows";
  shown = matching();
  const runs = rows ? runsOf(shown) : [];
  lines = rows ? sorted(suiteRows(shown, runs), MATRIX) : (shown = sorted(shown, COLUMNS));
  drawn = 0;
  list.replaceChildren();
  $("#list").className = rows ? "matrix" : "";
  heads(rows ? MATRIX : COLUMNS);
  if (rows) $("#list thead tr").lastChild.before(...runs.map(runHead));
  const open = lines.findIndex((line) => (line.cells ?? [[line]]).flat().some((attempt) => keyOf(attempt) === state.a));
  if (lines.length) draw(open + STEP / 2);
  else list.append(make("tr", {}, make("td", { class: "empty", colspan: COLUMNS.length, text: "No attempt matches the filters." })));
  const judged = shown.filter((attempt) => attempt.verdicts[state.policy]);
  const passed = judged.filter((attempt) => attempt.verdicts[state.policy][0]).length;
  const rate = judged.length ? `, ${((100 * passed) / judged.length).toFixed(1)} % of the scored pass${judged.every((attempt) => attempt.experiment) ? "" : ` under ${state.policy}`}` : "";
  const lost = shown.length - judged.length;
  $("#status").textContent =
    `${number(shown.length)} of ${number(data.attempts.length)} attempts${rate}${lost ? `, ${number(lost)} not scored` : ""}`;
}

function select() {
  for (const part of list.querySelectorAll("[data-key]")) part.setAttribute("aria-current", String(part.dataset.key === state.a));
}

// The list's row of an attempt, or the matrix's cell that begins with it.
const partOf = (key) => [...list.querySelectorAll("[data-key]")].find((part) => part.dataset.key === key);

function step(by) {
  const keys = state.view === "rows" ? lines.flatMap(({ cells }) => cells.filter((cell) => cell.length).map(([first]) => keyOf(first))) : shown.map(keyOf);
  const at = keys.indexOf(state.a);
  const next = at < 0 ? 0 : Math.min(keys.length - 1, Math.max(0, at + by));
  if (!keys.length) return;
  while (drawn < lines.length && !partOf(keys[next])) draw(0);
  open(keys[next]);
  const part = partOf(keys[next]);
  part.querySelector("a").focus({ preventScroll: true });
  part.scrollIntoView({ block: "nearest" });
}

function reveal() {
  const row = list.querySelector("[aria-current=true]")?.closest("tr");
  const frame = $(".list");
  if (row && (row.offsetTop < frame.scrollTop + 40 || row.offsetTop > frame.scrollTop + frame.clientHeight - 40))
    frame.scrollTop = row.offsetTop - 80;
}

new IntersectionObserver((entries) => entries.some((entry) => entry.isIntersecting) && drawn < lines.length && draw(0), {
  root: $(".list"),
  rootMargin: "600px",
}).observe($("#more"));
