// One task: what a person needs to judge it.
const code = (text) => make("code", { text });
const pre = (text, label) => make("pre", { tabindex: 0, role: "region", "aria-label": label, text });
const titled = (title, small, ...parts) => make("div", {}, make("h3", { text: title }, small ? make("small", { text: ` ${small}` }) : null), ...parts);

function showTask() {
  const { view } = state;
  const { body } = view;
  const parts = [headOf(view)];
  if (view.fault) parts.push(make("p", { class: "box", text: view.fault }), titled("The file", "", pre(view.text, "The recipe file")));
  for (const fault of view.faults) parts.push(make("p", { class: "box", text: fault }));
  if (body) {
    if (body.note) parts.push(make("p", { class: "box note", text: body.note }));
    const { segment } = body;
    const where = `${segment.file}, lines ${segment.first}–${segment.last}`;
    const left = titled("Documentation", where, pre(segment.text || segment.fault, "Documentation"));
    const right = make("div", {}, titled("Reference", "template", pre(body.reference, "Reference template")));
    if (body.example) right.append(titled("Reference", "as in the first row", pre(body.example, "Reference, rendered")));
    if (body.prefix) right.append(titled("Runs before it", "", pre(body.prefix, "Prefix code")));
    right.append(titled("Arguments", "values as the instruction says them; → the program's value, if it differs", argumentsOf(body)));
    parts.push(make("div", { class: "pair" }, left, right));
    parts.push(titled("Instructions", "templates; the test set uses the first two", make("ol", {}, ...body.instructions.map((template) => make("li", { text: template.text })))));
    const rejected = body.rows.filter((row) => row.rejected).length;
    parts.push(titled("Rows", `${body.rows.length - rejected} shown` + (rejected ? `, ${rejected} rejected` : ""), ...body.rows.map(rowOf)));
  }
  if (view.remarks.length) parts.push(remarksOf(view.remarks));
  $("#task").replaceChildren(...parts);
}

function headOf(view) {
  const title = make("h2", { text: view.task }, make("span", { class: `state ${view.state}`, text: `${MARKS[view.state]} ${view.state}` }));
  const head = make("header", {}, title);
  if (view.body) head.append(make("p", { class: "about", text: `${view.repository} · ${view.body.type} · in ${view.body.path} · ${view.body.program}` }));
  if (view.why) head.append(make("p", { class: "why", text: `Rejected: ${view.why}` }));
  return head;
}

function argumentsOf(body) {
  const rows = body.arguments.map((argument) => {
    const values = argument.values.map((value) => {
      const wanted = value.words.join(" ");
      const said = make("span", { text: value.said || "(nothing said)" });
      return make("span", { class: "value" }, said, value.said === wanted ? null : " → ", value.said === wanted ? null : code(wanted || "(left out)"));
    });
    return make("tr", {}, make("th", { scope: "row", text: argument.name }), make("td", {}, ...values));
  });
  for (const rule of body.exclude.filter((rule) => Object.keys(rule).length < body.arguments.length)) {
    const text = Object.entries(rule).map(([name, words]) => `${name} ${words.join(" ") || "(left out)"}`).join(", ");
    rows.push(make("tr", {}, make("th", { scope: "row", text: "not together" }), make("td", { text })));
  }
  return make("table", {}, make("tbody", {}, ...rows));
}

function rowOf(row, position) {
  const name = row.id == null ? (row.rejected ? "A row" : "An example") : `Row ${row.id}`;
  const box = make("article", { class: row.rejected ? "row off" : "row", tabindex: 0, "aria-label": `${name}${row.rejected ? ", rejected" : ""}`, data: { row: position } });
  const button = make("button", { type: "button", text: row.rejected ? "Take back" : "Reject", data: { do: row.rejected ? "accept" : "reject" } });
  box.append(make("header", {}, make("b", { text: name }), make("span", { class: "about", text: row.split }), row.rejected ? make("span", { class: "rejected", text: `✗ rejected${row.why ? `: ${row.why}` : ""}` }) : null, button));
  box.append(make("p", { class: "values", text: Object.entries(row.values).map(([key, value]) => `${key}: ${value}`).join(" · ") }));
  box.append(make("div", { class: "pair" }, make("p", { text: row.instruction }), pre(row.reference, "Reference of this row")));
  for (const found of row.findings) box.append(make("p", { class: `finding ${found.kept ? "good" : "bad"}`, text: `${found.kept ? "✓" : "✗"} ${found.source}: ${found.words}` }));
  return box;
}

function remarksOf(remarks) {
  const items = remarks.map((remark) => make("li", { text: `${remark.kept ? "✓" : "✗"} ${remark.source} · ${remark.subject}` }, make("small", { text: remark.words ? ` ${remark.words}` : "" })));
  return make("details", {}, make("summary", { text: `What the builder decided (${remarks.length})` }), make("ul", {}, ...items));
}
