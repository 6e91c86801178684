// Drawings: the same axis, dots and whiskers as those of the pages.
const draw = (name, attributes, ...inside) => {
  const node = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...inside);
  return node;
};
const axisOver = (given) => {
  const values = given.filter(Number.isFinite);
  let low = values.length ? Math.min(...values) : 0, high = values.length ? Math.max(...values) : 1;
  if (high - low < 1e-9 * Math.max(1, Math.abs(high))) { low -= 0.5; high += 0.5; }
  const least = (high - low) / 5, power = 10 ** Math.floor(Math.log10(least));
  const step = [1, 2, 5, 10].map((n) => n * power).find((s) => s >= least * (1 - 1e-9));
  const first = Math.floor(low / step + 1e-9), last = Math.ceil(high / step - 1e-9);
  const ticks = Array.from({ length: last - first + 1 }, (_, n) => (first + n) * step);
  const places = Math.max(0, Math.ceil(-Math.log10(step) - 1e-9));
  const at = (value) => (2.5 + 95 * (value - ticks[0]) / (ticks.at(-1) - ticks[0])).toFixed(3) + "%";
  return { ticks, at, places };
};
const upright = (x, kind, y1 = 0, y2 = "100%") => draw("line", { x1: x, x2: x, y1, y2, class: kind });
const drawn = (axis, value, ci95, reference, series = 0) => {
  const svg = draw("svg", { width: "100%", height: 26, "aria-hidden": "true" }, ...axis.ticks.map((tick) => upright(axis.at(tick), "grid")));
  if (reference !== undefined) svg.append(upright(axis.at(reference), "reference"));
  if (ci95) {
    const [left, right] = ci95.map((end, n) => end === null ? (n ? "100%" : "0%") : axis.at(end));
    svg.append(draw("line", { x1: left, x2: right, y1: 13, y2: 13, class: "whisker s" + series }));
    ci95.forEach((end, n) => svg.append(end === null ? draw("text", { x: n ? right : left, y: 18, "text-anchor": n ? "end" : "start", class: "open" }, n ? "\u203a" : "\u2039") : upright(n ? right : left, "whisker s" + series, 9, 17)));
  }
  if (value !== null && value !== undefined) svg.append(draw("svg", { x: axis.at(value), y: 13, overflow: "visible" }, draw("circle", { r: 4.5, class: "point s" + series })));
  return svg;
};
const drawnAxis = (axis) => draw("svg", { width: "100%", height: 22, "aria-hidden": "true", class: "axis" }, ...axis.ticks.map((tick, n) => draw("text", { x: axis.at(tick), y: 16, "text-anchor": "middle", class: n % 2 ? "odd" : "" }, figure(tick, axis.places))));
const cell = (name, className, ...inside) => { const made = make(name, className, ...inside); if (name === "th") made.scope = "row"; return made; };
const heads = (columns, numbersFrom, sorts) => make("tr", "", ...columns.map((text, n) => {
  const made = make("th", n >= numbersFrom ? "num" : "", sorts ? make("button", "", text) : text || make("span", "hid", "drawing"));
  made.scope = "col";
  if (sorts) made.ariaSort = "none";
  return made;
}));
const chart = (caption, columns, rows, reference) => {
  const axis = axisOver([...rows.flatMap((row) => [row.value, ...(row.ci95 ?? [])]), reference]);
  const table = make("table", "rows", make("caption", "", caption));
  table.createTHead().append(heads(columns, 2));
  table.createTBody().append(...rows.map((row, n) => make("tr", row.kind ?? "", cell("th", "", row.name), cell("td", "drawn", drawn(axis, row.value, row.ci95, reference, row.series ?? 0)), ...row.cells.map((text) => cell("td", "num", text)))));
  const foot = make("td", "", ""), line = make("tr", "", make("td"), cell("td", "drawn", drawnAxis(axis)), foot);
  foot.colSpan = columns.length - 2;
  table.createTFoot().append(line);
  line.parentNode.setAttribute("aria-hidden", "true");
  return table;
};
const difference = (pairs, one, two) => {
  const n = pairs.models.length, i = pairs.models.indexOf(one), j = pairs.models.indexOf(two);
  if (i < 0 || j < 0 || i === j) return null;
  const [a, b] = i < j ? [i, j] : [j, i], found = pairs.rows[a * (2 * n - a - 1) / 2 + b - a - 1];
  if (!found) return null;
  const turned = (x) => x === null || x === undefined ? null : -x, [d, low, high] = found;
  return i < j ? { value: d, ci95: [low ?? null, high ?? null] } : { value: -d, ci95: [turned(high), turned(low)] };
};
const measure = (board, pairs) => [board.metric, ...board.criteria].find((c) => c.name === pairs.metric)?.label ?? pairs.metric.replaceAll("_", " ");
const choice = (name, values, chosen, then) => {
  const select = make("select", "", ...values.map(([value, text]) => { const made = make("option", "", text); made.value = value; return made; }));
  select.value = chosen;
  select.addEventListener("change", () => then(select.value));
  return make("label", "", name + " ", select);
};
const button = (text, then) => { const made = make("button", "", text); made.type = "button"; made.addEventListener("click", then); return made; };
const address = (text) => { try { history.replaceState(null, "", text ? "#" + text : location.pathname + location.search); } catch { location.hash = text; } };
