// Drawings: the same axis, dots and whiskers as those of the pages.
const axisOver = (given) => {
  const values = given.filter(Number.isFinite);
  let low = Math.min(...values), high = Math.max(...values);
  if (!values.length) [low, high] = [0, 1];
  if (high - low < 1e-9 * Math.max(1, Math.abs(high))) [low, high] = [low - 0.5, high + 0.5];
  const least = (high - low) / 5, power = 10 ** Math.floor(Math.log10(least)), step = [1, 2, 5, 10].map((n) => n * power).find((s) => s >= least * (1 - 1e-9)),
    first = Math.floor(low / step + 1e-9), last = Math.ceil(high / step - 1e-9),
    at = (value) => (2.5 + 95 * (value / step - first) / (last - first)).toFixed(3) + "%";
  return { at, ticks: Array.from({ length: last - first + 1 }, (_, n) => (first + n) * step), places: Math.max(0, Math.ceil(-Math.log10(step) - 1e-9)) };
};
const across = (x1, x2, y1, y2, kind) => draw("line", { x1, x2, y1, y2, class: kind }),
  place = (x, y, anchor, text, kind = "") => draw("text", { x, y, "text-anchor": anchor, class: kind }, text),
  canvas = (height, ...inside) => draw("svg", { width: "100%", height, "aria-hidden": "true" }, ...inside),
  drawn = (axis, { value, ci95 } = {}, zero, series = 0) => {
  const svg = canvas(26, ...axis.ticks.map((tick) => across(axis.at(tick), axis.at(tick), 0, "100%", "grid"))), kind = "whisker s" + series;
  if (zero === 0) svg.append(across(axis.at(0), axis.at(0), 0, "100%", "reference"));
  if (ci95) {
    const x = ci95.map((end, n) => end === null ? n * 100 + "%" : axis.at(end));
    svg.append(across(...x, 13, 13, kind), ...ci95.map((end, n) => end === null ? place(x[n], 18, n ? "end" : "start", "‹›"[n], "open") : across(x[n], x[n], 9, 17, kind)));
  }
  if (Number.isFinite(value)) svg.append(draw("svg", { x: axis.at(value), y: 13, overflow: "visible" }, draw("circle", { r: 4.5, class: "point s" + series })));
  return svg;
};
const drawnAxis = (axis) => canvas(22, ...axis.ticks.map((tick, n) => place(axis.at(tick), 16, "middle", figure(tick, axis.places), n % 2 ? "odd" : ""))),
  heads = (columns) => make("thead", "", make("tr", "", ...columns.map((inside, n) => make("th", { scope: "col", className: n > 1 ? "num" : "" }, inside || make("span", "hid", "drawing"))))),
  line = (kind, ...cells) => make("tr", kind, ...cells.map((inside, n) => n ? make("td", inside.append ? "drawn" : "num", inside) : make("th", { scope: "row" }, inside))),
  chart = (caption, columns, rows, zero) => {
  const axis = axisOver([...rows.flatMap((row) => [row.value, ...row.ci95 ?? []]), zero]),
    foot = make("tfoot", { ariaHidden: "true" }, make("tr", "", make("td", ""), make("td", "drawn", drawnAxis(axis)), make("td", { colSpan: columns.length - 2 })));
  return make("table", "rows", make("caption", "", caption), heads(["", "", ...columns]), make("tbody", "", ...rows.map((row) => line(row.kind ?? "", row.name, drawn(axis, row, zero, row.series), ...row.cells))), foot);
};
const choice = (name, values, chosen, then, id = "") => {
  const select = make("select", { onchange: () => then(select.value) }, ...values.map(([value, text]) => make("option", { value }, text)));
  select.value = chosen;
  return make("label", { id }, name + " ", select);
};
const button = (text, onclick, more) => make("button", { type: "button", onclick, ...more }, text),
  address = (text) => history.replaceState(null, "", text ? "#" + text : location.pathname + location.search);
