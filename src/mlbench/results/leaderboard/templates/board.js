// Sorts and filters what the page already shows; without this script all boards are shown in full.
const filters = document.querySelector("#filters");
const status_ = document.querySelector("#status");
const boards = [...document.querySelectorAll(".board")];

function show() {
  const chosen = Object.fromEntries(new FormData(filters));
  const words = chosen.q.toLowerCase().split(/\s+/).filter(Boolean);
  for (const board of boards) {
    board.hidden = board.id !== chosen.board;
    const rows = [...board.querySelectorAll(".entries tbody tr")];
    let shown = 0;
    for (const row of rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !(words.every((word) => text.includes(word))
        && ["setting", "outcome", "weights"].every((name) => !chosen[name] || row.dataset[name] === chosen[name]));
      shown += !row.hidden;
      for (const other of board.querySelectorAll("tr[data-of]")) if (other.dataset.of === row.id) other.hidden = row.hidden;
      for (const point of board.querySelectorAll("svg a")) if (point.getAttribute("href") === `#${row.id}`) point.style.display = row.hidden ? "none" : "";
    }
    if (!board.hidden) status_.textContent = `${shown} of ${rows.length} entries`;
  }
}

// Claims stay below what was re-judged, and rows for a part of the split stay last.
function sort(header, number) {
  const table = header.closest("table");
  const up = header.getAttribute("aria-sort") === "descending" || (!header.hasAttribute("aria-sort") && !number);
  for (const other of table.querySelectorAll("[aria-sort]")) other.removeAttribute("aria-sort");
  header.setAttribute("aria-sort", up ? "ascending" : "descending");
  const key = (row) => number ? Number(row.cells[header.cellIndex].dataset.value) : row.cells[header.cellIndex].textContent.trim().toLowerCase();
  const rows = [...table.tBodies[0].rows].sort((one, other) => {
    if (one.dataset.rank !== other.dataset.rank) return one.dataset.rank < other.dataset.rank ? -1 : 1;
    const [a, b] = [key(one), key(other)];
    return (a < b ? -1 : a > b ? 1 : 0) * (up ? 1 : -1);
  });
  table.tBodies[0].append(...rows);
  marks(table);
}

function marks(table) {
  for (const header of table.querySelectorAll("th[data-sort]")) {
    const arrow = { ascending: " ↑", descending: " ↓" }[header.getAttribute("aria-sort")] ?? "";
    header.firstElementChild.textContent = header.dataset.label + arrow;
  }
}

for (const table of document.querySelectorAll(".entries")) {
  for (const header of table.querySelectorAll("th[data-sort]")) {
    const button = document.createElement("button");
    button.type = "button";
    header.dataset.label = header.textContent;
    header.replaceChildren(button);
    button.addEventListener("click", () => sort(header, header.dataset.sort === "number"));
  }
  marks(table);
}

// A link to an entry of a hidden board shows that board.
function follow() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  const board = target?.closest(".board");
  if (board) { filters.elements.board.value = board.id; show(); target.scrollIntoView(); }
}

filters.addEventListener("input", show);
filters.addEventListener("submit", (event) => event.preventDefault());
filters.addEventListener("reset", () => setTimeout(show));
addEventListener("hashchange", follow);
document.addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
  event.preventDefault();
  filters.elements.q.focus();
});
filters.hidden = false;
show();
follow();
document.documentElement.dataset.ready = "yes";
