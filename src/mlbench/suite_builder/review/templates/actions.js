// Decisions: one at a time, each stored before the next.
let busy = false;

async function refresh() {
  const suite = await ask("suite");
  if (!suite.ok) return say("", suite.faults.join("\n"));
  state.suite = suite;
  showList();
}

async function open(key, focus = false) {
  const [repository, ...rest] = key.split("/");
  const view = await ask(`task?${new URLSearchParams({ repository, task: rest.join("/") })}`);
  if (!view.ok) return say("", view.faults.join("\n"));
  const same = state.view && keyOf(view) === keyOf(state.view);
  state.view = view;
  history.replaceState(null, "", `#${encodeURI(key)}`);
  showTask();
  showList();
  if (!same) $("#task").scrollTop = 0;
  if (focus) linkOf(key)?.focus();
  linkOf(key)?.scrollIntoView({ block: "nearest" });
}

const rows = () => [...document.querySelectorAll(".row")];
const focusedRow = () => document.activeElement?.closest?.(".row") ?? null;
const about = () => ({ repository: state.view.repository, task: state.view.task, version: state.view.version });

// Sends a decision; returns the faults where it was not stored.
async function decide(request, moves = false) {
  if (busy) return ["The last decision is still being stored."];
  busy = true;
  document.documentElement.dataset.busy = "yes";
  const at = focusedRow()?.dataset.row;
  const before = keyOf(state.view);
  try {
    const answer = await ask("decide", request);
    if (answer.ok) say(answer.said);
    if (!answer.ok && answer.status !== 409) return answer.faults;
    await refresh();
    const moved = moves && answer.ok; // what changed on disk is to be seen
    await open(moved ? nextOpen(before) : answer.repository ? keyOf(answer) : before, moved || request.do === "undo");
    if (at != null && !moved) rows()[at]?.focus();
    return answer.ok ? [] : answer.faults;
  } finally {
    busy = false;
    delete document.documentElement.dataset.busy;
  }
}

function nextOpen(key) {
  const entries = shown();
  const from = entries.findIndex((entry) => keyOf(entry) === key);
  const next = [...entries.slice(from + 1), ...entries.slice(0, Math.max(from, 0))].find((entry) => entry.state === "open");
  return next ? keyOf(next) : key;
}

const tell = (faults) => faults.length && say("", faults.join("\n"));

async function accept(row) {
  if (!row) return tell(await decide({ do: "accept", ...about() }, true));
  const chosen = state.view.body.rows[row.dataset.row];
  if (!chosen.rejected) return say("A row is accepted with its task: Esc leaves the rows, a accepts.");
  return tell(await decide({ do: "accept-row", ...about(), row: chosen.combination }));
}

function reject(row) {
  const dialog = $("#rejecting");
  const chosen = row && state.view.body.rows[row.dataset.row];
  if (chosen?.rejected) return say("This row is rejected already; a takes it back.");
  $("#rejecting-title").textContent = visible(chosen ? `Reject ${row.ariaLabel.toLowerCase()} of ${state.view.task}` : `Reject ${state.view.task}`);
  dialog.querySelector(".fault").textContent = "";
  dialog.querySelector("input").value = "";
  dialog.submitted = async () => {
    const why = dialog.querySelector("input").value;
    const request = chosen ? { do: "reject-row", ...about(), row: chosen.combination, why } : { do: "reject", ...about(), why };
    if (!why.trim()) return void (dialog.querySelector(".fault").textContent = "A rejection needs a reason.");
    dialog.close();
    if (chosen) row.focus();
    tell(await decide(request, !chosen));
  };
  dialog.showModal();
}

function edit() {
  const dialog = $("#editing");
  const box = dialog.querySelector("textarea");
  const fault = dialog.querySelector(".fault");
  const request = { do: "edit", ...about() };
  if (!request.version) return say("", state.view.fault);
  $("#editing-title").textContent = visible(`Edit ${keyOf(state.view)}`);
  fault.textContent = "";
  box.value = state.view.text;
  const before = box.value;
  dialog.unsaved = () => box.value !== before;
  dialog.submitted = async () => {
    fault.textContent = "Checking …";
    const faults = await decide({ ...request, text: box.value });
    fault.textContent = visible(faults.join("\n"));
    if (!faults.length) dialog.close();
  };
  dialog.showModal();
  const at = Math.max(before.search(/^instructions:/m), 0);
  box.setSelectionRange(at, at);
  box.scrollTop = (before.slice(0, at).split("\n").length - 2) * (box.scrollHeight / before.split("\n").length);
  box.focus();
}

async function undo() {
  tell(await decide({ do: "undo" }));
}
