// Notes and stars: of an item (run ""), or of a model's answer; kept in this browser alone, by board.
const MOST_NOTES = 20000, LONGEST = 20000,
  short = (text, most) => typeof text === "string" && text.length <= most,
  isNote = (one) => Boolean(one) && short(one.item, 4000) && short(one.run, 200) && short(one.model, 4000) && short(one.note, LONGEST) && typeof one.star === "boolean";
const notesOf = (board) => {
  const name = "eibench-notes-" + board, id = (item, run) => JSON.stringify([item, run]);
  let kept = new Map(), wrong = "";
  const read = () => {
    try {
      const found = JSON.parse(localStorage.getItem(name) ?? "[]");
      if (!Array.isArray(found) || !found.every(isNote)) throw Error("what is kept was not written by these pages");
      kept = new Map(found.map((one) => [id(one.item, one.run), one]));
      wrong = "";
    } catch (error) { wrong = `Notes cannot be kept in this browser: ${error.message}.`; }
    return !wrong;
  };
  const write = (changes) => {
    if (!read()) return wrong;
    for (const { item, run, model, note, star } of changes) {
      if (note || star) kept.set(id(item, run), { item, run, model, note, star }); else kept.delete(id(item, run));
    }
    try { localStorage.setItem(name, JSON.stringify([...kept.values()])); } catch (error) { wrong = `Not kept: ${error.message}`; }
    return wrong;
  };
  const get = (item, run) => kept.get(id(item, run)) ?? { item, run, note: "", star: false };
  read();
  addEventListener("storage", (event) => { if (event.key === name) read(); });
  return { get, write, wrong: () => wrong, list: () => [...kept.values()] };
};

// A star and a note, to be put beside what they are about.
const marker = (notes, item, run, model) => {
  const about = model || "the item", said = make("span", { className: "note", role: "status" }),
    keep = (change) => { said.textContent = notes.write([{ ...notes.get(item, run), item, run, model, ...change }]); show(); },
    star = button("☆", () => keep({ star: !notes.get(item, run).star }), { className: "star", ariaLabel: `Star ${about}` }),
    field = make("textarea", { rows: 3, maxLength: LONGEST, ariaLabel: `Note on ${about}`, placeholder: "A note of your own, kept in this browser", hidden: true, oninput: () => keep({ note: field.value }) }),
    open = button("note", () => { field.hidden = !field.hidden; if (!field.hidden) field.focus(); }, { ariaLabel: `Note on ${about}` });
  const show = () => {
    const own = notes.get(item, run);
    star.textContent = own.star ? "★" : "☆";
    star.ariaPressed = own.star;
    if (field.value !== own.note) field.value = own.note;
    open.textContent = own.note ? "note ✓" : "note";
  };
  show();
  if (notes.wrong()) { said.textContent = notes.wrong(); star.disabled = open.disabled = true; }
  field.hidden = !field.value;
  return { buttons: [star, open], field, said };
};

// Out as files, and in again: nothing of a file is run, and what is no note of this board is refused.
const download = (name, type, text) => {
  const href = URL.createObjectURL(new Blob([text], { type }));
  make("a", { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), 10000);
};
const cell = (text) => {
  const plain = String(text).replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, "\ufffd"), safe = /^\s*[=+\-@＝＋－＠]/.test(plain) ? "'" + plain : plain;
  return `"${safe.replaceAll('"', '""')}"`;
};
const csvOf = (list) => [["item", "model", "run", "star", "note"], ...list.map((one) => [one.item, one.model, one.run, one.star ? "yes" : "", one.note])].map((row) => row.map(cell).join()).join("\n") + "\n",
  jsonOf = (board, list) => JSON.stringify({ format: "eibench-notes", board, notes: list }, null, 1) + "\n";
const notesIn = (text, board) => {
  let read;
  try { read = JSON.parse(text); } catch { throw Error("it is not JSON"); }
  if (read?.format !== "eibench-notes" || !Array.isArray(read.notes)) throw Error("it is not a file of notes");
  if (read.board !== board) throw Error("it is of another board: " + String(read.board).slice(0, 80));
  if (read.notes.length > MOST_NOTES) throw Error(`it has more than ${MOST_NOTES} notes`);
  const bad = read.notes.findIndex((one) => !isNote(one));
  if (bad >= 0) throw Error(`its note ${bad + 1} is not one`);
  return read.notes;
};

// Keys: each with its name, what it does and what for; none works while somebody types.
const keys = (wanted) => {
  const rows = [...wanted.map(([names, , what]) => [names.join(" "), what]), ["?", "these keys"]],
    box = make("dialog", { className: "help", ariaLabel: "Keys" }, make("h2", "", "Keys"), make("dl", "", ...rows.map(([name, what]) => make("div", "", make("dt", "", make("kbd", "", name)), make("dd", "", what)))), button("Close", () => box.close()));
  document.body.append(box);
  addEventListener("keydown", (event) => {
    if (box.open || (typing(event) && event.key !== "Escape")) return;
    const found = event.key === "?" ? [[], () => box.showModal()] : wanted.find(([names]) => names.includes(event.key));
    if (found?.[1](event) !== false && found) event.preventDefault();
  });
  return button("? keys", () => box.showModal());
};

// What the list has found, for the pages of its items: gone with the tab.
// The lists that were last gone through, by what they were filtered by, also for other tabs.
const lists = (board, found) => {
  const name = "eibench-lists-" + board, known = remembered(name, undefined, "localStorage"), kept = Array.isArray(known) ? known : [];
  return found ? remembered(name, [found, ...kept.filter((one) => one?.by !== found.by)].slice(0, 3), "localStorage") : kept;
};
// Links to items name the list that they are of: ?list=BY before the hash.
const ofList = (path, by, ...more) => {
  const [page, name] = path.split("#"), hash = [...name ? [name] : [], ...more].join("/");
  return root + page + (by ? "?" + new URLSearchParams({ list: by }) : "") + (hash ? "#" + hash : "");
};
const remembered = (name, value, where = "sessionStorage") => {
  try {
    if (value !== undefined) window[where].setItem(name, JSON.stringify(value));
    return JSON.parse(window[where].getItem(name) ?? "null");
  } catch { return null; }
};
