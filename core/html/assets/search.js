// Search: in a worker, which is ended where a pattern takes too long.
const searcher = () => {
  const parts = [], KINDS = ["question", "answer", "thinking", "verdict"], BEFORE = 70, AFTER = 110, LONG = 160;
  let latest = 0, reading = Promise.resolve();
  const unpack = async (packed) => {
    const text = atob(packed), bytes = new Uint8Array(text.length);
    for (let n = 0; n < text.length; n++) bytes[n] = text.charCodeAt(n);
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).json();
  };
  const look = ({ run, rows }, patterns) => {
    const hits = [];
    for (const row of rows) for (let kind = 0; kind < KINDS.length; kind++) {
      const text = row[kind + 2], hit = text && patterns.every((one) => one.test(text)) && patterns[0].exec(text);
      if (!hit || !hit[0]) continue;
      const end = hit.index + hit[0].length, from = Math.max(0, hit.index - BEFORE);
      hits.push([row[0], run, row[1], KINDS[kind], (from ? "…" : "") + text.slice(from, hit.index), hit[0].slice(0, LONG), hit[0].length > LONG ? "…" : text.slice(end, end + AFTER) + (end + AFTER < text.length ? "…" : "")]);
    }
    return hits;
  };
  onmessage = async ({ data }) => {
    if (data.packed) {
      reading = reading.then(() => unpack(data.packed)).then((rows) => { parts.push({ run: data.run, rows }); postMessage({}); });
      return;
    }
    latest = data.turn;
    await reading;
    const patterns = data.patterns.map(([source, flags]) => new RegExp(source, flags));
    for (const [n, part] of parts.entries()) {
      postMessage({ turn: data.turn, hits: look(part, patterns), last: n === parts.length - 1 });
      await new Promise((done) => setTimeout(done));
      if (latest !== data.turn) return;
    }
  };
};

// Words are all looked for in one text, in any case; between strokes stands a pattern.
const patternsOf = (query) => {
  const stroked = /^\/(.+)\/([imsu]*)$/s.exec(query.trim());
  if (stroked) { new RegExp(stroked[1], stroked[2]); return [[stroked[1], stroked[2]]]; }
  return query.split(/\s+/).filter(Boolean).map((word) => [word.replace(/[.*+?^${}()|[\]\\\/]/g, "\\$&"), "i"]);
};

const PATIENCE = 3000;
const searching = (board, models, tell) => {
  const packed = [];
  let worker = null, loading = null, turn = 0, waiting = 0, stop = () => {};
  const start = () => {
    worker?.terminate();
    const href = URL.createObjectURL(new Blob([`(${searcher})()`], { type: "text/javascript" }));
    worker = new Worker(href);
    for (const part of packed) worker.postMessage(part);
  };
  const chain = async (name, run) => {
    for (let n = 1, more = true; more; n++) {
      const part = await load(name + n);
      more = part.more;
      packed.push({ packed: part.packed, run });
      worker.postMessage(packed.at(-1));
      tell(`Reading texts: ${packed.length} parts …`);
    }
  };
  const ready = () => loading ??= (async () => {
    start();
    const names = [[`boards/${board}-questions-`, -1], ...models.map(([, graded], n) => [`texts/${graded}/_`, n])],
      done = await Promise.allSettled(names.map(([name, run]) => chain(name, run)));
    return done.filter(({ status }) => status === "rejected").length;
  })();
  // Every hit of a query, or the reason why there are none; a later query takes its place.
  return async (query) => {
    const mine = ++turn, patterns = patternsOf(query);
    stop();
    const missing = await ready();
    if (mine !== turn) return null;
    const hits = [];
    return new Promise((done, fail) => {
      const end = (then) => { clearTimeout(waiting); worker.onmessage = null; stop = () => {}; then(); };
      const wait = () => {
        clearTimeout(waiting);
        waiting = setTimeout(() => end(() => { start(); fail(Error(`this pattern takes more than ${PATIENCE / 1000} s; a simpler one finds more`)); }), PATIENCE);
      };
      stop = () => end(() => { if (query.startsWith("/")) start(); done(null); });
      worker.onerror = () => end(() => fail(Error("this browser lets no page search in the background")));
      worker.onmessage = ({ data }) => {
        wait();
        if (data.turn !== mine) return;
        hits.push(...data.hits);
        if (data.last) end(() => done({ hits, missing }));
      };
      wait();
      worker.postMessage({ turn: mine, patterns });
    });
  };
};
