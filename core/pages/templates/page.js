"use strict";
(() => {
  const root = document.documentElement;
  const make = (name, className, text) => {
    const node = document.createElement(name);
    if (className) node.className = className;
    if (text !== undefined) node.textContent = text;
    return node;
  };

  // Theme: the system's, until the reader chooses.
  const button = document.getElementById("theme");
  const dark = () => root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  const remember = (value) => { try { if (value) localStorage.setItem("theme", value); return localStorage.getItem("theme"); } catch { return null; } };
  const kept = remember();
  if (kept === "dark" || kept === "light") root.dataset.theme = kept;
  const label = () => { button.textContent = dark() ? "Light" : "Dark"; };
  button.hidden = false;
  label();
  button.addEventListener("click", () => { root.dataset.theme = dark() ? "light" : "dark"; remember(root.dataset.theme); label(); });

  // Tables whose headings are buttons.
  const number = (text) => { const n = parseFloat(text.replace("\u2212", "-").replace(/,/g, "")); return Number.isNaN(n) ? null : n; };
  const sort = (heading) => {
    const table = heading.closest("table"), column = heading.cellIndex;
    const up = heading.getAttribute("aria-sort") !== "ascending";
    for (const other of table.tHead.rows[0].cells) if (other.hasAttribute("aria-sort")) other.setAttribute("aria-sort", "none");
    heading.setAttribute("aria-sort", up ? "ascending" : "descending");
    const key = (row) => row.cells[column].textContent.trim();
    const order = (a, b) => {
      const one = number(key(a)), two = number(key(b));
      if (one !== null && two !== null) return one - two;
      if (one !== null || two !== null) return one === null ? 1 : -1;
      return key(a).localeCompare(key(b));
    };
    const rows = [...table.tBodies[0].rows].sort((a, b) => (up ? 1 : -1) * order(a, b));
    table.tBodies[0].append(...rows);
  };
  for (const heading of document.querySelectorAll("table.sortable th[aria-sort]")) heading.firstElementChild.addEventListener("click", () => sort(heading));

  // Transcripts: text and nothing else, put in when it is asked for.
  const unpack = async (id) => {
    const bytes = Uint8Array.from(atob(document.getElementById(id + "-text").textContent), (c) => c.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return JSON.parse(await new Response(stream).text());
  };
  const turn = (said) => {
    const box = make("div", "turn " + said.kind);
    box.append(make("span", "who", said.who + (said.cut ? " (cut off by the token limit)" : "")));
    if (said.thinking) { const more = make("details"); more.append(make("summary", "", "thinking"), make("div", "said", said.thinking)); box.append(more); }
    box.append(make("div", "said", said.text));
    return box;
  };
  const table = (columns, rows) => {
    const made = make("table", "data"), head = make("tr");
    for (const name of columns) { const cell = make("th", "", name); cell.scope = "col"; head.append(cell); }
    made.createTHead().append(head);
    const body = made.createTBody();
    for (const row of rows) { const line = body.insertRow(); for (const cell of row) line.append(make("td", "", cell)); }
    return made;
  };
  const verdict = (read) => {
    const box = make("div", "grade"), grade = read.grade;
    const say = (title, node) => box.append(make("h3", "", title), node);
    if (grade.failed) say("Failed", make("p", "", grade.failed));
    if (grade.reason) say("Unscored", make("p", "", grade.reason));
    if (read.beside) say(read.beside.title, table(read.beside.columns, read.beside.rows));
    for (const text of grade.verdicts) say(grade.judge ? "Verdict of " + grade.judge : "Verdict", make("div", "said", text));
    if (grade.values.length) say("Scores", table(["criterion", "value"], grade.values));
    if (grade.flags.length) say("Flags", make("p", "", grade.flags.join(", ")));
    if (read.compared.length) say("Comparisons", table(["against", "order", "result", "margins"], read.compared));
    return box;
  };
  const fill = async (sample) => {
    const reader = sample.querySelector(".reader");
    if (!sample.open || reader.firstChild) return;
    const part = (node, name) => { node.tabIndex = 0; node.setAttribute("role", "region"); node.setAttribute("aria-label", name + " of " + sample.id); return node; };
    const left = part(make("div"), "conversation");
    reader.append(left);
    try {
      const read = await unpack(sample.id);
      left.append(...read.turns.map(turn));
      reader.append(part(verdict(read), "verdict"));
    } catch (error) { left.textContent = "This browser cannot read the transcript: " + error; }
  };
  for (const sample of document.querySelectorAll("details.sample")) sample.addEventListener("toggle", () => fill(sample));
  const open = () => {
    const wanted = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (wanted && wanted.matches("details")) { wanted.open = true; wanted.scrollIntoView(); }
  };
  addEventListener("hashchange", open);
  open();

  // Keys: j and k go from transcript to transcript.
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !["j", "k"].includes(event.key) || event.target.closest("input, textarea")) return;
    const all = [...document.querySelectorAll("details.sample")];
    if (!all.length) return;
    const at = all.indexOf(document.activeElement.closest("details.sample"));
    const next = all[Math.max(0, Math.min(all.length - 1, at + (event.key === "j" ? 1 : -1)))];
    next.querySelector("summary").focus();
    next.scrollIntoView({ block: "nearest" });
  });
  addEventListener("beforeprint", () => { for (const sample of document.querySelectorAll("section details:not(.sample)")) sample.open = true; });
})();
