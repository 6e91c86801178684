"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const $ = (id) => document.getElementById(id);
const key = "eibench-labels-" + data.set;
const words = { user: "Person", assistant: "Reply" };
let state = { person: "", recruited: "", consent: false, begun: false, at: 0, answers: {} };

function load() {
  try {
    const kept = JSON.parse(localStorage.getItem(key) || "null");
    if (kept && typeof kept === "object" && kept.answers) state = Object.assign(state, kept);
  } catch (error) { $("lost").hidden = false; }
}

function keep() {
  try { localStorage.setItem(key, JSON.stringify(state)); }
  catch (error) { $("lost").hidden = false; }
}

function made(tag, text, name) {
  const node = document.createElement(tag);
  if (text !== undefined) node.textContent = text;
  if (name) node.className = name;
  return node;
}

function box(title, turns) {
  const part = made("section", undefined, "text");
  part.append(made("h2", title));
  for (const [who, text] of turns) {
    const turn = made("p", undefined, "turn " + (who === "assistant" ? who : "user"));
    if (who) turn.append(made("b", words[who] || who));
    turn.append(made("span", text));
    part.append(turn);
  }
  return part;
}

function entry() { return data.entries[state.at]; }

function whole(one) {
  const answer = (state.answers[one.id] || {}).answer;
  if (answer === undefined || answer === null) return false;
  if (data.kind !== "take") return true;
  if (answer.some((n) => typeof n !== "number" || !(n >= data.low && n <= data.high))) return false;
  const sum = answer.reduce((a, b) => a + b, 0);
  return data.total === null ? true : Math.abs(sum - data.total) < 0.021;
}

function count() {
  const done = data.entries.filter(whole).length;
  $("count").textContent = `${done} of ${data.entries.length} answered`;
  $("progress").max = data.entries.length;
  $("progress").value = done;
  return done;
}

function put(answer) {
  const one = entry();
  state.answers[one.id] = Object.assign(state.answers[one.id] || {}, { answer });
  keep();
  count();
  hint();
}

function hint() {
  const answer = (state.answers[entry().id] || {}).answer;
  if (data.kind !== "take") return;
  const sum = (answer || []).reduce((a, b) => a + (b || 0), 0);
  const range = `Each number is from ${data.low} to ${data.high}.`;
  const total = data.total === null ? "" : ` They sum to ${data.total}; now: ${+sum.toFixed(2)}.`;
  $("hint").textContent = range + total;
}

function choices() {
  const one = entry(), kept = (state.answers[one.id] || {}).answer;
  const list = $("choices");
  list.replaceChildren();
  list.className = data.kind === "take" ? "numbers" : "choices";
  if (data.kind === "take") {
    one.options.forEach((name, n) => {
      const label = made("label", name + " "), field = made("input");
      Object.assign(field, { type: "number", min: data.low, max: data.high, step: "any" });
      field.id = "number-" + n;
      if (kept && typeof kept[n] === "number") field.value = kept[n];
      field.addEventListener("input", () => put(one.options.map((_, k) => {
        const text = $("number-" + k).value;
        return text === "" ? null : Number(text);
      })));
      label.append(field);
      const line = made("p");
      line.append(label);
      list.append(line);
    });
    return;
  }
  data.choices.forEach(([value, name]) => {
    const label = made("label"), field = made("input");
    Object.assign(field, { type: "radio", name: "answer", checked: kept === value });
    field.addEventListener("change", () => put(value));
    label.append(field, " " + name);
    list.append(label);
  });
}

function show(focus) {
  const one = entry();
  $("start").hidden = state.begun;
  $("ask").hidden = !state.begun;
  if (!state.begun) return;
  $("heading").textContent = `Question ${state.at + 1} of ${data.entries.length}`;
  $("legend").textContent = data.question;
  $("texts").replaceChildren(...one.texts.map(([title, turns]) => box(title, turns)));
  $("comment").value = (state.answers[one.id] || {}).comment || "";
  $("hint").textContent = "";
  $("saved").textContent = "";
  $("back").disabled = state.at === 0;
  $("next").disabled = state.at === data.entries.length - 1;
  choices();
  hint();
  count();
  if (focus) { $("heading").focus(); window.scrollTo(0, 0); }
}

function go(step) {
  const to = state.at + step;
  if (to < 0 || to >= data.entries.length) return;
  state.at = to;
  keep();
  show(true);
}

function file() {
  // One answer a line, so that whoever reads the file can name the line.
  const head = { format: "eibench-labels", version: 1, set: data.set, person: state.person,
    consent: state.consent, recruited: state.recruited };
  const lines = Object.entries(head).map(([k, v]) => ` ${JSON.stringify(k)}: ${JSON.stringify(v)},`);
  const rows = data.entries.filter(whole).map((one) => {
    const { answer, comment } = state.answers[one.id];
    return "  " + JSON.stringify({ entry: one.id, shown: one.shown, answer, comment: comment || "" });
  });
  return `{\n${lines.join("\n")}\n "answers": [\n${rows.join(",\n")}\n ]\n}\n`;
}

function save() {
  const link = made("a");
  link.href = URL.createObjectURL(new Blob([file()], { type: "application/json" }));
  const code = state.person.replace(/[^A-Za-z0-9_-]+/g, "-");
  link.download = `answers-${data.set}-${code}.json`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  const left = data.entries.length - count();
  $("saved").textContent = `Saved as ${link.download}. ` +
    (left ? `${left} questions have no answer yet; save again when you have gone on.`
      : "All questions are answered: please send this file back.");
}

function begin() {
  const lacking = !$("consent").checked ? "Please agree first, or close the page."
    : !$("person").value.trim() ? "Please enter the code that you were given." : "";
  $("problem").textContent = lacking;
  $("problem").hidden = !lacking;
  if (lacking) { $(lacking.includes("code") ? "person" : "consent").focus(); return; }
  Object.assign(state, { person: $("person").value.trim(), consent: true, begun: true,
    recruited: $("recruited").value.trim() });
  keep();
  show(true);
}

function pressed(event) {
  const typing = /^(text|number)$/.test(event.target.type) || event.target.tagName === "TEXTAREA";
  if (!state.begun || typing || event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.key === "j") go(1);
  else if (event.key === "k") go(-1);
  else if (event.key === "s") save();
  else if (/^[0-9]$/.test(event.key) && data.kind !== "take") {
    const field = $("choices").querySelectorAll("input")[(Number(event.key) + 9) % 10];
    if (!field) return;
    field.checked = true;
    field.focus();
    field.dispatchEvent(new Event("change"));
  } else return;
  event.preventDefault();
}

load();
$("instructions").textContent = data.instructions;
$("consent-text").textContent = data.consent;
$("consent").checked = state.consent;
$("person").value = state.person;
$("recruited").value = state.recruited;
$("begin").addEventListener("click", begin);
$("back").addEventListener("click", () => go(-1));
$("next").addEventListener("click", () => go(1));
$("save").addEventListener("click", save);
$("comment").addEventListener("input", () => {
  const one = entry();
  state.answers[one.id] = Object.assign(state.answers[one.id] || {}, { comment: $("comment").value });
  keep();
});
document.addEventListener("keydown", pressed);
show(false);
