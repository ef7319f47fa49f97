// The detail of one attempt: verdicts, evidence, candidate and reference, answer, prompt.
const detail = $("#detail");

function code(title, parts, empty, note = "") {
  const text = parts[0][0] ? marked(parts) : [empty];
  return make("div", {}, make("h4", {}, title, note ? make("small", { text: ` ${note}` }) : null), make("pre", { tabindex: 0 }, ...text));
}

// The candidate beside the reference, with the words marked in which they differ.
function pairOf(attempt) {
  const texts = [data.texts[attempt.code], data.texts[attempt.reference]];
  const [candidate, reference] = differing(...texts);
  const note = texts[0] === texts[1] ? "the same text" : [...candidate, ...reference].some(([, differs]) => differs) ? "differences are marked" : "";
  return make("div", { class: "pair" }, code("Candidate", candidate, "(no code)", note), code("Reference", reference, "(none)"));
}

// A long text is added to the page when it is unfolded.
function folded(title, at, open = false) {
  const text = data.texts[at];
  const box = make("details", {}, make("summary", { text: `${title} (${number(text.length)} characters)` }));
  const fill = () => box.querySelector("pre") ?? box.append(make("pre", { tabindex: 0, text: visible(text) }));
  box.addEventListener("toggle", fill, { once: true });
  if (open) { fill(); box.open = true; }
  return box;
}

function verdictOf(policy, verdict) {
  const [passed, stage, reason, took, evidence, meaning] = verdict;
  const box = make("div", { class: `verdict ${passed ? "pass" : "fail"}` });
  box.append(
    make("p", {}, make("b", { text: passed ? "✓ Passed" : "✗ Failed" }), ` under ${policy} · ${stage}: ${reason}` + (took ? ` · ${seconds(took)}` : "")),
  );
  if (data.texts[meaning]) box.append(make("p", { class: "meaning", text: data.texts[meaning] }));
  if (data.texts[evidence]) box.append(make("pre", { tabindex: 0, text: visible(data.texts[evidence]) }));
  return box;
}

function factsOf(attempt) {
  const facts = [["Answer", attempt.kind ? `${attempt.kind}, from ${attempt.source}` : attempt.source || "none"]];
  const stops = { max_tokens: "cut at the token limit", model_length: "the prompt or the answer exceeded the context" };
  if (attempt.stop && attempt.stop !== "stop") facts.push(["Model stopped", stops[attempt.stop] ?? attempt.stop]);
  if (attempt.process) {
    const [ending, exit, took, peak] = attempt.process;
    facts.push(["Run", `${ending === "exited" ? `exit ${exit}` : ending} after ${seconds(took)}, ${Math.round(peak / 2 ** 20)} MiB`]);
  }
  const share = (value) => `${(100 * value).toFixed(0)} %`;
  if (attempt.php != null) facts.push(["Hit precision", `${share(attempt.php)} in the text, ${share(attempt.semantic)} in the configuration`]);
  facts.push(["Tokens", `${number(attempt.tokens[0])} in, ${number(attempt.tokens[1])} out`]);
  if (attempt.cost != null) facts.push(["Cost", `$${attempt.cost.toFixed(4)}`]);
  facts.push(["Working time", seconds(attempt.seconds)], ["Folder", attempt.path]);
  return make("dl", { class: "facts" }, ...facts.map(([name, value]) => make("div", {}, make("dt", { text: name }), make("dd", { text: visible(value) }))));
}

function argumentsOf(attempt) {
  if (!attempt.args.length) return null;
  const marks = { hit: ["✓ hit", "pass"], wrong: ["✗ wrong", "fail"], absent: ["✗ absent", "fail"], unbound: ["in prose only", "none"] };
  const rows = attempt.args.map(([name, value, state, place, found]) => {
    const mark = marks[state] ?? ["–", "none"];
    const cells = [{ text: name }, {}, { class: mark[1], text: mark[0] }, {}].map((about) => make("td", about));
    const differs = state === "wrong" || state === "absent";
    cells[1].append(make("code", {}, ...marked([[visible(value), differs]])));
    if (place) cells[3].append(make("code", {}, visible(place), found ? " = " : null, ...(found ? marked([[visible(found), differs]]) : [])));
    return make("tr", {}, ...cells);
  });
  const head = make("tr", {}, ...["Argument", "Value wanted", "", "In the configuration"].map((text) => make("th", { scope: "col", text })));
  return make("div", {}, make("h4", { text: "Required arguments" }), make("table", { class: "arguments" }, make("thead", {}, head), make("tbody", {}, ...rows)));
}

function errorsOf(attempt) {
  if (!attempt.errors.length) return null;
  const items = attempt.errors.map(([kind, reason, evidence]) => make("li", {}, make("b", { text: kind }), ` ${reason}` + (data.texts[evidence] ? `: ${visible(data.texts[evidence])}` : "")));
  return make("div", {}, make("h4", { text: "Errors" }), make("ul", { class: "errors" }, ...items));
}

function button(text, label, action) {
  const made = make("button", { type: "button", text, "aria-label": label, title: label });
  made.addEventListener("click", action);
  return made;
}

function lostOf(attempt) {
  if (attempt.error == null) return null;
  return make("div", { class: "verdict lost" }, make("p", {}, make("b", { text: "Not scored" }), " · the machine's failure, not the model's"), make("pre", { text: visible(data.texts[attempt.error]) }));
}

function answerOf(attempt) {
  const wanted = data.texts[attempt.prompt].split("<instruction>").at(-1).split("</instruction>");
  const parts = [];
  if (wanted.length > 1) parts.push(make("p", { class: "instruction", text: visible(wanted[0].trim()) }));
  const [first, ...others] = data.policies.filter((policy) => attempt.verdicts[policy]).map((policy) => verdictOf(policy, attempt.verdicts[policy]));
  parts.push(first, lostOf(attempt), leftBy(attempt), ...others, factsOf(attempt), workOf(attempt));
  parts.push(pairOf(attempt));
  parts.push(scriptOf(attempt), argumentsOf(attempt), errorsOf(attempt), stepsOf(attempt));
  parts.push(folded(attempt.work ? "Final message" : "Answer, in full", attempt.answer, true), folded("Prompt", attempt.prompt));
  if (data.texts[attempt.system]) parts.push(folded("System prompt", attempt.system));
  return parts;
}

function showDetail() {
  const attempt = byKey.get(state.a);
  detail.hidden = !attempt;
  $(".explorer").classList.toggle("open", Boolean(attempt));
  if (!attempt) return detail.replaceChildren();
  const of = attempt.experiment;
  const title = make("div", {}, make("h3", { text: of ? `${of.title}, attempt ${attempt.n}` : `Row ${attempt.row}, attempt ${attempt.n}` }));
  title.append(make("p", {}, swatch(attempt), visible(`${data.runs[attempt.run]} · ${attempt.repo} (${attempt.domain}) · ${attempt.type}`)));
  const move = make("nav", { "aria-label": "Attempts" }, button("↑", "Previous attempt", () => step(-1)), button("↓", "Next attempt", () => step(1)), button("✕", "Close", close));
  const parts = [make("header", {}, title, move), ...(of ? experimentOf(attempt) : answerOf(attempt))];
  detail.replaceChildren(...parts.filter(Boolean));
  detail.scrollTop = 0;
}

function open(key) {
  history.replaceState(null, "", address({ a: key }));
  state.a = key;
  select();
  showDetail();
}

function close() {
  const key = state.a;
  open("");
  partOf(key)?.querySelector("a")?.focus();
}
