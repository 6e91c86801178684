const board = () => {
  const table = find("#board"), key = table.dataset.board, controls = find("#controls");
  const head = [...table.tHead.rows[0].cells], column = (name) => head.findIndex((th) => th.dataset.key === name);
  const at = { rank: column("rank"), drawn: head.findIndex((th) => th.querySelector(".hid")), number: column("number"), interval: column("number") + 1 };
  const rows = [...table.tBodies[0].rows], count = make("p", "count note"), slope = make("div", "slope"), tray = make("aside", "tray"), said = make("p", "pinned note");
  const changed = Object.values(at), names = Object.fromEntries(rows.map((row) => [row.dataset.id, row.dataset.model]));
  const kept = new Map([...rows, head, table.tFoot.querySelector("td.drawn")].map((row) => [row, [...(row.cells ? changed.map((n) => row.cells[n]) : Array.isArray(row) ? [row[at.number].firstElementChild] : [row])].map((node) => [node, [...node.childNodes]])]));
  let state = new URLSearchParams(), turn = 0;
  const change = (changes) => {
    for (const [name, value] of Object.entries(changes)) if (value) state.set(name, value); else state.delete(name);
    address(String(state));
    apply();
  };
  const chosen = () => (state.get("with") ?? "").split(",").filter((id) => Object.hasOwn(names, id)).slice(0, 4);
  const filters = all("[data-filter]", controls);
  const filter = () => {
    const words = (state.get("q") ?? "").toLowerCase().split(/\s+/).filter(Boolean);
    let left = 0;
    for (const row of rows) {
      const text = `${row.dataset.model} ${row.dataset.family}`.toLowerCase();
      row.hidden = !words.every((word) => text.includes(word)) || !filters.every((f) => !f.value || row.dataset[f.dataset.filter].startsWith(f.value));
      left += !row.hidden;
    }
    count.textContent = left === rows.length ? `${left} models` : `${left} of ${rows.length} models` + (left ? "" : ": none is so; clear the search or a filter");
  };
  const order = () => {
    const wanted = state.get("sort") ?? "", heading = head.find((th) => th.dataset.key && th.dataset.key === wanted.replace(/^-/, ""));
    for (const th of head) if (th.ariaSort) th.ariaSort = "none";
    table.tBodies[0].append(...rows);
    table.classList.toggle("turned", Boolean(heading || state.get("pin") || state.get("view")));
    if (heading) sort(heading, !wanted.startsWith("-"));
  };
  const restore = () => {
    for (const cells of kept.values()) for (const [node, inside] of cells) { node.replaceChildren(...inside); delete node.dataset.value; }
    for (const row of rows) { row.classList.remove("same", "pin"); all(".told", row).forEach((node) => node.remove()); }
    slope.replaceChildren();
    said.replaceChildren();
  };
  const write = (values, places, reference, ranks, name) => {
    const axis = axisOver([...Object.values(values).flatMap((v) => v ? [v.value, ...v.ci95] : []), reference]);
    const put = reference === undefined ? figure : signed;
    head[at.number].firstElementChild.textContent = name;
    table.tFoot.querySelector("td.drawn").replaceChildren(drawnAxis(axis));
    for (const row of rows) {
      const own = values[row.dataset.id] ?? null, cells = row.cells;
      cells[at.drawn].replaceChildren(drawn(axis, own?.value, own?.ci95, reference));
      cells[at.number].textContent = own ? put(own.value, places) : "\u2013";
      cells[at.number].dataset.value = own?.value ?? "";
      cells[at.interval].textContent = own ? ends(own.ci95, places, put) : "\u2013";
      if (ranks) cells[at.rank].textContent = rankOf(ranks[row.dataset.id]);
    }
  };
  const pin = (document_, pairs, id) => {
    const values = {};
    for (const row of rows) {
      const own = values[row.dataset.id] = difference(pairs, row.dataset.id, id);
      const is = row.dataset.id === id;
      const told = is ? "pinned" : !own ? "no difference known" : apart(own.ci95) ? "" : "\u2248 cannot be told apart";
      row.classList.toggle("same", !is && own !== null && told !== "");
      row.classList.toggle("pin", is);
      if (told) row.cells[at.rank + 1].append(make("span", "mark told", told));
    }
    write(values, digits(pairs.metric === "rating"), 0, null, "difference");
    said.replaceChildren(make("strong", "", names[id]), ` is pinned: each number is a model\u2019s ${measure(document_, pairs)} less that of the pinned one, with its 95 % interval. Where the interval holds 0, the two cannot be told apart. `, button("Unpin", () => change({ pin: "" })));
  };
  const moved = (document_, view) => {
    const value = (row) => row.rating ?? row.score, there = document_.rows.filter((row) => view.values[row.id] && value(row) !== null && !rows.find((r) => r.dataset.id === row.id)?.hidden);
    const before = [...there].sort((a, b) => value(b) - value(a)), after = [...there].sort((a, b) => view.values[b.id][0] - view.values[a.id][0]);
    const height = 22 * there.length + 26, y = (n) => 36 + 22 * n, short = (text) => text.length > 30 ? text.slice(0, 29) + "\u2026" : text;
    const svg = draw("svg", { width: "100%", height, role: "img", "aria-label": `Ranks of ${there.length} models on the board and by: ${view.name}. The table below has the same.` }, draw("text", { x: "34%", y: 14, "text-anchor": "end" }, "as the board stands"), draw("text", { x: "66%", y: 14 }, view.name));
    before.forEach((row, n) => {
      const m = after.indexOf(row), kind = m < n ? "up" : m > n ? "down" : "stay";
      const move = m === n ? "" : ` ${m < n ? "\u25b2" : "\u25bc"}${Math.abs(m - n)}`;
      svg.append(draw("line", { x1: "36%", x2: "64%", y1: y(n) - 4, y2: y(m) - 4, class: "moves " + kind }),
        draw("text", { x: "34%", y: y(n), "text-anchor": "end" }, short(row.model) + " " + rankOf(row.rank)),
        draw("text", { x: "66%", y: y(m), class: kind }, rankOf(view.ranks[row.id]) + " " + short(row.model) + move));
    });
    slope.replaceChildren(make("figure", "", svg, make("figcaption", "", "Each line is a model: left its place on the board, right by what is chosen. \u25b2 and \u25bc count the places it moves; the ranks beside the names are those it may have.")));
  };
  const apply = async () => {
    const mine = ++turn, view = state.get("view"), pinned = state.get("pin");
    find("#search").value = state.get("q") ?? "";
    for (const f of filters) { f.value = state.get(f.dataset.filter) ?? ""; if (f.selectedIndex < 0) f.value = ""; }
    filter();
    showTray();
    let ready = null;
    try {
      const documents = Object.hasOwn(names, pinned ?? "") ? [load("boards/" + key), load(`boards/${key}-pairs`)] : view ? [load("boards/" + key)] : [];
      ready = await Promise.all(documents);
    } catch (error) { ready = []; count.textContent += ". " + error.message; }
    if (mine !== turn) return;
    restore();
    const found = ready[0]?.views.find((v) => v.name === view);
    if (ready.length === 2) pin(...ready, pinned);
    else if (found) {
      write(Object.fromEntries(Object.entries(found.values).map(([id, [value, low, high]]) => [id, { value, ci95: low === null && high === null ? null : [low, high] }]).map(([id, v]) => [id, { ...v, ci95: v.ci95 ?? [v.value, v.value] }])), digits(ready[0].rated), undefined, found.ranks, found.name);
      moved(ready[0], found);
    }
    for (const row of rows) row.querySelector(".pinner").ariaPressed = String(ready.length === 2 && row.dataset.id === pinned);
    order();
    if (found && ready.length < 2 && !state.get("sort")) sort(head[at.number], false);
    const switch_ = find("#view select");
    if (switch_) switch_.value = found && ready.length < 2 ? view : "";
    table.dataset.ready = String(mine);
  };
  const showTray = () => {
    const ids = chosen();
    for (const row of rows) {
      const box = row.querySelector("input");
      box.checked = ids.includes(row.dataset.id);
      box.disabled = !box.checked && ids.length === 4;
    }
    tray.hidden = !ids.length;
    const link = make("a", "go", `Compare ${ids.length}`);
    link.href = `${root}compare.html#${key}/${ids[0]}/${ids[1]}` + (ids.length > 2 ? "?also=" + ids.slice(2).join(",") : "");
    tray.replaceChildren(...ids.map((id) => { const off = button(names[id] + " \u00d7", () => change({ with: chosen().filter((other) => other !== id).join(",") })); off.ariaLabel = `Take ${names[id]} out of the comparison`; return off; }), ids.length > 1 ? link : make("span", "", "and a second model, to compare"), button("Clear", () => change({ with: "" })));
  };
  for (const row of rows) {
    const id = row.dataset.id, box = make("input"), pinner = button("pin", () => change({ pin: state.get("pin") === id ? "" : id, view: "" }));
    box.type = "checkbox";
    box.ariaLabel = `Compare ${names[id]}`;
    box.addEventListener("change", () => change({ with: [...chosen().filter((other) => other !== id), ...(box.checked ? [id] : [])].join(",") }));
    pinner.className = "pinner";
    pinner.ariaLabel = `Pin ${names[id]}: show differences to it`;
    head.forEach((th, n) => { if (n > at.interval) row.cells[n].dataset.label = th.textContent; });
    row.cells[at.rank + 1].prepend(box);
    row.cells[at.rank + 1].append(" ", pinner);
  }
  for (const th of head) if (th.dataset.key) th.querySelector("button").addEventListener("click", () => {
    const name = th.dataset.key, down = !["rank", "model", "cost"].includes(name), now = state.get("sort");
    change({ sort: now === name ? "-" + name : now === "-" + name ? name : (down ? "-" : "") + name });
  });
  find("#search").addEventListener("input", (event) => change({ q: event.target.value }));
  for (const f of filters) f.addEventListener("change", () => change({ [f.dataset.filter]: f.value }));
  count.setAttribute("role", "status");
  tray.ariaLabel = "Models to compare";
  controls.after(count, slope, said);
  document.body.append(tray);
  controls.hidden = false;
  load("boards/" + key).then((found) => {
    if (!found.views.length) return;
    const label = choice("view", [["", "as the board stands"], ...found.views.map((v) => [v.name, v.name])], state.get("view") ?? "", (value) => change({ view: value, pin: "" }));
    label.id = "view";
    controls.append(label);
  }, () => {});
  const listen = () => { if (!location.hash || location.hash.includes("=")) { state = new URLSearchParams(location.hash.slice(1)); apply(); } };
  addEventListener("hashchange", listen);
  listen();
  addEventListener("keydown", (event) => {
    if (event.key === "/" && !typing(event)) { event.preventDefault(); find("#search").focus(); }
    if (event.key === "Escape" && event.target.id === "search") { change({ q: "" }); event.target.blur(); }
  });
};
if (find("#board")) board();
