// Models by benchmarks: each column sorts, and two models that are ticked are compared on each board that both have.
const matrix = () => {
  const table = find("#matrix"), heads = [...table.tHead.rows[0].cells], rows = [...table.tBodies[0].rows],
    tray = make("aside", { className: "tray", ariaLabel: "Models to compare", hidden: true }),
    name = (row) => row.cells[0].querySelector("a, span").textContent,
    box = (row) => row.cells[0].querySelector("input"),
    chosen = () => rows.filter((row) => box(row).checked);
  heads.forEach((th, n) => {
    const by = th.querySelector(".by"), up = !n || "lower" in th.dataset, first = up ? "ascending" : "descending";
    by.replaceChildren(button(by.textContent, () => sort(th, th.ariaSort === first ? !up : up), { ariaLabel: `Sort by ${n ? th.querySelector("a").textContent + ", " : ""}${by.textContent}` }));
  });
  // Whom the data of a board puts ahead; nothing more is claimed than the page that compares does.
  const ahead = async (key, one, two) => {
    const [found, pairs] = await Promise.all([load("boards/" + key), load(`boards/${key}-pairs`)]);
    return statement(pairs, found, ...[one, two].map((id) => found.rows.find((row) => row.id === id)));
  };
  const both = (one, two) => heads.flatMap((th, n) => {
    const ids = [one, two].map((row) => row.cells[n].dataset.id);
    if (!n || !ids[0] || !ids[1]) return [];
    const words = make("span", "", "…"), key = th.dataset.board;
    ahead(key, ...ids).then((text) => words.replaceChildren(text), () => words.replaceChildren("compare"));
    return [make("li", "", make("a", { href: `${root}compare.html#${[key, ...ids].map(encodeURIComponent).join("/")}` }, th.querySelector("a").textContent), words)];
  });
  const show = () => {
    const ticked = chosen();
    for (const row of rows) {
      const { checked } = box(row);
      box(row).disabled = ticked.length > 1 && !checked;
      row.classList.toggle("ticked", checked);
    }
    tray.hidden = !ticked.length;
    const list = ticked.length > 1 ? both(...ticked) : [];
    tray.replaceChildren(
      ...ticked.map((row) => button(name(row) + " ×", () => { box(row).checked = false; show(); }, { ariaLabel: `Take out ${name(row)}` })),
      ...ticked.length < 2 ? ["and a second model"] : list.length ? [make("ul", "", ...list)] : ["stand on no benchmark together"],
      button("Clear", () => { for (const row of ticked) box(row).checked = false; show(); }));
  };
  for (const row of rows) row.cells[0].prepend(make("input", { type: "checkbox", ariaLabel: `Compare ${name(row)}`, onchange: show }));
  table.classList.add("live");
  document.body.append(tray);
  show();
  table.dataset.ready = 1;
};
if (find("#matrix")) matrix();
