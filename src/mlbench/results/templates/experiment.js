// The detail of one experiment: grade, claimed score, score after each step, steps.

function tableOf(title, heads, rows) {
  if (!rows.length) return null;
  const head = make("tr", {}, ...heads.map((text) => make("th", { scope: "col", text })));
  const lines = rows.map((cells) => make("tr", {}, ...cells.map((cell) => make("td", typeof cell === "object" ? cell : { text: cell }))));
  return make("div", {}, make("h4", { text: title }), make("table", { class: "arguments" }, make("thead", {}, head), make("tbody", {}, ...lines)));
}

// A long table, folded behind its title.
function unfolding(title, heads, rows) {
  const box = tableOf("", heads, rows);
  return box && make("details", {}, make("summary", { text: `${title} (${number(rows.length)})` }), box.querySelector("table"));
}

function gradeOf(attempt) {
  const verdict = Object.values(attempt.verdicts)[0];
  if (!verdict) return null;
  const [passed, , reason, , evidence] = verdict;
  const box = make("div", { class: `verdict ${passed ? "pass" : "fail"}` });
  box.append(make("p", {}, make("b", { text: `${passed ? "✓" : "✗"} ${reason}` })));
  if (data.texts[evidence]) box.append(make("pre", { tabindex: 0, text: data.texts[evidence] }));
  return box;
}

function measuresOf(attempt) {
  const of = attempt.experiment;
  const facts = [["Score", `${of.score} (${of.metric}, ${of.better} is better)`], ["Best", of.best], ["Starter", of.starter], ["Reference", of.reference]];
  if (of.trivial !== "-") facts.push(["Trivial predictor", of.trivial]);
  if (of.floor !== "-") facts.push(["Floor", of.floor]);
  facts.push(["Improvement", `${of.improvement} %`], ["Scale (0 trivial, 1 floor)", of.scale], ["Ended", attempt.work.outcome || "not"]);
  if (of.failures.length) facts.push(["Why it failed", of.failures.join(", ")]);
  facts.push(["Steps", number(attempt.work.steps)], ["Tokens", `${number(attempt.tokens[0])} in, ${number(attempt.tokens[1])} out`]);
  if (attempt.cost != null) facts.push(["Cost", `$${attempt.cost.toFixed(4)}`]);
  facts.push(["Agent time", seconds(attempt.seconds)]);
  const list = facts.map(([name, value]) => make("div", {}, make("dt", { text: name }), make("dd", { text: value })));
  const box = make("div", {}, make("dl", { class: "facts" }, ...list));
  if (data.texts[attempt.work.detail]) box.append(make("pre", { tabindex: 0, text: data.texts[attempt.work.detail] }));
  if (of.lite) box.append(make("p", { class: "lite", text: `Data: ${of.lite}` }));
  return box;
}

// The score that the agent handed in as a number.
function claimOf(of) {
  if (!of.claim) return null;
  const [text, value, measured, holds] = of.claim;
  const said = holds === null ? { text: "not compared: another metric, or training data" } : { class: holds ? "pass" : "fail", text: holds ? "✓ holds" : "✗ false" };
  return tableOf("Claimed score", ["Handed in", "Claimed", "Measured", ""], [[text, { class: "n", text: value }, { class: "n", text: measured }, said]]);
}

function experimentOf(attempt) {
  const of = attempt.experiment;
  const counts = [...of.actions.map(([name, times]) => [name, { class: "n", text: number(times) }, ""]), ...attempt.errors.map(([kind, times]) => [kind, { class: "n", text: parseInt(times) }, "failed"])];
  return [
    gradeOf(attempt),
    lostOf(attempt),
    measuresOf(attempt),
    claimOf(of),
    unfolding("Score after each step", ["Step", "Score"], of.progress.map(([step, score]) => [{ class: "n", text: step }, { class: "n", text: score === "-" ? "no valid submission" : score }])),
    tableOf("Actions", ["Action", "Times", ""], counts),
    stepsOf(attempt),
    folded("Final message (text, not checked)", attempt.answer, true),
    folded("Problem", attempt.prompt),
  ];
}
