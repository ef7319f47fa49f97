// Wiring: keys, clicks, dialogs, the address.
const ACTIONS = { accept, reject, edit, undo, help: () => $("#helping").showModal() };
const KEYS = { a: "accept", r: "reject", e: "edit", u: "undo", "?": "help" };

function step(by) {
  const keys = shown().map(keyOf);
  const next = keys[keys.indexOf(keyOf(state.view)) + by] ?? keys.at(by > 0 ? 0 : -1);
  if (next) open(next, true);
}

function stepRow(by) {
  const all = rows();
  const next = all[all.indexOf(focusedRow()) + by] ?? all.at(by > 0 ? 0 : -1);
  next?.focus();
  next?.scrollIntoView({ block: "nearest" });
}

function act(name, row) {
  if (state.view && !busy) ACTIONS[name](row);
}

document.addEventListener("keydown", (event) => {
  const dialog = document.querySelector("dialog[open]");
  if (dialog?.id === "editing" && event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    dialog.submitted();
  }
  if (dialog || event.ctrlKey || event.metaKey || event.altKey || !state.view) return;
  if (event.target.id === "filter") {
    if (event.key === "Enter" || event.key === "Escape") (linkOf(keyOf(state.view)) ?? document.querySelector("#list a") ?? $("#task")).focus();
    return;
  }
  const move = { j: () => step(1), k: () => step(-1), J: () => stepRow(1), K: () => stepRow(-1) }[event.key];
  if (move) move();
  else if (KEYS[event.key]) act(KEYS[event.key], focusedRow());
  else if (event.key === "/") $("#filter").select();
  else if (event.key === "Escape" && focusedRow()) linkOf(keyOf(state.view))?.focus();
  else return;
  event.preventDefault();
});

document.addEventListener("click", (event) => {
  const button = event.target.closest("button[data-do]");
  if (button) act(button.dataset.do, button.closest(".row"));
  const cancel = event.target.closest("button[value=cancel]");
  if (cancel) cancel.closest("dialog").close();
  const link = event.target.closest("#list a");
  if (link && !event.ctrlKey && !event.metaKey) {
    event.preventDefault();
    open(link.dataset.key, true);
  }
});

for (const dialog of document.querySelectorAll("dialog")) {
  dialog.addEventListener("submit", (event) => {
    if (dialog.id === "helping") return;
    event.preventDefault();
    dialog.submitted();
  });
  dialog.addEventListener("cancel", (event) => {
    const fault = dialog.querySelector(".fault");
    if (dialog.id !== "editing" || !dialog.unsaved() || fault.textContent.startsWith("Esc")) return;
    event.preventDefault();
    fault.textContent = "Esc once more drops what you changed.";
  });
}

$("#filter").addEventListener("input", (event) => {
  state.filter = event.target.value.trim();
  showList();
});
window.addEventListener("hashchange", () => {
  const key = decodeURI(location.hash.slice(1));
  if (state.suite.entries.some((entry) => keyOf(entry) === key)) open(key);
});

(async () => {
  await refresh();
  if (!state.suite) return;
  const asked = decodeURI(location.hash.slice(1));
  const first = state.suite.entries.find((entry) => keyOf(entry) === asked) ?? state.suite.entries.find((entry) => entry.state === "open") ?? state.suite.entries[0];
  await open(keyOf(first), true);
  document.documentElement.dataset.ready = "yes";
})();
