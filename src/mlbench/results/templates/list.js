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
let shown = [];
let drawn = 0;

function heads() {
  const cells = COLUMNS.map(([name, title, , side]) => {
    const down = state.sort === `-${name}`;
    const up = state.sort === name;
    const button = make("button", { type: "button", text: title + (up ? " ↑" : down ? " ↓" : "") });
    button.addEventListener("click", () => {
      change({ sort: up ? `-${name}` : down ? "" : name });
      $("#list thead").querySelectorAll("button")[COLUMNS.findIndex((column) => column[0] === name)].focus();
    });
    return make("th", { scope: "col", class: `c-${name} ${side ?? ""}`, "aria-sort": up ? "ascending" : down ? "descending" : null }, button);
  });
  $("#list thead tr").replaceChildren(...cells);
}

function sorted(attempts) {
  const column = COLUMNS.find(([name]) => name === state.sort.replace(/^-/, ""));
  if (!column) return attempts;
  const sign = state.sort.startsWith("-") ? -1 : 1;
  const order = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
  return attempts.toSorted((a, b) => sign * order(column[2](a), column[2](b)));
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
  const next = shown.slice(drawn, Math.max(drawn + STEP, until));
  list.append(...next.map(rowOf));
  drawn += next.length;
}

function showList() {
  shown = sorted(matching());
  drawn = 0;
  list.replaceChildren();
  heads();
  if (shown.length) draw(shown.findIndex((attempt) => keyOf(attempt) === state.a) + STEP / 2);
  else list.append(make("tr", {}, make("td", { class: "empty", colspan: COLUMNS.length, text: "No attempt matches the filters." })));
  const judged = shown.filter((attempt) => attempt.verdicts[state.policy]);
  const passed = judged.filter((attempt) => attempt.verdicts[state.policy][0]).length;
  const rate = judged.length ? `, ${((100 * passed) / judged.length).toFixed(1)} % of the scored pass${judged.every((attempt) => attempt.experiment) ? "" : ` under ${state.policy}`}` : "";
  const lost = shown.length - judged.length;
  $("#status").textContent =
    `${number(shown.length)} of ${number(data.attempts.length)} attempts${rate}${lost ? `, ${number(lost)} not scored` : ""}`;
}

function select() {
  for (const row of list.rows) row.setAttribute("aria-current", String(row.dataset.key === state.a));
}

function step(by) {
  const at = shown.findIndex((attempt) => keyOf(attempt) === state.a);
  const next = at < 0 ? 0 : Math.min(shown.length - 1, Math.max(0, at + by));
  if (!shown.length) return;
  if (next >= drawn) draw(next + 1);
  open(keyOf(shown[next]));
  const row = list.rows[next];
  row.querySelector("a").focus({ preventScroll: true });
  row.scrollIntoView({ block: "nearest" });
}

function reveal() {
  const row = list.querySelector("tr[aria-current=true]");
  const frame = $(".list");
  if (row && (row.offsetTop < frame.scrollTop + 40 || row.offsetTop > frame.scrollTop + frame.clientHeight - 40))
    frame.scrollTop = row.offsetTop - 80;
}

new IntersectionObserver((entries) => entries.some((entry) => entry.isIntersecting) && drawn < shown.length && draw(0), {
  root: $(".list"),
  rootMargin: "600px",
}).observe($("#more"));
