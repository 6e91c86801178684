// What two models come to, in the words of bench compare.
const statement = (pairs, { rated }, a, b) => {
  const gap = gapOf(pairs, a.id, b.id), places = digits(pairs), tied = rated && a.tied_with.includes(b.model),
    which = !gap ? "none" : !told(gap) ? "alone" : tied || !apart(gap.ci95) ? "neither" : gap.value < 0 ? "less" : "more",
    interval = (which === "less" ? gap.ci95.map((end) => -end).reverse() : gap?.ci95 ?? []).map((end) => figure(end, places)).join(" … "),
    values = { a: a.model, b: b.model, number: pairs.number, interval, gap: gap && (which === "neither" ? signed(gap.value, places) : figure(Math.abs(gap.value), places)) };
  return pairs.sentences[which].replace(/\{(\w+)\}/g, (_, name) => values[name]);
};
// Two models by address: compare.html#BOARD/ROW/ROW/ITEM/ITERATION?also=ROW,ROW
const comparison = () => {
  const put = (id, ...inside) => { find("#" + id).hidden = !inside.length; find(`#${id} .put`).replaceChildren(...inside); };
  const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length,
    valuesOf = (run, name) => new Map((run?.items ?? []).map((item) => [item.item, item.samples.map((values) => values[name]).filter(Number.isFinite)]).filter(([, values]) => values.length).map(([item, values]) => [item, mean(values)])),
    shared = (one, two, name) => {
    const a = valuesOf(one, name), b = valuesOf(two, name);
    return [...a].filter(([item]) => b.has(item)).map(([item, value]) => [item, value, b.get(item)]);
  };
  // Intervals are those of the data; a pair without one has its difference alone.
  const paired = (rows, known) => ({ value: mean(rows.map(([, a, b]) => a - b)), ci95: null, ...known, n: rows.length });
  const forest = (caption, rows, places) => chart(caption, ["difference", "95 % interval", "", "items"].slice(0, rows[0].n ? 4 : 3), rows.map((row) => {
    const ci95 = told(row) ? row.ci95 : null, word = !ci95 ? "no interval" : apart(ci95) ? "leaves out 0" : "≈ holds 0";
    return { ...row, ci95, kind: apart(ci95) ? "sure" : "", cells: [signed(row.value, places), ends(ci95, places, signed), word, ...row.n ? [String(row.n)] : []] };
  }), 0);
  const onBoard = (found, { sentences }, a, b) => found.rated || !a.rank || !b.rank ? "" : sentences[a.tied_with.includes(b.model) ? "tied" : "apart"];
  // The words are those of bench compare.
  const settle = (pairs, one, two, found) => {
    if (!told(found)) return ["An interval, which needs items with eight different texts that both have scored."];
    const words = pairs.settle[pairOf(pairs, one, two)];
    return apart(found.ci95) ? [] : [words ? words[0].toUpperCase() + words.slice(1) + "." : "Not planned here, where only models near each other are: bench compare plans it."];
  };
  const changed = (a, b, [one, two]) => {
    if (!one || !two) return [];
    const both = [one, two].map((run) => new Map(run.facts)), [x, y] = both,
      rows = [...new Set([...x.keys(), ...y.keys()])].filter((name) => x.get(name) !== y.get(name))
        .map((name) => make("tr", "", make("th", { scope: "row" }, name), ...both.map((facts) => make("td", "", facts.get(name) ?? "–"))));
    return rows.length ? [make("table", "data facts", make("thead", "", make("tr", "", ...["", a.model, b.model].map((text) => make("th", { scope: "col" }, text || make("span", "hid", "setting"))))), make("tbody", "", ...rows))] : [make("p", "", "Nothing that is recorded.")];
  };
  // The items that made the difference: of each one a button that shows both answers.
  const MOST = 5,
    most = (title, rows, open) => make("div", "", make("h3", "", title), rows.length ? make("ol", "", ...rows.map(([id, x, y]) => make("li", "", button(id, () => open(id)), make("span", "num", `${signed(x - y)} (${figure(x)}, ${figure(y)})`)))) : make("p", "note", "None."));
  const pane = async (row, run, item, iteration) => {
    const found = run?.items.find((one) => one.item === item), to = found && root + found.page + (found.page.includes("#") ? "/" : "#") + run.graded,
      box = make("div", "", make("h3", "", found ? make("a", { href: to }, row.model) : row.model));
    if (!found?.texts) { box.append("Its texts are not here."); return { box }; }
    const parts = await textsOf(found.texts), { read } = parts.find((one) => one.iteration === +iteration) ?? parts[0];
    box.append(...reader({ ...read, compared: [] }, `${row.model}, ${item}`));
    return { box, compared: read.compared, iterations: parts.map((one) => one.iteration) };
  };
  const orders = (a, b, compared) => {
    const rows = compared.filter((row) => row[0] === b.model), results = new Set(rows.map((row) => row[2]).filter((result) => result !== "not read")),
      list = rows.map(([, order, result, margins]) => make("li", "", make("strong", "", `${order === "shown first" ? a.model : b.model} shown first: `), `${{ won: a.model + " won", lost: b.model + " won" }[result] ?? result}. `, make("span", "muted", margins))),
      flip = results.size > 1 ? make("p", "mark", "Flip: the result changes with the order of the texts.") : make("p", "note", !rows.length ? "Not compared." : rows.length > 1 ? "No flip." : "One order only.");
    return [lighten(make("ul", "orders", ...list)), flip];
  };
  let last = 0;
  const show = async () => {
    const mine = ++last, [path, rest = ""] = location.hash.slice(1).split("?also=");
    try {
      const [key, one, two, item, iteration] = path.split("/").map(decodeURIComponent);
      if (!two) return;
      const board = await load("boards/" + key), pairs = await load(`boards/${key}-pairs`),
        row = (id) => { const found = board.rows.find((r) => r.id === id); if (!found) throw Error(`${id} is no model of the board ${key}`); return found; };
      const a = row(one), b = row(two), tray = [...new Set([one, two, ...rest.split(",").filter(Boolean)])].map(row),
        runs = await Promise.all([a, b].map((r) => r.href && r.runs[0] && load(`runs/${key}/${r.runs[0]}`))),
        go = (...parts) => {
        const also = tray.map((r) => r.id).filter((id) => !parts.includes(id));
        address(parts.map(encodeURIComponent).join("/") + (also.length ? "?also=" + also : ""));
        return show();
      };
      const panes = item && await Promise.all([a, b].map((r, n) => pane(r, runs[n], item, iteration)));
      if (mine !== last) return;
      const names = board.rows.map((r) => [r.id, r.model]), found = gapOf(pairs, one, two), places = digits(pairs), what = measure(board, pairs), name = board.rated ? "rating" : board.metric.label;
      put("choose", make("p", "note", "Board: ", make("a", { href: `${root}boards/${key}.html` }, board.title)), make("div", "controls", choice("first", names, one, (id) => go(key, id, two)), choice("second", names, two, (id) => go(key, one, id))));
      const own = [a, b].map((r, series) => { const value = r.rating ?? r.score, ci95 = r.rating_ci95 ?? r.score_ci95; return { name: r.model, value, ci95, series, cells: [figure(value, digits(board)), ends(ci95, digits(board)), rankOf(r.rank)] }; });
      const each = tray.flatMap((r, n) => tray.slice(n + 1).map((s) => ({ ...gapOf(pairs, r.id, s.id), name: `${r.model} less ${s.model}` }))).filter(told);
      put("result", make("p", "verdict", [statement(pairs, board, a, b), onBoard(board, pairs, a, b)].filter(Boolean).join("; ") + "."), ...each.length ? [forest(`Difference in ${what}`, each, places)] : [], chart("On the board", [name, "95 % interval", "rank"], own), make("p", "note", `Differences: ${pairs.method}.`));
      const lines = shared(...runs, runs[0]?.value).sort((x, y) => Math.abs(y[1] - y[2]) - Math.abs(x[1] - x[2])),
        criteria = board.criteria.map((c) => ({ ...paired(shared(...runs, c.name), gapOf({ models: pairs.models, rows: pairs.criteria[c.name] ?? {} }, one, two)), name: c.label })).filter((c) => c.n);
      const open = async (id) => { await go(key, one, two, id); find("#texts").scrollIntoView(); }, up = (board.metric.higher_is_better === false ? -1 : 1),
        won = (way) => lines.filter(([, x, y]) => way * up * (x - y) > 0).slice(0, MOST);
      put("settle", ...found ? settle(pairs, one, two, found) : []);
      put("changed", ...changed(a, b, runs));
      put("most", ...lines.length ? [most(`${a.model} did better`, won(1), open), most(`${b.model} did better`, won(-1), open)] : []);
      put("criteria", ...criteria.length ? [forest(`${a.model} less ${b.model}`, criteria)] : []);
      const table = make("table", "data", heads(["item", a.model, b.model, "difference"].map((text) => make("button", "", text))), make("tbody", "", ...lines.map(([id, x, y]) => line(id === item ? "own" : "", button(id, () => open(id)), figure(x), figure(y), signed(x - y)))));
      for (const th of all("th[scope=col]", table)) th.ariaSort = "none";
      sortable(table);
      put("items", ...lines.length ? [table] : []);
      put("texts", ...panes ? [make("h3", "", item), ...panes[0].iterations?.[1] ? [choice("iteration", panes[0].iterations.map((n) => [n, n]), iteration ?? panes[0].iterations[0], (n) => go(key, one, two, item, n))] : [], ...orders(a, b, panes[0].compared ?? []), make("div", "beside", ...panes.map((p) => p.box))] : []);
      document.body.dataset.ready = mine;
    } catch (error) { put("choose", make("p", "mark", "Cannot be shown: " + error.message)); }
  };
  addEventListener("hashchange", show);
  show();
};
if (find("#choose")) comparison();
