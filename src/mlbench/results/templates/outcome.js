// What the reference left behind, a line for each file and figure, beside what the answer left.
const SHORT = 180; // characters of a cell that are shown at once
const FIRST = 12; // lines that are shown at once

function cut(text) {
  const whole = visible(text);
  const signs = Array.from(whole.slice(0, 2 * SHORT)); // by character, so that none is halved
  if (signs.length <= SHORT) return make("span", { text: whole });
  const box = make("details", { class: "cut" }, make("summary", {}, make("span", { text: `${signs.slice(0, SHORT).join("")}…` }), make("small", { text: ` all ${number(whole.length)} characters` })));
  box.addEventListener("toggle", () => box.append(make("pre", { tabindex: 0, text: whole })), { once: true });
  return box;
}

// A path stands above both cells. What differs is said in words: below them, or in place of what is not there.
function lineOf([kind, same, ...said]) {
  const [what, expected, found, difference] = said.map((at) => data.texts[at]);
  const rows = [make("tr", {}, make("td", {}, kind === "figure" ? make("small", { text: "printed" }) : null, cut(expected)), make("td", {}, cut(found || difference)))];
  if (kind !== "figure") rows.unshift(make("tr", {}, make("td", { class: "path", colspan: 2 }, kind === "repository" ? make("small", { text: "of the repository" }) : null, cut(what))));
  if (found && difference) rows.push(make("tr", {}, make("td", { class: "difference", colspan: 2 }, cut(difference))));
  const mark = make("td", { class: `mark ${same ? "pass" : "fail"}`, rowspan: rows.length }, same ? "✓" : "✗", make("span", { text: same ? " same" : " differs" }));
  rows[0].prepend(mark);
  rows[0].classList.add("first");
  return rows;
}

function linesOf(items) {
  const heads = [["", "mark"], ["Expected (the reference's)", ""], ["Left by the answer", ""]];
  const head = make("tr", {}, ...heads.map(([text, name]) => make("th", { scope: "col", class: name, text })));
  return make("table", { class: "left" }, make("thead", {}, head), make("tbody", {}, ...items.flatMap(lineOf)));
}

// Of many lines, those that differ come first; the rest is put into the page when it is unfolded.
function leftBy(attempt) {
  const { why, items, notes } = attempt.outcome;
  if (why != null) return make("div", { class: "outcome" }, make("h4", { text: "What was left behind" }), make("p", { class: "none", text: `Nothing was compared, because ${data.texts[why]}.` }));
  const wrong = items.filter(([, same]) => !same).length;
  const count = wrong ? `${number(wrong)} of ${number(items.length)} differ${wrong === 1 ? "s" : ""}` : `${number(items.length)} of ${number(items.length)} the same`;
  const box = make("div", { class: "outcome" }, make("h4", {}, "What was left behind ", items.length ? make("small", { text: count }) : null));
  box.append(...notes.map((at) => make("p", { text: data.texts[at] })));
  const ordered = items.length > FIRST ? items.toSorted((a, b) => a[1] - b[1]) : items;
  if (items.length) box.append(linesOf(ordered.slice(0, FIRST)));
  const rest = ordered.slice(FIRST);
  if (rest.length) {
    const others = rest.filter(([, same]) => !same).length;
    const more = make("details", {}, make("summary", { text: `${number(rest.length)} more lines, ${others ? `${number(others)} of them differ` : "all the same"}` }));
    more.addEventListener("toggle", () => more.append(linesOf(rest)), { once: true });
    box.append(more);
  }
  return box;
}
