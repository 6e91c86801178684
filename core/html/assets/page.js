"use strict";
const draw = (name, attributes, ...inside) => {
  const node = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...inside);
  return node;
};
const eibench = (() => {
  const root = document.documentElement,
    all = (wanted, within = document) => [...within.querySelectorAll(wanted)],
    make = (name, given, ...inside) => {
    const node = Object.assign(document.createElement(name), given.trim ? given && { className: given } : given);
    node.append(...inside);
    return node;
  };

  // Theme: the system's, until the reader chooses.
  const theme = document.getElementById("theme"),
    remember = (value) => { try { if (value) localStorage.theme = value; return localStorage.theme; } catch { return ""; } };
  const show = (value) => {
    if (["dark", "light"].includes(value)) root.dataset.theme = value;
    theme.textContent = (root.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark" ? "Light" : "Dark";
  };
  show(remember());
  theme.hidden = false;
  theme.onclick = () => show(remember(theme.textContent.toLowerCase()) || theme.textContent.toLowerCase());

  // Tables whose headings are buttons; a cell without a value stays last.
  const number = (text) => /^\d{4}-/.test(text) ? NaN : parseFloat(text.replace("−", "-").replace(/[,$]/g, "")),
    sort = (heading, up) => {
    const table = heading.closest("table"), rows = [...table.tBodies[0].rows];
    for (const other of all("thead th[aria-sort]", table)) other.ariaSort = "none";
    heading.ariaSort = up ? "ascending" : "descending";
    const keys = new Map(rows.map((row) => { const cell = row.cells[heading.cellIndex], text = (cell.dataset.value ?? cell.textContent).trim(); return [row, { text, n: number(text), none: ["", "–"].includes(text) }]; }));
    const order = (one, two) => {
      const a = keys.get(one), b = keys.get(two);
      return a.none - b.none || (up ? 1 : -1) * (isNaN(a.n) - isNaN(b.n) || (isNaN(a.n) ? a.text.localeCompare(b.text) : a.n - b.n));
    };
    table.tBodies[0].append(...rows.sort(order));
  };
  const sortable = (table) => { for (const th of all("th[aria-sort]", table)) th.firstElementChild.onclick = () => sort(th, th.ariaSort !== "ascending"); };
  all("table.sortable:not(#board)").forEach(sortable);

  // Tables that go on at the right say so.
  const more = (box) => { box.classList.toggle("more", box.scrollWidth - box.clientWidth - box.scrollLeft > 9); },
    widths = new ResizeObserver((seen) => seen.forEach(({ target }) => more(target)));
  for (const box of all(".scroll")) { widths.observe(box); box.onscroll = () => more(box); }

  // Transcripts: text and nothing else, put in when it is asked for.
  const unpack = async (packed) => {
    const bytes = Uint8Array.from(atob(packed), (c) => c.charCodeAt(0));
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).json();
  };
  const turn = (said) => {
    const thought = said.thinking ? [make("details", "", make("summary", "", said.private ? "thinks (no judge sees this)" : "thinking"), make("div", "said", said.thinking))] : [];
    return make("div", "turn " + said.kind, make("span", "who", said.who + (said.cut ? " (cut off by the token limit)" : "")), ...thought, Object.assign(make("div", "said", said.text), { quotes: said.quotes ?? [] }), ...(said.notes ?? []).map((text) => make("p", "note", text)));
  };
  const line = (name, cells) => make("tr", "", ...cells.map((text) => make(name, name === "th" ? { scope: "col" } : "", text))),
    table = (columns, rows) => make("div", "scroll", make("table", "data", make("thead", "", line("th", columns)), make("tbody", "", ...rows.map((row) => line("td", row))))),
    // A small course over turns.
    course = (lines) => {
    const at = (p, n, size, all = lines.flat().map((q) => q[n]), low = Math.min(...all)) => 4 + size * (p[n] - low) / (Math.max(...all) - low || 1);
    return draw("svg", { width: 240, viewBox: "0 -46 240 56", class: "course" }, ...lines.map((one, n) => draw("polyline", { class: "s" + n, points: one.map((p) => [at(p, 0, 230), at(p, 1, -46)]) })));
  },
    verdict = ({ grade, beside, compared }) => {
    const box = make("div", "grade"), say = (title, ...inside) => box.append(make("h3", "", title), ...inside);
    for (const [name, text] of [["Failed", grade.failed], ["Unscored", grade.reason]]) if (text) say(name, text);
    for (const { title, columns, rows, lines } of beside) say(title, ...lines ? [course(lines)] : [], table(columns, rows));
    for (const [by, text] of grade.verdicts) say("Verdict of " + by, make("div", "said", text));
    if (grade.values.length) say("Scores", table(["criterion", "value"], grade.values));
    for (const [name, text] of grade.facts) say(name, text);
    if (compared.length) say("Comparisons", table(["against", "order", "result", "margins"], compared));
    return box;
  };

  // What the verdict quotes is marked where it was said, with the same number in both places.
  const QUOTED = /["“„«]([^"“”„«»]{12,400})["”“»]/g,
    pattern = (quote) => new RegExp(quote.trim().replace(/[.,;:!?…\\]+$/, "").replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace(/['‘’]/g, "['‘’]").replace(/\s+/g, "\\s+"), "i");
  const wrap = (node, spans, inside) => {
    const text = node.textContent, parts = [];
    let at = 0;
    for (const span of spans.sort((a, b) => a.start - b.start)) {
      parts.push(text.slice(at, span.start), inside(text.slice(span.start, span.end), span.n));
      at = span.end;
    }
    if (at) node.replaceChildren(...parts, text.slice(at));
  };
  const mark = (left, right) => {
    const places = all(".said", left).map((node) => ({ node, spans: [] })), marks = [];
    let n = 0;
    for (const { node, spans } of places) for (const { text, note } of node.quotes ?? []) {
      const start = node.textContent.indexOf(text), end = start + text.length;
      if (start < 0 || spans.some((s) => s.start < end && start < s.end)) continue;
      spans.push({ start, end, n: ++n });
      if (note) node.parentElement.append(make("p", "note", `${n}: ${note}`));
    }
    for (const words of all(".said", right)) {
      const spans = [];
      for (const found of [...words.textContent.matchAll(QUOTED)].slice(0, 99)) {
        const wanted = pattern(found[1]);
        for (const { node, spans: taken } of places) {
          const hit = wanted.exec(node.textContent), start = hit?.index, end = start + hit?.[0].length;
          if (!hit || taken.some((s) => s.start < end && start < s.end)) continue;
          taken.push({ start, end, n: ++n });
          spans.push({ start: found.index, end: found.index + found[0].length, n });
          break;
        }
      }
      const jump = ({ target }) => {
        const said = marks[target.textContent], thought = said.closest("details:not(.sample)");
        if (thought) thought.open = true;
        said.focus();
        said.scrollIntoView({ block: "center" });
      };
      wrap(words, spans, (text, n) => make("span", "quoted", text, make("button", { className: "jump", ariaLabel: `Quote ${n}: show where it was said`, onclick: jump }, n)));
    }
    for (const { node, spans } of places) wrap(node, spans, (text, n) => marks[n] = make("mark", { tabIndex: -1 }, text, make("sup", "", n)));
  };
  // A long text is laid out in parts, as they come into view, and a word without an end has places to break:
  // a megabyte in one word would hold the page up for a minute.
  const PART = 8000,
    breakable = (text) => text.split(/(\S{500})/u).filter(Boolean).flatMap((piece, n) => n ? [make("wbr", ""), piece] : [piece]),
    cut = (text) => {
    const end = text.length <= PART ? text.length : text.lastIndexOf("\n", PART - 1) + 1 || text.lastIndexOf(" ", PART - 1) + 1 || PART;
    return end - /[\ud800-\udbff]$/.test(text.slice(0, end));
  };
  const parts = (text) => {
    const found = [];
    for (let at = 0, end; at < text.length; at = end) {
      end = at + (cut(text.slice(at, at + PART + 1)) || text.length);
      found.push(make("span", "part", ...breakable(text.slice(at, end))));
    }
    return found;
  };
  const lighten = (box) => {
    const walk = document.createTreeWalker(box, NodeFilter.SHOW_TEXT), texts = [];
    while (walk.nextNode()) texts.push(walk.currentNode);
    for (const node of texts) {
      if (node.length > PART) node.replaceWith(...parts(node.data));
      else if (/\S{500}/.test(node.data)) node.replaceWith(...breakable(node.data));
    }
    return box;
  };
  const reader = (read, name) => {
    const region = (node, ariaLabel) => Object.assign(node, { tabIndex: 0, role: "region", ariaLabel: `${ariaLabel} of ${name}` }),
      left = region(make("div", "", ...read.turns.map(turn)), "conversation"), right = region(verdict(read), "verdict");
    mark(left, right);
    return [left, right].map(lighten);
  };
  const sources = { parts: (sample) => JSON.parse(document.getElementById(sample.id + "-text").textContent) };
  for (const sample of all("details.sample")) sample.ontoggle = async () => {
    const place = sample.querySelector(".reader"), made = [];
    if (!sample.open || place.firstChild) return;
    place.append("…");
    try {
      const parts = await sources.parts(sample);
      for (const { iteration, packed, read } of parts) {
        const title = parts.length > 1 ? "iteration " + iteration : "", pair = reader(read ?? await unpack(packed), sample.id + " " + title);
        if (title) pair[0].prepend(make("h3", "", title));
        made.push(...pair);
      }
      place.replaceChildren(...made);
    } catch (error) { place.replaceChildren("Cannot be read: " + error.message); }
  };
  // Controls: numbers to change, and what follows from them. Steps are for a stack, as they were read of formulas.
  const DO = { "+": (a, b) => a + b, "-": (a, b) => a - b, "*": (a, b) => a * b, "/": (a, b) => a / b, "**": Math.pow, neg: (a) => -a, abs: Math.abs, sqrt: Math.sqrt, log: Math.log, exp: Math.exp },
    total = (x) => x.reduce((a, b) => a + b, 0),
    WHOLE = { sum: total, mean: (x) => total(x) / x.length, min: (x) => x.reduce((a, b) => Math.min(a, b)), max: (x) => x.reduce((a, b) => Math.max(a, b)), count: (x) => x.length },
    finite = (value) => { if (!Number.isFinite(value)) throw new RangeError(); return value; };
  const compute = (steps, names) => {
    const stack = [];
    for (const [kind, value, takes] of steps) {
      if (kind !== "do") { stack.push(kind === "number" ? value : names.get(value)); continue; }
      const given = stack.splice(-takes), rows = given.find(Array.isArray)?.length, at = (n) => finite(DO[value](...given.map((x) => Array.isArray(x) ? x[n] : x)));
      stack.push(value in WHOLE ? finite(WHOLE[value](given[0])) : rows === undefined ? at(0) : Array.from({ length: rows }, (_, n) => at(n)));
    }
    return stack[0];
  };
  for (const box of all(".reckoned")) {
    const { columns, outputs } = JSON.parse(box.querySelector("script").textContent), inputs = all("input", box), shown = all("dd", box);
    const reckon = () => {
      const names = new Map([...Object.entries(columns), ...inputs.map((input) => [input.name, input.valueAsNumber])]);
      for (const input of inputs) input.nextElementSibling.textContent = input.value;
      outputs.forEach(({ steps, digits }, n) => { try { shown[n].textContent = compute(steps, names).toFixed(digits); } catch { shown[n].textContent = "–"; } });
    };
    for (const input of inputs) { input.parentElement.hidden = false; input.oninput = reckon; }
  }

  const open = () => {
    let name = "";
    try { name = decodeURIComponent(location.hash.slice(1)); } catch { }
    const place = document.getElementById(name), wanted = place?.closest("details") ?? place?.querySelector(":scope > details");
    for (let outer = wanted; outer; outer = outer.parentElement.closest("details")) outer.open = true;
    wanted?.scrollIntoView();
  };
  addEventListener("hashchange", open);
  queueMicrotask(open);

  // Keys: j and k go from row to row of a board, or from transcript to transcript.
  const STOP = "#board tbody tr, details.sample",
    typing = (event) => event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input:not([type=checkbox]), textarea, select");
  onkeydown = (event) => {
    if (typing(event) || !"jk".includes(event.key)) return;
    const stops = all(STOP).filter((stop) => stop.checkVisibility()), at = stops.indexOf(document.activeElement.closest(STOP)),
      next = stops[Math.max(0, Math.min(stops.length - 1, at + (event.key === "j" ? 1 : -1)))];
    next?.querySelector("summary, th a, button").focus();
    next?.scrollIntoView({ block: "nearest" });
  };
  onbeforeprint = () => { for (const part of all("section details:not(.sample)")) part.open = true; };
  return { all, lighten, make, reader, sort, sortable, sources, typing, unpack };
})();
