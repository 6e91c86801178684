const { all, make, reader, sort, sortable, sources, typing, unpack } = eibench;
const find = (wanted) => document.querySelector(wanted);
const root = new URL("..", document.currentScript.src).href;

// Data: scripts that hand a value over, also from file://.
const asked = {}, came = {};
const NAME = /^(boards|runs|texts)(\/(?!\.)[\w.-]+)+$/;
eibench.put = (name, value) => came[name]?.(value);
const load = (name) => asked[name] ??= new Promise((done, fail) => {
  if (!NAME.test(name)) throw new Error("no such data: " + name);
  came[name] = done;
  const script = make("script");
  script.src = root + name + ".js";
  script.onerror = () => { delete asked[name]; fail(new Error(name + ".js cannot be loaded")); };
  document.head.append(script);
});
sources.parts = (sample) => load(sample.dataset.texts);

// Numbers as the pages write them.
const digits = (rated) => rated ? 0 : 2;
const figure = (n, places = 2) => n === null || n === undefined ? "\u2013" : n.toFixed(places).replace(/^-(?=[0.]*$)/, "").replace("-", "\u2212");
const signed = (n, places) => (n > 0 && +n.toFixed(places) > 0 ? "+" : "") + figure(n, places);
const ends = (pair, places, write = figure) => pair ? `[${pair.map((end, n) => end === null ? (n ? "\u221e" : "\u2212\u221e") : write(end, places)).join(", ")}]` : "\u2013";
const apart = (pair) => pair !== null && ((pair[0] !== null && pair[0] > 0) || (pair[1] !== null && pair[1] < 0));
const rankOf = (pair) => !pair ? "\u2013" : pair[0] === pair[1] ? String(pair[0]) : pair.join("\u2013");
