// Connects filters, keyboard and address.
const filters = $("#filters");

function options(name, values) {
  const select = filters.elements[name];
  const all = select.options[0];
  select.replaceChildren(all, ...values.map(([value, text]) => make("option", { value, text })));
}

const plainOptions = (name, values) => options(name, values.map((value) => [value, value]));

// A filter that is hidden if there are fewer than `least` values.
function optional(name, found, least) {
  const values = [...new Set(found)].filter(Boolean).sort();
  plainOptions(name, values);
  filters.elements[name].closest("label").hidden = values.length < least;
}

function fillFilters() {
  const counts = new Map();
  for (const attempt of data.attempts) {
    const reason = reasonOf(attempt);
    if (reason) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  if (state.reason && !counts.has(state.reason)) state.reason = "";
  const reasons = [...counts].sort((a, b) => b[1] - a[1]);
  options("reason", reasons.map(([reason, count]) => [reason, `${reason.replace(":", ": ")} (${number(count)})`]));
  const errors = [...new Set(data.attempts.flatMap(errorsUnder).flatMap((kind) => [kind.split("/")[0], kind]))].sort();
  plainOptions("error", errors.length && ANSWERS ? [...errors, "none"] : errors);
  optional("suite", data.suites, 2);
  optional("ended", data.attempts.flatMap((attempt) => attempt.work?.outcome ?? []), 1);
  optional("failure", data.attempts.flatMap((attempt) => attempt.experiment?.failures ?? []), 1);
  for (const name of ["repo", "type"]) plainOptions(name, [...new Set(data.attempts.map((attempt) => attempt[name]))].sort());
  for (const control of filters.elements) if (control.name && control.value !== state[control.name]) control.value = state[control.name];
  for (const name of ["policy", "view"])
    for (const input of document.querySelectorAll(`input[name=${name}]`)) input.checked = input.value === state[name];
  for (const part of document.querySelectorAll(".summary")) part.hidden = part.dataset.policy !== state.policy;
}

function show() {
  fillFilters();
  showList();
  showDetail();
}

filters.addEventListener("input", (event) => change({ [event.target.name]: event.target.value }));
filters.addEventListener("submit", (event) => event.preventDefault());
filters.addEventListener("reset", (event) => {
  event.preventDefault();
  change({ ...DEFAULTS, policy: state.policy, view: state.view, a: state.a });
});
for (const box of document.querySelectorAll("fieldset.choice")) box.addEventListener("change", (event) => change({ [event.target.name]: event.target.value }));
list.addEventListener("click", (event) => {
  const part = event.target.closest("[data-key]");
  if (!part || event.metaKey || event.ctrlKey || event.shiftKey || getSelection().toString()) return;
  event.preventDefault();
  open(part.dataset.key);
  part.querySelector("a").focus({ preventScroll: true });
});
document.addEventListener("keydown", (event) => {
  const typing = event.target.closest("input, select, textarea");
  if (event.key === "Escape" && state.a) return typing ? undefined : close();
  if (typing || event.metaKey || event.ctrlKey || event.altKey) return;
  const by = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[event.key];
  const inside = event.target.closest(".list") || (state.a && !event.target.closest("#detail pre"));
  if (by && inside) { event.preventDefault(); step(by); }
  if (event.key === "/") { event.preventDefault(); filters.elements.q.focus(); }
});
window.addEventListener("hashchange", () => {
  readAddress();
  show();
  $("#attempts").scrollIntoView();
  reveal();
  if (!state.a) $("#attempts-title").focus({ preventScroll: true });
});

readAddress();
show();
if (location.hash) {
  $("#attempts").scrollIntoView();
  reveal();
}
window.addEventListener("beforeprint", () => draw(lines.length));
document.documentElement.dataset.ready = "yes";
