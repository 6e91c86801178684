"use strict";
const eibench = (() => {
  const root = document.documentElement;
  const all = (wanted, within = document) => [...within.querySelectorAll(wanted)];
  const make = (name, className, ...inside) => {
    const node = document.createElement(name);
    if (className) node.className = className;
    node.append(...inside);
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

  // Tables whose headings are buttons; a cell without a value stays last.
  const number = (text) => { if (/^\d{4}-/.test(text)) return null; const n = parseFloat(text.replace("\u2212", "-").replace(/[,$]/g, "")); return Number.isNaN(n) ? null : n; };
  const sort = (heading, up) => {
    const table = heading.closest("table"), column = heading.cellIndex;
    for (const other of all("thead th[aria-sort]", table)) other.setAttribute("aria-sort", "none");
    heading.setAttribute("aria-sort", up ? "ascending" : "descending");
    const key = (row) => (row.cells[column].dataset.value ?? row.cells[column].textContent).trim();
    const missing = (text) => ["", "\u2013", "-"].includes(text);
    const order = (one, two) => {
      const a = key(one), b = key(two), x = number(a), y = number(b);
      if (missing(a) || missing(b)) return missing(a) - missing(b);
      return (up ? 1 : -1) * (x !== null && y !== null ? x - y : x !== null || y !== null ? (x === null) - (y === null) : a.localeCompare(b));
    };
    table.tBodies[0].append(...[...table.tBodies[0].rows].sort(order));
  };
  const sortable = (table) => {
    for (const heading of all("th[aria-sort]", table)) heading.firstElementChild.addEventListener("click", () => sort(heading, heading.getAttribute("aria-sort") !== "ascending"));
  };
  all("table.sortable:not(#board)").forEach(sortable);

  // Transcripts: text and nothing else, put in when it is asked for.
  const unpack = async (packed) => {
    const bytes = Uint8Array.from(atob(packed), (c) => c.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return JSON.parse(await new Response(stream).text());
  };
  const turn = (said) => {
    const box = make("div", "turn " + said.kind, make("span", "who", said.who + (said.cut ? " (cut off by the token limit)" : "")));
    if (said.thinking) box.append(make("details", "", make("summary", "", "thinking"), make("div", "said", said.thinking)));
    box.append(make("div", "said", said.text));
    return box;
  };
  const table = (columns, rows) => {
    const made = make("table", "data");
    made.createTHead().append(make("tr", "", ...columns.map((name) => { const cell = make("th", "", name); cell.scope = "col"; return cell; })));
    made.createTBody().append(...rows.map((row) => make("tr", "", ...row.map((cell) => make("td", "", cell)))));
    return make("div", "scroll", made);
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

  // What the verdict quotes is marked where it was said, with the same number in both places.
  const QUOTED = /["\u201c\u201e\u00ab]([^"\u201c\u201d\u201e\u00ab\u00bb]{12,400})["\u201d\u201c\u00bb]/g;
  const pattern = (quote) => new RegExp(quote.trim().replace(/[.,;:!?\u2026]+$/, "").replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace(/['\u2018\u2019]/g, "['\u2018\u2019]").replace(/\s+/g, "\\s+"), "i");
  const wrap = (node, spans, inside) => {
    const text = node.textContent, parts = [];
    let at = 0;
    for (const span of spans.sort((a, b) => a.start - b.start)) {
      if (span.start < at) continue;
      parts.push(text.slice(at, span.start), inside(span, text.slice(span.start, span.end)));
      at = span.end;
    }
    if (at) node.replaceChildren(...parts, text.slice(at));
  };
  const mark = (left, right) => {
    const places = all(".said", left).map((node) => ({ node, text: node.textContent, spans: [] }));
    let n = 0;
    for (const words of all(".said", right)) {
      const spans = [];
      for (const found of [...words.textContent.matchAll(QUOTED)].slice(0, 99)) {
        const wanted = pattern(found[1]);
        for (const place of places) {
          const hit = wanted.exec(place.text);
          if (!hit || place.spans.some((s) => s.start < hit.index + hit[0].length && hit.index < s.end)) continue;
          place.spans.push({ start: hit.index, end: hit.index + hit[0].length, n: ++n });
          spans.push({ start: found.index, end: found.index + found[0].length, n });
          break;
        }
      }
      wrap(words, spans, (span, text) => {
        const jump = make("button", "jump", String(span.n));
        jump.type = "button";
        jump.ariaLabel = `Quote ${span.n}: show where it was said`;
        jump.addEventListener("click", () => {
          const said = left.querySelector(`mark[data-n="${span.n}"]`);
          if (said.closest("details")) said.closest("details").open = true;
          said.focus();
          said.scrollIntoView({ block: "center" });
        });
        return make("span", "quoted", text, jump);
      });
    }
    for (const place of places) wrap(place.node, place.spans, (span, text) => {
      const said = make("mark", "", text, make("sup", "", String(span.n)));
      said.dataset.n = span.n;
      said.tabIndex = -1;
      return said;
    });
  };
  const region = (node, name) => { node.tabIndex = 0; node.setAttribute("role", "region"); node.ariaLabel = name; return node; };
  const reader = (read, name) => {
    const left = region(make("div", "", ...read.turns.map(turn)), "conversation of " + name), right = region(verdict(read), "verdict of " + name);
    mark(left, right);
    return [left, right];
  };
  const sources = { parts: async (sample) => [{ packed: document.getElementById(sample.id + "-text").textContent }] };
  const fill = async (sample) => {
    const place = sample.querySelector(".reader");
    if (!sample.open || place.firstChild) return;
    place.append("\u2026");
    try {
      const made = [], parts = await sources.parts(sample);
      for (const { iteration, packed } of parts) {
        const pair = reader(await unpack(packed), sample.id + (parts.length > 1 ? ", iteration " + iteration : ""));
        if (parts.length > 1) pair[0].prepend(make("h3", "", "Iteration " + iteration));
        made.push(...pair);
      }
      place.replaceChildren(...made);
    } catch (error) { place.replaceChildren("The transcript cannot be read: " + error.message); }
  };
  for (const sample of all("details.sample")) sample.addEventListener("toggle", () => fill(sample));
  const open = () => {
    let wanted = null;
    try { wanted = document.getElementById(decodeURIComponent(location.hash.slice(1))); } catch { return; }
    if (!wanted || !wanted.matches("details")) return;
    for (let outer = wanted; outer; outer = outer.parentElement.closest("details")) outer.open = true;
    wanted.scrollIntoView();
  };
  addEventListener("hashchange", open);
  document.addEventListener("DOMContentLoaded", open);

  // Keys: j and k go from row to row of a board, or from transcript to transcript.
  const typing = (event) => event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, select");
  addEventListener("keydown", (event) => {
    if (typing(event) || !["j", "k"].includes(event.key)) return;
    const stops = all("#board tbody tr:not([hidden]), details.sample").filter((stop) => stop.checkVisibility());
    if (!stops.length) return;
    const at = stops.indexOf(document.activeElement.closest("#board tbody tr, details.sample"));
    const next = stops[Math.max(0, Math.min(stops.length - 1, at + (event.key === "j" ? 1 : -1)))];
    next.querySelector("summary, th a, button").focus();
    next.scrollIntoView({ block: "nearest" });
  });
  addEventListener("beforeprint", () => { for (const sample of all("section details:not(.sample)")) sample.open = true; });
  return { all, make, reader, region, sort, sortable, sources, typing, unpack };
})();
