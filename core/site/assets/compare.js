// Two models by address: compare.html#BOARD/ROW/ROW/ITEM?also=ROW,ROW
const comparison = () => {
  const put = (id, ...inside) => { const part = find("#" + id); part.hidden = !inside.length; part.lastElementChild.replaceChildren(...inside); };
  const note = (...inside) => make("p", "note", ...inside);
  let last = 0;
  const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const valuesOf = (run, name) => new Map(run.items.map((item) => [item.item, item.samples.map((s) => s.values[name]).filter(Number.isFinite)]).filter(([, values]) => values.length).map(([item, values]) => [item, mean(values)]));
  // The mean of paired differences with Student's t, whose quantile is expanded around the normal's.
  const paired = (one, two, name) => {
    const a = valuesOf(one, name), b = valuesOf(two, name), gaps = [...a.keys()].filter((item) => b.has(item)).map((item) => a.get(item) - b.get(item));
    const n = gaps.length, d = mean(gaps);
    if (n < 2) return { n, value: n ? d : null, ci95: null };
    const z = 1.959964, f = n - 1, t = z + (z ** 3 + z) / (4 * f) + (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * f * f);
    const half = t * Math.sqrt(gaps.reduce((sum, gap) => sum + (gap - d) ** 2, 0) / f / n);
    return { n, value: d, ci95: n < 8 ? null : [d - half, d + half] };
  };
  const told = (ci95) => !ci95 ? "no interval" : apart(ci95) ? "told apart" : "\u2248 not told apart";
  const forest = (caption, rows, places) => chart(caption, ["", "", "difference", "95 % interval", "", ...(rows[0].n ? ["items"] : [])], rows.map((row) => ({ ...row, kind: apart(row.ci95) ? "sure" : "same", cells: [signed(row.value, places), ends(row.ci95, places, signed), told(row.ci95), ...(row.n ? [String(row.n)] : [])] })), 0);
  const sentence = (a, b, found, what, up, places) => {
    if (!found) return `Of ${a.model} and ${b.model} no sample is known that both have answered, so their difference is not known.`;
    const by = `${figure(Math.abs(found.value), places)} (95 % interval of the difference ${ends(found.ci95, places, signed)})`;
    if (!apart(found.ci95)) return `${a.model} and ${b.model} cannot be told apart: they differ by ${by} in ${what}.`;
    const [high, low] = found.value > 0 ? [a, b] : [b, a], [best, other] = up === false ? [low, high] : [high, low];
    return up === null ? `${high.model} is higher than ${low.model} by ${by} in ${what}; neither end is the better one.` : `${best.model} is better than ${other.model} by ${by} in ${what}.`;
  };
  const settle = (a, b, found, n) => {
    if (!found || found.ci95.includes(null)) return "Samples that both have answered.";
    if (apart(found.ci95)) return "Nothing more is needed: the 95 % interval of the difference does not hold 0. How large the difference is would be known twice as exactly with four times as many items.";
    const half = (found.ci95[1] - found.ci95[0]) / 2, times = (2.802 / 1.96 * half / found.value) ** 2;
    if (!(times < 1000)) return "The two are so close that no number of items one would ask tells them apart: more than a thousand times as many.";
    const spent = a.cost_usd === null || b.cost_usd === null ? "what they would cost is not known" : `at what the ${n} have cost that is $${((a.cost_usd + b.cost_usd) * (times - 1)).toFixed(2)} more`;
    return `If the difference is what it seems, about ${Math.ceil(times * n)} items like the ${n} that both have answered (${times.toFixed(1)} times as many) would tell them apart with a probability of 80 %; ${spent}. Further iterations of the same items help less.`;
  };
  const pane = async (row, run, item, iteration) => {
    const found = run?.items.find((one) => one.item === item), box = make("div", "", make("h3", "", row.model));
    if (!found?.texts) box.append(note("The texts of this sample are not in this site."));
    else {
      const parts = await load(found.texts), part = parts.find((one) => String(one.iteration) === iteration) ?? parts[0], read = await unpack(part.packed);
      box.append(...reader({ ...read, compared: [] }, `${row.model}, ${item}`));
      box.compared = read.compared;
      box.iterations = parts.map((one) => String(one.iteration));
    }
    return box;
  };
  const orders = (a, b, compared) => {
    const rows = compared.filter((row) => row[0] === b.model), results = new Set(rows.map((row) => row[2]).filter((result) => result !== "not read"));
    if (!rows.length) return note("The judge has not compared these two texts side by side.");
    const list = make("ul", "orders", ...rows.map(([, order, result, margins]) => make("li", "", make("strong", "", `${order === "shown first" ? a.model : b.model} shown first: `), `${{ won: a.model + " won", lost: b.model + " won" }[result] ?? result}. `, make("span", "muted", margins))));
    return make("div", "", list, results.size > 1 ? make("p", "mark", "Flip: the result changes with the order of the texts.") : note(rows.length > 1 ? "No flip: the result is the same in both orders." : "Only one order was asked."));
  };
  const show = async () => {
    const mine = ++last, [path, rest = ""] = location.hash.slice(1).split("?also=");
    try {
      const [key, one, two, item, iteration] = path.split("/").map(decodeURIComponent);
      if (!two) return;
      const [board, pairs] = await Promise.all([load("boards/" + key), load(`boards/${key}-pairs`)]);
      const row = (id) => { const found = board.rows.find((r) => r.id === id); if (!found) throw new Error(`no model of the board ${key} has the id ${id}`); return found; };
      const a = row(one), b = row(two), also = rest.split(",").filter((id) => board.rows.some((r) => r.id === id)), tray = [...new Set([one, two, ...also])].map(row);
      const [first, second] = await Promise.all([a, b].map((r) => r.href && r.runs[0] ? load("runs/" + r.runs[0]).catch(() => null) : null));
      const go = (...parts) => { address(parts.map(encodeURIComponent).join("/") + (tray.length > 2 ? "?also=" + tray.map((r) => r.id).filter((id) => !parts.slice(1, 3).includes(id)).join(",") : "")); return show(); };
      const names = board.rows.map((r) => [r.id, r.model]), found = difference(pairs, one, two), rated = pairs.metric === "rating", places = digits(rated);
      const what = measure(board, pairs), shared = first && second ? paired(first, second, first.value) : { n: 0 };
      const criteria = first && second ? board.criteria.map((c) => ({ ...paired(first, second, c.name), name: c.label })).filter((c) => c.value !== null) : [];
      const text = item && await Promise.all([pane(a, first, item, iteration), pane(b, second, item, iteration)]);
      if (mine !== last) return;
      const link = make("a", "", board.title);
      link.href = `${root}boards/${key}.html`;
      put("choose", make("p", "note", "Board: ", link), make("div", "controls", choice("first", names, one, (id) => go(key, id, two)), choice("second", names, two, (id) => go(key, one, id)), button("Swap", () => go(key, two, one))));
      const own = [a, b].map((r, n) => ({ name: r.model, value: r.rating ?? r.score, ci95: r.rating_ci95 ?? r.score_ci95, series: n, cells: [figure(r.rating ?? r.score, digits(board.rated)), ends(r.rating_ci95 ?? r.score_ci95, digits(board.rated)), rankOf(r.rank)] }));
      const all_ = tray.flatMap((r, n) => tray.slice(n + 1).map((s) => [r, s, difference(pairs, r.id, s.id)])).filter((p) => p[2]).map(([r, s, d]) => ({ ...d, name: `${r.model} less ${s.model}` }));
      put("result", make("p", "verdict", sentence(a, b, found, what, board.metric.higher_is_better, places)), ...(all_.length ? [forest(`Difference in ${what}`, all_, places)] : []), chart(`On the board: ${board.rated ? "rating" : board.metric.label}`, ["", "", board.rated ? "rating" : "score", "95 % interval", "rank"], own), note(pairs.method ? `Differences: ${pairs.method}.` : ""));
      put("settle", make("p", "", settle(a, b, found, shared.n)));
      put("criteria", ...(criteria.length ? [forest(`${a.model} less ${b.model}`, criteria), note(`Paired over the items that both have answered, with Student\u2019s t from eight items on. Of ${criteria.length} criteria without any difference, about ${figure(criteria.length / 20, 1)} would still stand apart by chance.`)] : [note("Nothing is known by criterion of these two.")]));
      const there = first && second ? [valuesOf(first, first.value), valuesOf(second, second.value)] : [new Map(), new Map()];
      const lines = [...there[0].keys()].filter((id) => there[1].has(id)).map((id) => [id, there[0].get(id), there[1].get(id)]).sort((x, y) => Math.abs(y[1] - y[2]) - Math.abs(x[1] - x[2]));
      const table = make("table", "data", make("caption", "", "The items on which the two differ most come first; an item opens both transcripts."));
      table.createTHead().append(heads(["item", a.model, b.model, "difference"], 1, true));
      table.createTBody().append(...lines.map(([id, x, y]) => make("tr", id === item ? "own" : "", cell("th", "", button(id, async () => { await go(key, one, two, id); find("#texts").scrollIntoView(); })), ...[figure(x), figure(y), signed(x - y, 2)].map((value) => cell("td", "num", value)))));
      sortable(table);
      put("items", ...(lines.length ? [make("div", "scroll", table)] : [note("No item is known that both have answered.")]));
      const iterations = text ? text[0].iterations ?? [] : [];
      put("texts", ...(text ? [make("h3", "", item), ...(iterations.length > 1 ? [choice("iteration", iterations.map((n) => [n, n]), iteration ?? iterations[0], (n) => go(key, one, two, item, n))] : []), orders(a, b, text[0].compared ?? []), make("div", "beside", ...text)] : [note("Choose an item above to read both transcripts.")]));
      document.title = `${a.model} and ${b.model} \u2013 eibench`;
      document.body.dataset.ready = String(mine);
    } catch (error) { put("choose", make("p", "mark", "This comparison cannot be shown: " + error.message)); }
  };
  addEventListener("hashchange", show);
  show();
};
if (find("#choose")) comparison();
