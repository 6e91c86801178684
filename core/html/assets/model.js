// A model beside another on each board that has both: their numbers, criteria, and the items that differ most.
const besideAnother = (box) => {
  const MOST = 5, own = find("h1").textContent, put = box.querySelector(".put"),
    boards = all("section[data-board]").map(({ dataset }) => ({ ...dataset, places: ["profile", "gains"].map((name) => find(`[data-${name}="${dataset.board}"]`)) }));
  const kept = new Map(boards.flatMap(({ places }) => places).filter(Boolean).map((place) => [place, [...place.childNodes]])),
    shape = (n) => n ? draw("rect", { x: -4, y: -4, width: 8, height: 8, class: "point s1" }) : draw("circle", { r: 4.5, class: "point s0" });
  const keys = (names) => make("ul", "keys", ...names.map((name, n) => make("li", "", draw("svg", { width: 14, height: 14, class: "key", "aria-hidden": "true" }, draw("g", { transform: "translate(7 7)" }, shape(n))), " " + name))),
    cell = (label, text, kind = "num") => { const td = make("td", kind, text); td.dataset.label = label; return td; },
    headed = (columns) => make("thead", "", make("tr", "", ...columns.map(([text, kind]) => make("th", { scope: "col", className: kind ?? "" }, text || make("span", "hid", "drawing"))))),
    word = ({ ci95 }) => !told({ ci95 }) ? "no interval" : apart(ci95) ? "leaves out 0" : "≈ holds 0";
  const both = (axis, pair) => {
    const svg = canvas(38);
    pair.forEach((mark, n) => {
      const one = drawn(axis, mark ?? {}, undefined, n);
      one.setAttribute("y", 12 * n);
      if (n) one.querySelector("circle")?.replaceWith(shape(n));
      svg.append(one);
    });
    return svg;
  };
  const markOf = (numbers) => numbers && { value: numbers[0], ci95: numbers.length > 1 ? numbers.slice(1) : null };

  // A table for each group of criteria, the first of them open.
  const profile = ({ found, pairs, a, b, runs }, name) => {
    const groups = Map.groupBy(found.criteria, (criterion) => criterion.group);
    return [...groups].map(([group, criteria]) => {
      const rows = criteria.map((c) => ({ c, pair: runs.map((run) => markOf(run.criteria[c.name])), gap: gapOf({ models: pairs.models, rows: pairs.criteria[c.name] ?? {} }, a.id, b.id) })).filter(({ pair }) => pair.some(Boolean)).sort((x, y) => (y.pair[0]?.value ?? -Infinity) - (x.pair[0]?.value ?? -Infinity));
      const axis = axisOver(rows.flatMap(({ pair }) => pair.flatMap((mark) => mark ? [mark.value, ...mark.ci95 ?? []] : []))),
        lines = rows.map(({ c, pair, gap }) => make("tr", gap && apart(gap.ci95) ? "sure" : "", make("th", { scope: "row" }, c.label), make("td", "drawn", both(axis, pair)), ...pair.map((mark, n) => cell([own, name][n], figure(mark?.value), "num soft")), cell("difference", signed(gap?.value)), cell("95 % interval", told(gap ?? {}) ? ends(gap.ci95, 2, signed) : "–"))),
        foot = make("tfoot", { ariaHidden: "true" }, make("tr", "", make("td", ""), make("td", "drawn", drawnAxis(axis)), make("td", { colSpan: 4 })));
      return [group, rows.length, make("table", "rows pair", make("caption", "", group), headed([["criterion"], [""], [own, "num"], [name, "num"], ["difference", "num"], ["95 % interval", "num"]]), make("tbody", "", ...lines), foot)];
    }).filter(([, n]) => n).map(([group, , table], n) => n ? make("details", "", make("summary", "", group), table) : table);
  };
  // Of a board's items each has its name, its page, how far it parts models, and a value a model.
  const gains = ({ items, a, b }, { graded }, name) => {
    const [one, two] = [a, b].map((row) => items.models.findIndex((model) => model[2] === row.runs[0])), sign = items.lower ? -1 : 1,
      rows = items.items.filter(([, , , values]) => Number.isFinite(values[one]) && Number.isFinite(values[two])).map(([item, page, , values]) => ({ item, href: root + (page.includes("#") ? page : `${page}#${graded}`), was: `${figure(values[one])} to ${figure(values[two])}`, gap: values[one] - values[two] })).sort((x, y) => sign * (y.gap - x.gap)),
      list = (title, some) => make("div", "", make("h3", "", title), some.length ? make("ol", "", ...some.slice(0, MOST).map(({ item, href, was, gap }) => make("li", "", make("span", "", make("a", { href }, item)), make("span", "num", make("span", "muted", was), " ", signed(gap))))) : make("p", "note", "None."));
    return [make("div", "named", list("Gains most", rows.filter(({ gap }) => sign * gap > 0)), list("Loses most", rows.filter(({ gap }) => sign * gap < 0).reverse())), make("p", "note", `Against ${name}, on the ${rows.length} items that both have scored${items.lower ? "; less is better" : ""}.`)];
  };

  let turn = 0;
  const show = async (href) => {
    const mine = ++turn, there = await Promise.all(boards.map(async (board) => {
      const key = board.board, found = await load("boards/" + key), a = found.rows.find((row) => row.id === board.row), b = found.rows.find((row) => row.href === href);
      if (!a || !b?.runs[0]) return null;
      const [pairs, items, ...runs] = await Promise.all([load(`boards/${key}-pairs`), load(`boards/${key}-items`), ...[a, b].map((row) => load(`runs/${key}/${row.runs[0]}`))]);
      return { board, key, found, pairs, items, a, b, runs };
    }));
    if (mine !== turn) return;
    for (const [place, inside] of kept) place.replaceChildren(...inside);
    const shared = there.filter(Boolean), name = shared[0]?.b.model ?? "", legend = () => keys([own, name]);
    const lines = shared.map(({ key, found, pairs, a, b }) => {
      const gap = gapOf(pairs, a.id, b.id), n = digits(found), tied = found.rated && a.tied_with.includes(b.model), number = (row) => row.rating ?? row.score,
        interval = (row) => make("span", "of", ends(row.rating_ci95 ?? row.score_ci95, n));
      return make("tr", gap && apart(gap.ci95) && !tied ? "sure" : "", make("th", { scope: "row" }, make("a", { href: "#" + key }, found.title), " ", make("span", "of", found.rated ? "rating" : found.metric.label + (found.metric.higher_is_better === false ? " (less is better)" : ""))),
        ...[a, b].map((row) => { const td = cell(row.model, ""); td.append(make("span", "", figure(number(row), n), " ", interval(row))); return td; }),
        cell("difference", signed(gap?.value, digits(pairs))), cell("95 % interval", gap && told(gap) ? ends(gap.ci95, digits(pairs), signed) : "–"), make("td", "", gap ? tied ? "≈ not told apart" : word(gap) : "no sample in common"),
        make("td", "", make("a", { href: `${root}compare.html#${key}/${a.id}/${b.id}` }, "compare", make("span", "hid", " on " + found.title))));
    });
    box.querySelector("table")?.remove();
    box.querySelector(".note.left")?.remove();
    if (lines.length) put.append(make("table", "data stack", headed([["board"], [own, "num"], [name, "num"], ["difference", "num"], ["95 % interval", "num"], ["what it says"], ["all of both"]]), make("tbody", "", ...lines)));
    put.append(make("p", "note left", lines.length ? `Differences are ${own} less ${name}, over what both have. Below, criteria and items are set against ${name} too.` : "They share no board."));
    for (const one of shared) {
      const [criteria, differing] = one.board.places;
      const tables = criteria && profile(one, name);
      if (tables?.length) criteria.replaceChildren(legend(), ...tables);
      differing?.replaceChildren(...gains(one, one.board, name));
    }
    box.dataset.ready = mine;
  };
  Promise.all(boards.map(({ board }) => load("boards/" + board))).then((documents) => {
    const mine = new Set(boards.map(({ row }) => row)), others = new Map(documents.flatMap(({ rows }) => rows.filter((row) => row.href && row.runs[0] && !mine.has(row.id)).map((row) => [row.href, row.model])));
    put.append(make("div", "controls", choice("beside", [...others], box.dataset.other, show)));
    return show(box.dataset.other);
  }).catch((error) => put.append(make("p", "mark", "Cannot be shown: " + error.message)));
};
if (find("#beside")) besideAnother(find("#beside"));
