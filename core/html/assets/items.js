// The list of a board's items: searched, filtered and sorted by what the address says.
const NEXT = 100, SHOWN = 3,
  mean = (values) => values.length ? values.reduce((sum, value) => sum + value, 0) / values.length : null,
  deviation = (values) => { const middle = mean(values); return values.length > 1 ? Math.sqrt(mean(values.map((value) => (value - middle) ** 2))) : null; },
  numbers = (values) => values.filter((value) => Number.isFinite(value));
const itemList = async (box) => {
  const key = box.dataset.board, table = find("#items"), body = table.tBodies[0], head = [...table.tHead.rows[0].cells],
    count = make("p", { className: "count note", role: "status" }), more = button("", () => append()), foot = make("p", "", more);
  let found;
  try { found = await load(`boards/${key}-items`); } catch (error) { return box.append(make("p", "mark", "Cannot be shown: " + error.message)); }
  const { models, remarks, criteria } = found, notes = notesOf(key),
    items = found.items.map(([id, path, parting, values, marks, words], n) => ({ id, n, path, parting, values, words, marks: new Map(marks.map(([model, ...own]) => [model, own])) })),
    at = new Map(items.map((item) => [item.id, item])), byCriterion = new Map(),
    unread = remarks.flatMap((text, n) => ["unscored", "failed"].includes(text) ? [n] : []);
  let state = new URLSearchParams(), turn = 0, shown = [], filter = "", saved = null, drawn = 0, hits = null, known = null, typed = 0, mine = null;
  const get = (name) => state.get(name) ?? "",
    number = (name, otherwise = null) => { const value = parseFloat(get(name)); return Number.isFinite(value) ? value : otherwise; },
    change = (changes, wait = 0) => {
    for (const [name, value] of Object.entries(changes)) if (value) state.set(name, value); else state.delete(name);
    address(String(state));
    clearTimeout(typed);
    typed = setTimeout(apply, wait);
  };

  // The numbers of a criterion: those of the main value are here, others come with the runs' own.
  const summed = (rows) => rows.map((values, n) => {
    const own = numbers(values);
    return { values, mean: mean(own), spread: deviation(own), parting: null, n };
  });
  byCriterion.set("", summed(items.map((item) => item.values)).map((row, n) => ({ ...row, parting: items[n].parting })));
  const numbersBy = (name) => {
    if (!byCriterion.has(name)) byCriterion.set(name, (async () => {
      const runs = await Promise.all(models.map(([, , run]) => load(`runs/${key}/${run}`))), rows = items.map(() => models.map(() => null));
      for (const [n, run] of runs.entries()) for (const row of run.items) {
        const item = at.get(row.item);
        if (item) rows[item.n][n] = mean(numbers(row.samples.map((values) => values[name])));
      }
      return summed(rows);
    })());
    return byCriterion.get(name);
  };
  const spreads = numbers(byCriterion.get("").map((row) => row.spread)).sort((a, b) => a - b),
    usual = +(spreads[spreads.length >> 1] ?? 0).toFixed(2);

  // Controls.
  const field = (name, label, more) => {
    const input = make("input", { type: "number", step: "any", ...more, oninput: () => change({ [name]: input.value }, 150) });
    return [input, make("label", "", label + " ", input)];
  };
  const tick = (name, label, ...more) => {
    const input = make("input", { type: "checkbox", onchange: () => change({ [name]: input.checked ? "1" : "" }) });
    return [input, make("label", "", input, label, ...more)];
  };
  const search = make("input", { type: "search", autocomplete: "off", placeholder: "words, or /pattern/", disabled: !found.parts, oninput: () => change({ q: search.value.slice(0, 1000) }, 200) }),
    select = (name, label, rows) => choice(label, rows, "", (value) => change({ [name]: value })),
    model = select("model", "model", [["", "all models"], ...models.map(([name, graded]) => [graded, name])]),
    remark = select("mark", "remarks", [["", "any or none"], ["unread", "unread"], ["flagged", "flagged"], ...remarks.map((text) => ["=" + text, text.replaceAll("_", " ")])]),
    by = select("by", "number", [["", found.value], ...criteria]),
    [low, lowLabel] = field("from", "from"), [high, highLabel] = field("to", "to"),
    [margin, marginLabel] = field("margin", "", { min: 0, placeholder: usual, ariaLabel: "Spread of models that differ" }),
    [differ, differLabel] = tick("differ", "models differ by at least"),
    [noted, notedLabel] = tick("noted", "noted"), [starred, starredLabel] = tick("starred", "starred"),
    clear = button("Clear (Esc)", () => { state = new URLSearchParams(); address(""); apply(); }),
    fields = [[search, "q"], [model.firstElementChild, "model"], [remark.firstElementChild, "mark"], [by.firstElementChild, "by"], [low, "from"], [high, "to"], [margin, "margin"]],
    boxes = [[differ, "differ"], [noted, "noted"], [starred, "starred"]];
  const kept = make("p", { className: "note kept" }), file = make("input", { type: "file", accept: ".json,application/json", hidden: true, onchange: () => take() }),
    said = make("span", { role: "status" });
  const take = async () => {
    try {
      const [given] = file.files;
      if (given.size > 2e7) throw Error("it has more than 20 MB");
      const read = notesIn(await given.text(), key), wrong = notes.write(read);
      said.textContent = wrong || `${read.length} notes read.`;
      apply();
    } catch (error) { said.textContent = `Nothing was read: ${error.message}.`; }
    file.value = "";
  };
  const named = (list) => list.map((one) => ({ ...one, model: one.model || models.find(([, graded]) => graded === one.run)?.[0] || "" }));
  kept.append("Notes and stars stay in this browser. ", button("Save as JSON", () => download(`notes-${key}.json`, "application/json", jsonOf(key, named(notes.list())))), " ", button("Save as CSV", () => download(`notes-${key}.csv`, "text/csv", csvOf(named(notes.list())))), " ", button("Read a JSON file", () => file.click()), file, " ", said);
  if (notes.wrong()) said.textContent = notes.wrong();
  const help = keys([
    [["/"], () => search.focus(), "search"], [["j"], () => step(1), "next item"], [["k"], () => step(-1), "item before"],
    [["Escape"], () => clear.click(), "clear search and filters"],
  ]);
  const step = (by) => {
    const links = all("tbody th a", table), now = links.indexOf(document.activeElement), to = links[now < 0 ? 0 : Math.max(0, Math.min(links.length - 1, now + by))];
    if (now === links.length - 1 && by > 0) append();
    to?.focus();
    to?.closest("tr").scrollIntoView({ block: "nearest" });
  };
  box.append(make("div", "controls filters", make("label", "search", "Search all texts ", search), model, remark, by, lowLabel, highLabel, make("span", "joined", differLabel, marginLabel), notedLabel, starredLabel), make("div", "counted", count, clear, help));
  if (!found.parts) count.before(make("p", "note", "The texts of this pack are not published here, so there is nothing to search."));
  table.closest(".scroll").after(foot, kept);

  // What is left, and in which order.
  const order = (rows, chosen) => {
    const sort = get("sort"), down = sort.startsWith("-"), name = sort.replace("-", "") || "value",
      sign = sort ? (down ? -1 : 1) : found.lower ? -1 : 1,
      values = { item: (item) => item.id, value: (item) => chosen < 0 ? rows[item.n].mean : rows[item.n].values[chosen], spread: (item) => rows[item.n].spread, parting: (item) => rows[item.n].parting },
      value = Object.hasOwn(values, name) ? values[name] : values.value;
    for (const [n, th] of head.entries()) th.ariaSort = ["item", "value", "spread", "parting"][n] === name ? (sign > 0 ? "ascending" : "descending") : "none";
    return (one, two) => {
      const a = value(one), b = value(two);
      if (a === null || b === null || a === undefined || b === undefined) return ((a ?? null) === null) - ((b ?? null) === null) || one.n - two.n;
      return (typeof a === "string" ? a.localeCompare(b, "en", { numeric: true }) : a - b) * sign || one.n - two.n;
    };
  };
  const passes = (rows, chosen) => {
    const from = number("from"), to = number("to"), least = number("margin", usual), mark = get("mark"),
      wanted = mark === "unread" ? unread : mark === "flagged" ? remarks.map((_, n) => n).filter((n) => !unread.includes(n)) : mark ? [remarks.indexOf(mark.slice(1))] : null;
    return (item) => {
      const row = rows[item.n], value = chosen < 0 ? row.mean : row.values[chosen], marks = chosen < 0 ? [...item.marks.values()].flat() : item.marks.get(chosen) ?? [];
      return (from === null || (value !== null && value >= from)) && (to === null || (value !== null && value <= to)) && (!get("differ") || (row.spread ?? -1) >= least)
        && (!wanted || marks.some((n) => wanted.includes(n))) && (!get("noted") || mine.noted.has(item.id)) && (!get("starred") || mine.starred.has(item.id)) && (!hits || hits.has(item.id));
    };
  };
  const look = searching(found, (text) => { count.textContent = text; }),
    texts = async () => {
    const query = get("q").trim();
    if (!query || !found.parts) { hits = known = null; return ""; }
    if (known !== query) {
      count.textContent = "Searching …";
      const read = await look(query);
      if (!read) return null;
      known = query;
      hits = new Map();
      hits.all = read;
    }
    hits.clear();
    const chosen = models.findIndex(([, graded]) => graded === get("model"));
    for (const hit of hits.all.hits) if (chosen < 0 || [-1, chosen].includes(hit[1])) { const own = hits.get(hit[0]); if (own) own.push(hit); else hits.set(hit[0], [hit]); }
    return hits.all.missing ? `, the texts of ${hits.all.missing} models could not be read` : "";
  };
  // Done, once what it shows is laid out.
  const ready = (now) => { void body.offsetHeight; Object.assign(document.body.dataset, { at: performance.now(), ready: now }); };
  const apply = async () => {
    const now = ++turn, own = notes.list(), about = (name) => new Set(own.filter((one) => one[name]).map((one) => one.item));
    mine = { noted: about("note"), starred: about("star") };
    for (const [input, name] of fields) { if (document.activeElement !== input || input.value !== get(name)) input.value = get(name); }
    for (const [input, name] of boxes) input.checked = Boolean(get(name));
    clear.hidden = ![...state.keys()].length;
    let missing = "", rows;
    try {
      missing = await texts();
      rows = await numbersBy(criteria.some(([name]) => name === get("by")) ? get("by") : "");
    } catch (error) { if (now === turn) { hits = known = null; shown = []; redraw([], -1); count.textContent = `Cannot be searched: ${error.message}.`; ready(now); } return; }
    if (now !== turn || missing === null) return;
    const chosen = models.findIndex(([, graded]) => graded === get("model"));
    filter = String(state);
    shown = items.filter(passes(rows, chosen)).sort(order(rows, chosen));
    redraw(rows, chosen);
    const left = (shown.length < items.length ? `${shown.length.toLocaleString("en")} of ` : "") + `${items.length.toLocaleString("en")} items`,
      sum = hits ? `, ${shown.reduce((n, item) => n + hits.get(item.id).length, 0).toLocaleString("en")} texts with “${get("q").slice(0, 60)}”` : "";
    count.textContent = left + sum + missing;
    ready(now);
  };

  // Rows are put in as they come into view.
  let current = [], one = -1;
  const redraw = (rows, chosen) => {
    [current, one, drawn] = [rows, chosen, 0];
    const title = criteria.find(([name]) => name === get("by"))?.[1] ?? found.value;
    head[1].firstElementChild.textContent = chosen < 0 ? `mean ${title}` : `${title} of ${models[chosen][0]}`;
    body.replaceChildren();
    append();
  };
  const append = () => {
    for (const item of shown.slice(drawn, drawn + NEXT)) body.append(...lines(item).map(lighten));
    drawn = Math.min(shown.length, drawn + NEXT);
    foot.hidden = drawn === shown.length;
    more.textContent = `Show more: ${(shown.length - drawn).toLocaleString("en")} are left`;
  };
  const place = (item, ...more) => ofList(item.path, filter, ...more);
  const lines = (item) => {
    const { values, mean, spread, parting } = current[item.n], ranked = numbers(values).sort((a, b) => found.lower ? a - b : b - a),
      end = (value) => {
      const n = values.indexOf(value);
      return make("td", "", n < 0 ? "–" : make("a", { href: place(item, models[n][1]) }, models[n][0]));
    };
    const name = make("th", { scope: "row" }, make("a", { href: place(item) }, item.id));
    if (item.words) name.append(" ", make("span", "muted", item.words));
    if (mine.starred.has(item.id)) name.append(make("span", { className: "starred", title: "starred" }, " ★"));
    if (mine.noted.has(item.id)) name.append(make("span", "mark", "note"));
    for (const n of new Set(one < 0 ? [] : item.marks.get(one))) name.append(make("span", "mark", remarks[n].replaceAll("_", " ")));
    const row = make("tr", "", name, ...[one < 0 ? mean : values[one], spread, parting].map((value) => make("td", "num", figure(value))), end(ranked[0]), end(ranked.at(-1)));
    return hits ? [row, hitsOf(item)] : [row];
  };
  const hitsOf = (item) => {
    const list = make("ul", "plain"), own = hits.get(item.id),
      put = (some) => list.append(...some.map(([, run, iteration, kind, before, hit, after]) => make("li", "", make("a", { className: "who", href: run < 0 ? place(item) : place(item, models[run][1], ...iteration > 1 ? [iteration] : []) }, run < 0 ? "question" : models[run][0] + (kind === "answer" ? "" : ", " + kind) + (iteration > 1 ? `, iteration ${iteration}` : "")), " ", make("span", "said", before, make("mark", "", hit), after))));
    put(own.slice(0, SHOWN));
    const td = make("td", { colSpan: 6 }, list);
    if (own.length > SHOWN) td.append(button(`${own.length - SHOWN} more`, ({ target }) => { put(own.slice(SHOWN)); lighten(list); target.remove(); }));
    return make("tr", "hits", td);
  };
  for (const [n, name] of ["item", "value", "spread", "parting"].entries()) head[n].firstElementChild.onclick = () => {
    const first = name === "item" || name === "value" && !found.lower ? name : "-" + name, now = get("sort");
    change({ sort: now === first ? (first[0] === "-" ? name : "-" + name) : first });
  };
  for (const th of head.slice(4)) { th.removeAttribute("aria-sort"); th.replaceChildren(th.textContent); }
  new IntersectionObserver((seen) => { if (seen.some((one) => one.isIntersecting) && drawn < shown.length) append(); }, { rootMargin: "600px" }).observe(more);
  const keep = () => {
    if (saved !== shown) lists(key, { by: filter, paths: shown.map((item) => item.path), filtered: shown.length < items.length });
    saved = shown;
  };
  for (const name of ["pointerdown", "keydown"]) table.addEventListener(name, keep);  // a link may open in another tab
  addEventListener("pagehide", keep);
  const listen = () => { state = new URLSearchParams(location.hash.slice(1)); apply(); };
  addEventListener("hashchange", listen);
  listen();
};
if (find("#work")) itemList(find("#work"));
