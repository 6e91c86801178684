const board = () => {
  const table = find("#board"), key = table.dataset.board, controls = find("#controls"), body = table.tBodies[0],
    head = [...table.tHead.rows[0].cells], rows = [...body.rows], foot = find("#board tfoot .drawn"),
    NAME = 1, DRAWN = 2, NUMBER = 3, ENDS = 4,
    names = Object.fromEntries(rows.map((row) => [row.dataset.id, row.dataset.model])),
    known = (id) => Object.hasOwn(names, id ?? ""),
    count = make("p", { className: "count note", role: "status" }), slope = make("div", "slope"), said = make("p", "pinned note"), tray = make("aside", { className: "tray", ariaLabel: "Models to compare" }),
    kept = [foot, head[NUMBER].firstElementChild, ...rows.flatMap((row) => [0, DRAWN, NUMBER, ENDS].map((n) => row.cells[n]))].map((node) => [node, [...node.childNodes]]),
    filters = all("[data-filter]", controls), sliders = all("[data-adjust]", controls), search = find("#search");
  let state = new URLSearchParams(), turn = 0;
  const get = (name) => state.get(name) ?? "",
    change = (changes) => {
    for (const [name, value] of Object.entries(changes)) if (value) state.set(name, value); else state.delete(name);
    address(String(state));
    apply();
  };
  const tick = (id, into) => change({ with: [...chosen().filter((other) => other !== id), ...(into ? [id] : [])].join() }),
    chosen = () => get("with").split(",").filter(known).slice(0, 4),
    filter = () => {
    const words = get("q").toLowerCase().split(/\s+/);
    search.value = get("q");
    for (const f of filters) { f.value = get(f.dataset.filter); if (f.selectedIndex < 0) f.value = ""; }
    for (const row of rows) {
      const text = `${row.dataset.model} ${row.dataset.family}`.toLowerCase();
      row.hidden = !words.every((word) => text.includes(word)) || !filters.every((f) => ["", row.dataset[f.dataset.filter]].includes(f.value));
    }
    const left = rows.filter((row) => !row.hidden).length;
    count.textContent = (left < rows.length ? `${left} of ` : "") + `${rows.length} model${rows.length === 1 ? "" : "s"}`;
  };
  const order = (viewed) => {
    const wanted = get("sort") || (viewed ? "-number" : ""), heading = head.find((th) => wanted && th.dataset.key === wanted.replace(/^-/, ""));
    for (const th of head) if (th.ariaSort) th.ariaSort = "none";
    body.append(...rows);
    table.classList.toggle("turned", Boolean(heading || said.firstChild));
    if (heading) sort(heading, wanted[0] !== "-");
  };
  const restore = () => {
    for (const [node, inside] of kept) { node.replaceChildren(...inside); delete node.dataset.value; }
    for (const row of rows) row.classList.remove("same", "pin");
    for (const node of [...all(".told", table)]) node.remove();
    slope.replaceChildren();
    said.replaceChildren();
  };
  const write = (values, name, places, zero) => {
    const axis = axisOver([...Object.values(values).flatMap((v) => v ? [v.value, ...v.ci95 ?? []] : []), zero]), put = zero === 0 ? signed : figure;
    head[NUMBER].firstElementChild.textContent = name;
    foot.replaceChildren(drawnAxis(axis));
    for (const row of rows) {
      const own = values[row.dataset.id];
      row.cells[DRAWN].replaceChildren(drawn(axis, own ?? {}, zero));
      row.cells[NUMBER].textContent = put(own?.value, places);
      row.cells[NUMBER].dataset.value = own?.value ?? "";
      row.cells[ENDS].textContent = ends(own?.ci95, places, put);
    }
  };
  const pin = (found, pairs, id) => {
    const values = {}, tied = found.rows.find((row) => row.id === id).tied_with;
    for (const row of rows) {
      const own = values[row.dataset.id] = gapOf(pairs, row.dataset.id, id), is = row.dataset.id === id, same = tied.includes(names[row.dataset.id]);
      row.classList.toggle("same", Boolean(same));
      row.classList.toggle("pin", is);
      if (is || same || !own) row.cells[NAME].append(make("span", "mark told", is ? "pinned" : same ? "≈ cannot be told apart" : "no difference known"));
    }
    write(values, "difference", digits(pairs), 0);
    said.append(make("strong", "", names[id]), ` is pinned: differences to it in ${measure(found, pairs)}, with 95 % intervals of each pair; what cannot be told apart is so of all pairs at once. `, button("Unpin", () => change({ pin: "" })));
  };
  const move = (found, view) => {
    const there = found.rows.filter((row) => view.values[row.id] && !rows.find((r) => r.dataset.id === row.id).hidden), short = (text) => text.length > 30 ? text.slice(0, 29) + "…" : text,
      after = [...there].sort((a, b) => view.values[b.id][0] - view.values[a.id][0]), y = (n) => 36 + 22 * n,
      svg = draw("svg", { width: "100%", height: y(there.length), role: "img", "aria-label": `Ranks: ${view.name}` }, place("34%", 14, "end", "as the board stands"), place("66%", 14, "start", view.name));
    there.forEach((row, n) => {
      const m = after.indexOf(row), kind = m < n ? "up" : m > n ? "down" : "", moved = m < n ? ` ▲${n - m}` : m > n ? ` ▼${m - n}` : "";
      svg.append(draw("line", { x1: "36%", x2: "64%", y1: y(n) - 4, y2: y(m) - 4, class: "moves " + kind }), place("34%", y(n), "end", `${short(row.model)} ${rankOf(row.rank)}`), place("66%", y(m), "start", `${rankOf(view.ranks[row.id])} ${short(row.model)}${moved}`, kind));
    });
    slope.append(make("figure", "", svg, make("figcaption", "", "▲ ▼ count places; numbers are the ranks a model may have.")));
    for (const row of rows) row.cells[0].textContent = rankOf(view.ranks[row.dataset.id]);
    write(Object.fromEntries(Object.entries(view.values).map(([id, [value, low, high]]) => [id, { value, ci95: low ?? high ?? null ? [low, high] : null }])), view.name, digits(found));
  };
  const unadjusted = Object.fromEntries(sliders.map((s) => ["adjust-" + s.dataset.adjust, ""])),
    percent = (slider) => Math.max(0, Math.min(100, +get("adjust-" + slider.dataset.adjust) || 0));
  const apply = async () => {
    const mine = ++turn, id = known(get("pin")) && get("pin"), ids = chosen(), strengths = sliders.map((s) => id || get("view") ? 0 : percent(s) / 100), adjusts = strengths.some(Boolean);
    sliders.forEach((s, n) => { s.value = 100 * strengths[n]; s.nextElementSibling.textContent = s.value; });
    filter();
    for (const row of rows) {
      const box = row.querySelector("input");
      box.checked = ids.includes(row.dataset.id);
      box.disabled = !box.checked && ids.length > 3;
      row.querySelector(".pinner").ariaPressed = String(row.dataset.id === id);
    }
    tray.hidden = !ids.length;
    const href = `${root}compare.html#${key}/${ids[0]}/${ids[1]}` + (ids.length > 2 ? "?also=" + ids.slice(2) : "");
    tray.replaceChildren(...ids.map((one) => button(names[one] + " ×", () => tick(one), { ariaLabel: `Take out ${names[one]}` })), ids.length > 1 ? make("a", { className: "go", href }, `Compare ${ids.length}`) : "and a second model", button("Clear", () => change({ with: "" })));
    let found, pairs;
    try {
      if (id || get("view") || adjusts) found = await load("boards/" + key);
      if (id) pairs = await load(`boards/${key}-pairs`);
    } catch (error) { count.append(". " + error.message); }
    if (mine !== turn) return;
    restore();
    const view = !id && (adjusts ? found && adjusted(found.adjusting, strengths) : found?.views.find((v) => v.name === get("view")));
    if (pairs) pin(found, pairs, id);
    else if (view) {
      move(found, view);
      if (adjusts) for (const { id, score } of found.rows) rows.find((row) => row.dataset.id === id).cells[NUMBER].append(make("span", "muted", ` (${figure(score)})`));
    }
    order(view);
    const views = find("#view select");
    if (views) views.value = view && !adjusts ? view.name : "";
    table.dataset.ready = mine;
  };
  for (const row of rows) {
    const id = row.dataset.id, cell = row.cells[NAME];
    head.forEach((th, n) => { if (n > ENDS) row.cells[n].dataset.label = th.textContent; });
    cell.prepend(make("input", { type: "checkbox", ariaLabel: `Compare ${names[id]}`, onchange: ({ target }) => tick(id, target.checked) }));
    cell.append(" ", button("pin", () => change({ pin: get("pin") === id ? "" : id, view: "", ...unadjusted }), { className: "pinner", ariaLabel: `Pin ${names[id]}` }));
  }
  for (const th of head) if (th.dataset.key) th.firstElementChild.onclick = () => {
    const name = th.dataset.key, now = get("sort"), up = ["rank", "model", "cost"].includes(name) ? now !== name : now === "-" + name;
    change({ sort: (up ? "" : "-") + name });
  };
  search.oninput = () => change({ q: search.value });
  for (const f of filters) f.onchange = () => change({ [f.dataset.filter]: f.value });
  for (const s of sliders) s.oninput = () => change({ ["adjust-" + s.dataset.adjust]: +s.value ? s.value : "", view: "", pin: "" });
  controls.after(count, slope, said);
  document.body.append(tray);
  controls.hidden = false;
  const listen = () => { if (!location.hash || location.hash.includes("=")) { state = new URLSearchParams(location.hash.slice(1)); apply(); } };
  addEventListener("hashchange", listen);
  addEventListener("keydown", (event) => {
    if (event.key === "/" && !typing(event)) { event.preventDefault(); search.focus(); }
  });
  load("boards/" + key).then((found) => {
    if (found.views.length) controls.append(choice("view", [["", "as the board stands"], ...found.views.map((v) => [v.name, v.name])], get("view"), (view) => change({ view, pin: "", ...unadjusted }), "view"));
  }, () => {});
  if (location.hash.includes("=")) listen(); else apply();
};
if (find("#board")) board();
