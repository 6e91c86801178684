// An item: the question once, and each model's answer in a column. #MODEL's run, or #ITEM/RUN/ITERATION on a shared page.
const itemPage = () => {
  const boxes = all(".item"), key = boxes[0].dataset.board, heading = find("h1"), title = heading.textContent,
    notes = notesOf(key), by = new URLSearchParams(location.search).get("list") ?? "", listed = lists(key).find((one) => one?.by === by);
  let box = null, cells = [], iteration = 1, turn = 0;
  const parts = () => { try { return decodeURIComponent(location.hash.slice(1)).split("/"); } catch { return []; } },
    path = () => box.dataset.path, own = (run) => (path().includes("#") ? box.dataset.name + "/" : "") + run + (iteration > 1 ? "/" + iteration : ""),
    hidden = () => { const found = remembered("eibench-models-" + key); return new Set(Array.isArray(found) ? found : []); },
    visible = () => cells.filter((cell) => !cell.box.hidden);

  // Which item, and the way to those beside it: of the list as it was filtered, else by hardness.
  const steps = () => {
    const nav = find(".steps:not([hidden])") && box.querySelector(".steps"), [list] = all("a", nav), n = listed?.paths?.indexOf?.(path()) ?? -1;
    list.href = `${root}items/${key}.html` + (by ? "#" + by : "");
    list.textContent = by ? "The list" : "All items";
    if (n < 0) return;
    nav.querySelector(".at").textContent = `${n + 1} of ${listed.paths.length}${listed.filtered ? " found" : ""}`;
    for (const [rel, at, text] of [["prev", n - 1, "‹ previous"], ["next", n + 1, "next ›"]]) {
      const to = listed.paths[at];
      nav.querySelector(`[rel=${rel}]`)?.remove();
      if (typeof to === "string" && /^items\/[\w.#-]+(\/[\w.#-]+)?$/.test(to)) nav.append(make("a", { rel, href: ofList(to, by) }, text));
    }
  };
  const move = (rel) => { const link = box.querySelector(`.steps [rel=${rel}]`); if (link) location.href = link.href; };

  // Columns.
  const cellOf = (row) => {
    const link = row.querySelector("th a"), [run] = link.hash.slice(1).split("-" + box.dataset.name), graded = run, name = link.textContent,
      mark = marker(notes, box.dataset.item, graded, name), inside = make("div", "inside"), remarks = make("span", "remarks"),
      head = make("header", "", make("h3", "", make("a", { href: link.href }, name), " ", make("span", "num", row.querySelector("td.num").textContent)), remarks, make("div", "tools", ...mark.buttons, make("a", { className: "copy", href: "#" + own(graded), ariaLabel: `Link to the answer of ${name}` }, "link")), mark.field, mark.said),
      made = make("article", { className: "cell", id: "answer-" + graded, tabIndex: -1, ariaLabel: name }, head, inside);
    head.querySelector(".copy").onclick = (event) => {
      event.preventDefault();
      address(own(graded));
      select(cells.find((cell) => cell.graded === graded), false);
      navigator.clipboard?.writeText(location.href).then(() => { event.target.textContent = "copied"; }, () => {});
    };
    return { box: made, inside, remarks, graded, name, state: "" };
  };
  const remark = (cell, read) => {
    const cut = read.turns.some((said) => said.cut) ? ["cut off"] : [], { grade } = read,
      flags = grade.facts.filter(([name]) => name === "Flags").flatMap(([, text]) => text.split(", "));
    cell.remarks.replaceChildren(...new Set([...grade.failed ? ["failed"] : grade.reason ? ["unread"] : [], ...cut, ...flags])
      .values().map((text) => make("span", "mark", text.replaceAll("_", " "))));
  };
  const asked = [];
  const show = async (cell) => {
    if (cell.state) return;
    const mine = turn;
    cell.state = "asked";
    cell.inside.replaceChildren("…");
    try {
      const found = await textsOf(`texts/${cell.graded}/${box.dataset.texts}`), part = found.find((one) => one.iteration === iteration);
      if (mine !== turn) return;
      iterations(found.map((one) => one.iteration));
      if (!part) return cell.inside.replaceChildren(make("p", "note", `There is no iteration ${iteration}.`));
      const { read } = part;
      question(read.turns);
      remark(cell, read);
      const begun = read.turns.findIndex((said) => said.kind === "model"),
        turns = read.turns.filter((said, n) => n >= begun && begun >= 0 || !asked.some((one) => one.text === said.text));
      cell.inside.replaceChildren(...reader({ ...read, turns }, cell.name));
      highlight();
    } catch (error) { cell.state = ""; cell.inside.replaceChildren(make("p", "mark", "Cannot be read: " + error.message)); }
  };
  const question = (turns) => {
    const place = box.querySelector(".asked");
    if (asked.length) return;
    const first = turns.findIndex((said) => said.kind === "model");
    asked.push(...turns.slice(0, first < 0 ? turns.length : first).filter((said) => said.kind !== "system"));  // that is the model's own
    place.replaceChildren(...asked.map((said) => make("div", "turn " + said.kind, make("span", "who", said.who), make("div", "said", said.text))));
    lighten(place);
  };
  const iterations = (found) => {
    const place = box.querySelector(".which");
    if (found.length < 2 || place.childElementCount) return;
    place.append(choice("iteration", found.map((n) => [n, n]), iteration, (n) => { iteration = +n; draw(parts().at(path().includes("#") ? 1 : 0)); }));
  };

  // What the list searched for is marked, without a change of the text: words alone, as a pattern may take its time.
  const words = (new URLSearchParams(by).get("q") ?? "").trim().slice(0, 1000),
    highlight = () => {
    if (!words || words.startsWith("/") || !window.Highlight) return;
    const wanted = new RegExp(patternsOf(words).map(([source]) => source).join("|"), "gi"), ranges = [];
    for (const said of all(".said", box)) {
      const walk = document.createTreeWalker(said, NodeFilter.SHOW_TEXT);
      while (walk.nextNode()) for (const hit of walk.currentNode.data.matchAll(wanted)) {
        if (ranges.length > 2000) break;
        const range = document.createRange();
        range.setStart(walk.currentNode, hit.index);
        range.setEnd(walk.currentNode, hit.index + hit[0].length);
        ranges.push(range);
      }
    }
    CSS.highlights.set("found", new Highlight(...ranges));
  };

  const seen = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) if (isIntersecting) show(cells.find((cell) => cell.box === target));
  }, { rootMargin: "0px 300px" });
  const select = (cell, into = true) => {
    if (!cell) return;
    for (const one of cells) one.box.classList.toggle("current", one === cell);
    cell.box.hidden = false;
    cell.box.focus({ preventScroll: true });
    if (into) cell.box.scrollIntoView({ inline: "center", block: "nearest" });
    show(cell);
  };
  const step = (by) => {
    const shown = visible(), now = shown.findIndex((cell) => cell.box.classList.contains("current")), cell = shown[now < 0 ? 0 : Math.max(0, Math.min(shown.length - 1, now + by))];
    if (cell) { address(own(cell.graded)); select(cell); }
  };
  const pick = () => {
    const summary = make("summary", ""), off = hidden(),
      put = () => { summary.textContent = `Models: ${visible().length} of ${cells.length}`; },
      boxes = cells.map((cell) => make("input", { type: "checkbox", checked: !off.has(cell.graded), onchange: ({ target }) => set(cell, target.checked) })),
      set = (cell, on) => {
      cell.box.hidden = !on;
      remembered("eibench-models-" + key, cells.filter((one) => one.box.hidden).map((one) => one.graded));
      put();
    };
    for (const cell of cells) cell.box.hidden = off.has(cell.graded);
    const each = (on) => button(on ? "all" : "none", () => boxes.forEach((one, n) => { one.checked = on; set(cells[n], on); }));
    put();
    return make("details", "pick", summary, make("div", "", each(true), " ", each(false), make("div", "names", ...cells.map((cell, n) => make("label", "", boxes[n], " ", cell.name)))));
  };
  const draw = (wanted) => {
    turn++;
    asked.length = 0;
    seen.disconnect();
    const place = box.querySelector(".work"), mark = marker(notes, box.dataset.item, "", "");
    cells = all("table.rows tbody tr", box).map(cellOf);
    const grid = make("div", { className: "cells", role: "region", ariaLabel: "Answers", tabIndex: 0 }, ...cells.map((cell) => cell.box));
    place.replaceChildren(make("div", "tools", ...mark.buttons, make("span", "which"), pick(), help, mark.said), mark.field,
      ...box.dataset.texts ? [make("h2", "", "Question"), make("div", { className: "asked", role: "region", ariaLabel: "Question", tabIndex: 0 }, "…"), make("h2", "", "Answers"), grid]
        : [make("p", "note", "The texts of this pack are not published here: there are numbers, but neither question nor answers.")]);
    place.hidden = false;
    if (!box.dataset.texts) return;
    for (const cell of cells) seen.observe(cell.box);
    show(visible()[0] ?? cells[0]);
    if (wanted) select(cells.find((cell) => cell.graded === wanted));
  };
  const listen = () => {
    const given = parts(), named = boxes.find((one) => one.dataset.name === given[0]), next = named ?? (boxes.includes(box) ? box : boxes[0]),
      [run = "", n = "1"] = path_of(next).includes("#") || given[0] === next.dataset.name ? given.slice(1) : given, changed = next !== box || +n !== iteration;
    box = next;
    iteration = /^\d{1,6}$/.test(n) ? +n : 1;
    for (const one of boxes) one.hidden = one !== box;
    if (boxes.length > 1) heading.textContent = `${title}: ${box.dataset.item}`;
    steps();
    if (changed || !cells.length) draw(run); else select(cells.find((cell) => cell.graded === run));
    document.body.dataset.ready = turn;
  };
  const path_of = (one) => one.dataset.path;
  const help = keys([
    [["j", "ArrowRight"], () => step(1), "next model's answer"], [["k", "ArrowLeft"], () => step(-1), "answer of the model before"],
    [["n"], () => move("next"), "next item of the list"], [["p"], () => move("prev"), "item before"],
    [["/"], () => { location.href = box.querySelector(".steps a").href; }, "back to the list, to search"],
    [["s"], () => (document.activeElement.closest(".cell") ?? box).querySelector(".star").click(), "star this answer, or the item"],
  ]);
  addEventListener("hashchange", listen);
  listen();
};
if (find(".item")) itemPage();
