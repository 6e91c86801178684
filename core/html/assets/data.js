const { all, lighten, make, reader, sort, sortable, sources, typing, unpack } = eibench,
  find = (wanted) => document.querySelector(wanted),
  root = new URL("..", document.currentScript.src).href;

// Data: scripts that hand a value over, also from file://.
const asked = {}, came = {};
eibench.put = (name, value) => came[name]?.(value);
const load = (name) => asked[name] ??= new Promise((done, fail) => {
  if (!/^(boards|runs|texts)(\/(?!\.)[\w.-]+)+$/.test(name)) throw Error("unknown: " + name);
  came[name] = done;
  const onerror = () => { delete asked[name]; fail(Error(name + ".js cannot be loaded")); };
  document.head.append(make("script", { src: root + name + ".js", onerror }));
});
// What was said about an item of a run: its iterations, out of a part with several items: texts/RUN/PART#ITEM.
const unpacked = {}, textsOf = async (name) => {
  const [file, item] = name.split("#");
  unpacked[file] ??= await unpack(await load(file));
  return unpacked[file].find(([name]) => name === item)?.[2] ?? [];
};
sources.parts = (sample) => textsOf(sample.dataset.texts);

// Numbers as the pages write them.
const figure = (n, places = 2) => (n?.toFixed(places) ?? "–").replace(/^-(?=[0.]*$)/, "").replace("-", "−"),
  signed = (n, places = 2) => (+n?.toFixed(places) > 0 ? "+" : "") + figure(n, places),
  ends = (pair, places, write = figure) => pair ? `[${write(pair[0] ?? -Infinity, places)}, ${write(pair[1] ?? Infinity, places)}]`.replace(/\+?Infinity/, "∞") : "–",
  apart = (pair) => Boolean(pair && (pair[0] > 0 || (pair[1] !== null && pair[1] < 0))),
  rankOf = (pair) => pair ? [...new Set(pair)].join("–") : "–",
  digits = (found) => found.rated || found.metric === "rating" ? 0 : 2,
  told = ({ ci95 } = {}) => Boolean(ci95?.some((end) => end !== null)),
  measure = (board, pairs) => [board.metric, ...board.criteria].find((c) => c.name === pairs.metric)?.label ?? pairs.metric.replaceAll("_", " "),
  pairOf = ({ models }, one, two) => {
  const n = models.length, [a, b] = [models.indexOf(one), models.indexOf(two)].sort((x, y) => x - y);
  return a < 0 || a === b ? -1 : a * (2 * n - a - 1) / 2 + b - a - 1;
},
  gapOf = ({ models, rows }, one, two) => {
  const i = models.indexOf(one), j = models.indexOf(two), found = rows[pairOf({ models }, one, two)];
  if (!found) return null;
  const [value, low = null, high = null] = found, turned = (x) => x === null ? x : -x;
  return i < j ? { value, ci95: [low, high] } : { value: -value, ci95: [turned(high), turned(low)] };
};
