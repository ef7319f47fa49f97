// The outcome: files and figures of the reference beside those of the answer.
const SHORT = 180; // characters of a cell that are shown at once
const LEAD = 40; // characters before the first difference
const FIRST = 12; // lines that are shown at once

// At most SHORT characters of some parts, from shortly before the first one that differs.
function excerpt(parts) {
  const first = parts.findIndex(([, differs]) => differs);
  const before = first < 0 ? 0 : parts.slice(0, first).reduce((sum, [text]) => sum + text.length, 0);
  let skip = before > SHORT - LEAD ? before - LEAD : 0;
  let left = SHORT;
  const shown = skip ? [["…", false]] : [];
  for (const [text, differs] of parts) {
    const rest = Array.from(text.slice(skip, skip + 2 * left)).slice(0, left).join(""); // by character, so that none is halved
    skip = Math.max(0, skip - text.length);
    left -= Array.from(rest).length;
    if (rest) shown.push([rest, differs]);
  }
  return [...shown, ["…", false]];
}

function cut(parts) {
  const length = parts.reduce((sum, [text]) => sum + text.length, 0);
  if (length <= SHORT) return make("span", {}, ...marked(parts));
  const box = make("details", { class: "cut" }, make("summary", {}, make("span", {}, ...marked(excerpt(parts))), make("small", { text: ` all ${number(length)} characters` })));
  box.addEventListener("toggle", () => box.append(make("pre", { tabindex: 0 }, ...marked(parts))), { once: true });
  return box;
}

// A path stands above both cells. The difference in words stands below them, or in place of what is not there.
function lineOf([kind, same, ...texts]) {
  const [what, expected, found, difference] = texts.map((at) => data.texts[at]);
  const [wanted, left] = same || !found ? [plain(expected), plain(found || difference)] : differing(expected, found);
  const rows = [make("tr", {}, make("td", {}, kind === "figure" ? make("small", { text: "printed" }) : null, cut(wanted)), make("td", {}, cut(left)))];
  if (kind !== "figure") rows.unshift(make("tr", {}, make("td", { class: "path", colspan: 2 }, kind === "repository" ? make("small", { text: "of the repository" }) : null, cut(plain(what)))));
  if (found && difference) rows.push(make("tr", {}, make("td", { class: "difference", colspan: 2 }, cut(plain(difference)))));
  const mark = make("td", { class: `mark ${same ? "pass" : "fail"}`, rowspan: rows.length }, same ? "✓" : "✗", make("span", { text: same ? " same" : " differs" }));
  rows[0].prepend(mark);
  rows[0].classList.add("first");
  return rows;
}

function linesOf(items) {
  const heads = [["", "mark"], ["Expected, from the reference", ""], ["From the answer", ""]];
  const head = make("tr", {}, ...heads.map(([text, name]) => make("th", { scope: "col", class: name, text })));
  return make("table", { class: "left" }, make("thead", {}, head), make("tbody", {}, ...items.flatMap(lineOf)));
}

// If there are many lines, those that differ come first. The rest is added when it is unfolded.
function leftBy(attempt) {
  const { why, items, notes } = attempt.outcome;
  if (why != null) return make("div", { class: "outcome" }, make("h4", { text: "Outcome" }), make("p", { class: "none", text: `Nothing was compared, because ${data.texts[why]}.` }));
  const wrong = items.filter(([, same]) => !same).length;
  const count = wrong ? `${number(wrong)} of ${number(items.length)} differ${wrong === 1 ? "s" : ""}` : `${number(items.length)} of ${number(items.length)} the same`;
  const box = make("div", { class: "outcome" }, make("h4", {}, "Outcome ", items.length ? make("small", { text: count }) : null));
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
