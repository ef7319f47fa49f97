// An attempt of an agent: how it ended, its script, and its steps.

function workOf(attempt) {
  const work = attempt.work;
  if (!work) return null;
  const facts = [["Ended", work.outcome], ["Steps", number(work.steps)], ["Agent time", seconds(work.seconds)]];
  facts.push(["Packages", work.packages.length ? work.packages.join(", ") : "none"]);
  if (work.left_out.length) facts.push(["Missing in the judged run", work.left_out.join(", ")]);
  if (work.earlier.length) facts.push(["Earlier version in the judged run", work.earlier.join(", ")]);
  const list = facts.map(([name, value]) => make("div", {}, make("dt", { text: name }), make("dd", { text: value })));
  const box = make("div", {}, make("h4", { text: "The agent" }), make("dl", { class: "facts" }, ...list));
  if (data.texts[work.detail]) box.append(make("pre", { tabindex: 0, text: data.texts[work.detail] }));
  return box;
}

// Shown only if the candidate is not `run.sh` itself but the file that it starts.
function scriptOf(attempt) {
  if (!attempt.work || !data.texts[attempt.work.script] || attempt.work.script === attempt.code) return null;
  return code("run.sh", plain(data.texts[attempt.work.script]), "");
}

const NAMES = { tool: "output of", action: "step", seen: "seen after", changed: "changed" };
const FOLDED = ["tool", "told", "seen", "changed"]; // what came back; what the agent did stays open
const GIST = 120; // characters of the first line that a folded text shows

function stepOf([by, tool, text]) {
  const said = data.texts[text] || "(nothing)";
  const title = [make("b", { text: NAMES[by] ?? by }), tool ? ` ${visible(tool)}` : ""];
  if (!FOLDED.includes(by)) return make("li", { class: `step ${by}` }, make("p", {}, ...title), make("pre", { tabindex: 0, text: said }));
  const lines = said.split("\n");
  const first = lines.find((line) => line.trim()) ?? "";
  const size = lines.length === 1 ? "1 line" : `${number(lines.length)} lines`;
  const gist = make("code", { text: first.length > GIST ? `${first.slice(0, GIST)}…` : first });
  const box = make("details", {}, make("summary", {}, ...title, make("small", { text: ` ${size} ` }), gist));
  box.addEventListener("toggle", () => box.append(make("pre", { tabindex: 0, text: said })), { once: true });
  return make("li", { class: `step ${by}` }, box);
}

// The steps are added to the page when they are unfolded.
function stepsOf(attempt) {
  if (!attempt.steps?.length) return null;
  const [head, leftOut] = attempt.gap;
  const box = make("details", { class: "steps" }, make("summary", { text: `Trajectory (${number(attempt.steps.length + leftOut)} entries)` }));
  box.addEventListener("toggle", () => {
    const items = attempt.steps.map(stepOf);
    const outputs = items.map((item) => item.querySelector("details")).filter(Boolean);
    if (leftOut) items.splice(head, 0, make("li", { class: "gap", text: `… ${number(leftOut)} entries left out …` }));
    const all = make("button", { type: "button", text: "Unfold all outputs" });
    all.addEventListener("click", () => {
      const open = !outputs.every((output) => output.open);
      for (const output of outputs) output.open = open;
      all.textContent = open ? "Fold all outputs" : "Unfold all outputs";
    });
    box.append(outputs.length ? all : "", make("ol", {}, ...items));
  }, { once: true });
  return box;
}
