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

const NAMES = { action: "step", seen: "seen after", changed: "changed" };

function stepOf([by, tool, text]) {
  const title = make("p", {}, make("b", { text: NAMES[by] ?? by }), tool ? ` ${visible(tool)}` : "");
  return make("li", { class: `step ${by}` }, title, make("pre", { tabindex: 0, text: data.texts[text] || "(nothing)" }));
}

// The steps are added to the page when they are unfolded.
function stepsOf(attempt) {
  if (!attempt.steps?.length) return null;
  const [head, leftOut] = attempt.gap;
  const box = make("details", { class: "steps" }, make("summary", { text: `Trajectory (${number(attempt.steps.length + leftOut)} entries)` }));
  box.addEventListener("toggle", () => {
    const items = attempt.steps.map(stepOf);
    if (leftOut) items.splice(head, 0, make("li", { class: "gap", text: `… ${number(leftOut)} entries left out …` }));
    box.append(make("ol", {}, ...items));
  }, { once: true });
  return box;
}
