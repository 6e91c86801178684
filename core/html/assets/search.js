// Search: in a worker, which is ended where a pattern takes too long.
const searcher = () => {
  const parts = [], KINDS = ["question", "answer", "thinking", "verdict"], BEFORE = 70, AFTER = 110, LONG = 160;
  let latest = 0, reading = Promise.resolve();
  const unpack = async (packed) => {
    const text = atob(packed), bytes = new Uint8Array(text.length);
    for (let n = 0; n < text.length; n++) bytes[n] = text.charCodeAt(n);
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).json();
  };
  // Rows of texts; what the first run was asked is the question, and no part of any answer.
  const asked = new Map(), joined = (texts) => texts.filter(Boolean).join("\n\n");
  const keep = (items, run) => {
    const questions = [], answers = [];
    for (const [, item, iterations] of items) for (const { iteration, read: { turns, grade } } of iterations) {
      if (!asked.has(item)) {
        asked.set(item, turns.flatMap((turn) => turn.kind === "model" ? [] : [turn.text]));
        questions.push([item, 0, joined(asked.get(item))]);
      }
      const said = turns.filter((turn) => turn.kind === "model" || !asked.get(item).includes(turn.text));
      answers.push([item, iteration, "", ...["text", "thinking"].map((name) => joined(said.map((turn) => turn[name]))), joined([grade.failed, grade.reason, ...grade.verdicts.map((one) => one[1])])]);
    }
    parts.push({ run: -1, rows: questions }, { run, rows: answers });
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
      reading = reading.then(() => unpack(data.packed)).then((items) => { keep(items, data.run); postMessage({}); });
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
const searching = ({ models, lead, parts }, tell) => {
  const packed = [];
  let worker = null, loading = null, turn = 0, waiting = 0, stop = () => {};
  const start = () => {
    worker?.terminate();
    const href = URL.createObjectURL(new Blob([`(${searcher})()`], { type: "text/javascript" }));
    worker = new Worker(href);
    for (const part of packed) worker.postMessage(part);
  };
  const read = async ([, graded], run) => {
    for (let n = 1; n <= parts; n++) {
      packed.push({ packed: await load(`texts/${graded}/${n}`), run });
      worker.postMessage(packed.at(-1));
      tell(`Reading texts: ${packed.length} parts …`);
    }
  };
  const ready = () => loading ??= (async () => {
    start();
    const first = await Promise.allSettled([read(models[lead], lead)]),
      done = [...first, ...await Promise.allSettled(models.map((model, n) => n === lead ? null : read(model, n)))];
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
