(() => {
"use strict";

const data = JSON.parse(document.getElementById("data").textContent);
const table = document.getElementById("table");
const body = table.tBodies[0];
const search = document.getElementById("search");
const minimum = document.getElementById("minimum");
const effect = document.getElementById("effect");
const segment = document.getElementById("segment");
const count = document.getElementById("count");

// Elements are built from text alone: nothing that comes from the data is ever read as markup.
function element(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (value === true) made.setAttribute(key, "");
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(key, value);
  }
  made.append(...children.filter((child) => child !== null));
  return made;
}

function drawn(name, attributes) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

function decimal(value, sign) {
  if (value === null) return "–";
  if (Math.abs(value) < 0.00005) return "0.0000";
  const text = Math.abs(value).toFixed(4);
  return (value < 0 ? "−" : sign ? "+" : "") + text;
}

const hidden = (text) => element("span", { class: "hidden" }, text);
const seen = (text) => element("span", { "aria-hidden": "true" }, text);

// ---- One measure at a time: table, pictures and lists follow the switch.

const switched = document.getElementById("switch");
let current = switched ? Number(switched.querySelector("input:checked").value) : 0;

function choose(measure) {
  current = measure;
  for (const part of document.querySelectorAll("[data-measure]")) part.hidden = Number(part.dataset.measure) !== current;
}

// ---- Columns: what a row shows, and what it is sorted by.

const sides = ["med", "gain", "loss"];
const columns = [{ label: "Query", key: (row) => row.id }];
data.columns.forEach((name, c) => columns.push(
  { label: name, number: true, measured: true, bar: sides.includes(name), first: c === 0, key: (row) => row.values[current][c] }));
data.beside.forEach((name, c) => columns.push(
  { label: name, number: true, bar: true, unit: true, first: c === 0, key: (row) => row.beside[c][0] }));
data.changes.forEach((name, c) => columns.push(
  { label: name, number: true, whole: true, first: c === 0, key: (row) => row.changes[current][c] }));

const collator = new Intl.Collator("en", { numeric: true });
const rows = data.rows.map((row, position) => ({ ...row, position }));
rows.forEach((row) => { row.searched = (row.id + " " + row.text).toLowerCase(); });
const byId = new Map(rows.map((row) => [row.id, row]));
const order = { column: 1, descending: true };
const few = 25; // rows, before the rest is asked for
let shown = [];
let whole = false;

function head() {
  const groups = element("tr", {}, element("td", { class: "query" }));
  const group = (name, size) => {
    if (size) groups.append(element("th", { class: "group edge", scope: "colgroup", colspan: size }, name));
    return groups.lastChild;
  };
  const measured = group("", data.columns.length);
  group("rank similarity", data.beside.length);
  group(data.changed, data.changes.length);
  const names = element("tr");
  columns.forEach((column, number) => {
    const button = element("button", { type: "button" }, column.label);
    button.addEventListener("click", () => sortBy(number));
    column.head = element("th",
      { scope: "col", class: number === 0 ? "query" : column.first ? "edge" : null }, button);
    names.append(column.head);
  });
  table.tHead.append(groups, names);
  return () => {
    const { name, columns: told } = data.measures[current];
    measured.textContent = name;
    measured.colSpan = told.length;
    columns.forEach((column) => { column.head.hidden = column.measured && !told.includes(column.label); });
  };
}

function sortBy(number) {
  order.descending = order.column === number ? !order.descending : Boolean(columns[number].number);
  order.column = number;
  show();
}

function compare(a, b) {
  const { key, number } = columns[order.column];
  const [first, second] = [key(a), key(b)];
  if (first === null || second === null) return (first === null) - (second === null);
  const difference = number ? first - second : collator.compare(first, second);
  return (order.descending ? -difference : difference) || a.position - b.position;
}

// ---- Rows.

// A title is what people read; the id is what they look up.
function named(id, title) {
  const small = element("span", { class: "id" + (title ? " small" : "") }, id);
  return title ? [element("span", { class: "words" }, title), small] : [small];
}

function build(row) {
  row.opener = element("button",
    { type: "button", class: "opener", "aria-expanded": "false", "aria-controls": "lists-" + row.position },
    ...named(row.id, row.text));
  row.line = element("tr", { class: "row" },
    element("th", { scope: "row", class: "query" }, row.opener));
  row.cells = columns.slice(1).map((column) => {
    const cell = element("td");
    row.line.append(cell);
    return cell;
  });
  row.line.addEventListener("click", (event) => {
    if (event.target.closest("button") || !String(getSelection())) toggle(row);
  });
}

function fill(row) {
  columns.slice(1).forEach((column, number) => {
    const cell = row.cells[number], value = column.key(row);
    cell.className = [column.first && "edge", value === 0 && "zero", column.bar && "valued",
      value < 0 && "negative"].filter(Boolean).join(" ");
    cell.hidden = column.head.hidden;
    cell.dataset.value = value;
    cell.textContent = column.whole ? value.toLocaleString("en") : decimal(value);
    if (!column.whole) cell.title = value === null ? "no value" : value;
    if (column.bar) {
      const most = column.unit ? 1 : data.measures[current].most;
      cell.style.setProperty("--share", Math.min(100, 100 * Math.abs(value || 0) / most).toFixed(1) + "%");
    }
  });
}

function toggle(row, open = !row.detail) {
  if (open === Boolean(row.detail)) return;
  row.opener.setAttribute("aria-expanded", String(open));
  row.line.classList.toggle("open", open);
  if (open) {
    row.detail = element("tr", { class: "detail" },
      element("td", { colspan: columns.length, id: "lists-" + row.position }));
    row.line.after(row.detail);
    row.detail.firstChild.append(panel(row));
    history.replaceState(null, "", link(row));
  } else {
    row.detail.remove();
    row.detail = null;
  }
}

const effects = {
  changed: (row) => row.changes[current].some((count) => count > 0),
  wins: (row) => reaches(row, "gain") && !reaches(row, "loss"),
  loses: (row) => reaches(row, "loss") && !reaches(row, "gain"),
  either: (row) => reaches(row, "gain") && reaches(row, "loss"),
};

// Whether a value, or what is not ruled out, is above zero.
function reaches(row, name) {
  const values = row.values[current];
  const gap = data.columns.indexOf(name + "_gap");
  return values[data.columns.indexOf(name)] + (gap < 0 ? 0 : values[gap]) > data.measures[current].rounding;
}

function show() {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  const least = Number.parseFloat(minimum.value);
  const fits = effects[effect.value] || (() => true);
  const part = segment && segment.value !== "" ? Number(segment.value) : null;
  shown = rows.filter((row) => words.every((word) => row.searched.includes(word))
    && !(row.values[current][0] < least) && fits(row) && (part === null || row.segment === part)).sort(compare);
  const now = whole || shown.length <= few + 5 ? shown : shown.slice(0, few);
  document.getElementById("more").hidden = now === shown;
  document.getElementById("all").textContent = "Show all " + shown.length;
  body.replaceChildren(...now.flatMap((row) => row.detail ? [row.line, row.detail] : [row.line]));
  columns.forEach((column, number) => {
    if (number !== order.column) column.head.removeAttribute("aria-sort");
    else column.head.setAttribute("aria-sort", order.descending ? "descending" : "ascending");
  });
  count.textContent = shown.length + " of " + rows.length + (rows.length === 1 ? " query" : " queries");
  const none = shown.length === 0 && rows.length > 0;
  document.getElementById("none").hidden = !none;
  if (none) missing(words.length && !rows.some((row) => words.every((word) => row.searched.includes(word))) ? search.value : "");
}

function missing(what) {
  const here = rows.length.toLocaleString("en") + (rows.length === 1 ? " query" : " queries") + " in this page";
  const elsewhere = rows.length < data.total
    ? ", of " + data.total.toLocaleString("en") + "; " + data.explainer + " shows any query, and --query puts it in a page."
    : ".";
  document.getElementById("why-none").textContent = what
    ? "“" + what + "” is not among the " + here + elsewhere : "No matching queries among the " + here + ".";
  document.getElementById("none").hidden = false;
}

function refresh() {
  measured();
  if (columns[order.column].head.hidden) Object.assign(order, { column: 1, descending: true });
  rows.forEach(fill);
  for (const row of rows.filter((one) => one.detail)) row.detail.firstChild.replaceChildren(panel(row));
  show();
}

// ---- A link to each query: #q and its id, or the id alone where it begins with q.

function link(row) {
  const plain = row.id.startsWith("q") && !byId.has(row.id.slice(1));
  return "#" + (plain ? "" : "q") + encodeURIComponent(row.id);
}

function follow() {
  let wanted;
  try {
    wanted = decodeURIComponent(location.hash.slice(1));
  } catch {
    return;
  }
  if (!wanted.startsWith("q") || document.getElementById(wanted)) return;
  const row = byId.get(wanted.slice(1)) || byId.get(wanted);
  if (row) visit(row);
  else missing(wanted);
}

function visit(row) {
  if (!shown.includes(row)) reset();
  if (!row.line.isConnected) showAll();
  toggle(row, true);
  row.opener.focus({ preventScroll: true });
  row.line.scrollIntoView({ block: "start", behavior: "instant" });
}

function showAll() {
  whole = true;
  show();
}

function reset() {
  search.value = minimum.value = effect.value = "";
  if (segment) segment.value = "";
  show();
}

// From an open query to the next one, in the order of the table.
function step(row, by) {
  const next = shown[shown.indexOf(row) + by];
  if (!next) return;
  toggle(row, false);
  visit(next);
}

body.addEventListener("keydown", (event) => {
  const line = event.target.closest("tr");
  const row = rows.find((one) => one.line === line || one.detail === line);
  if (!row || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Escape" && row.detail) {
    toggle(row, false);
    row.opener.focus();
  } else if (/^[np]$/.test(event.key)) {
    step(row, event.key === "n" ? 1 : -1);
  } else if (event.target === row.opener && /^Arrow(Up|Down)$/.test(event.key)) {
    const openers = [...body.querySelectorAll(".opener")];
    const next = openers[openers.indexOf(row.opener) + (event.key === "ArrowDown" ? 1 : -1)];
    if (next) {
      event.preventDefault();
      next.focus();
    }
  }
});

// ---- A query taken apart.

function panel(row) {
  const button = (label, act, dead) => {
    const made = element("button", { type: "button", class: "close", disabled: dead }, label);
    made.addEventListener("click", act);
    return made;
  };
  const place = shown.indexOf(row);
  const tools = element("div", { class: "tools" },
    button("Previous", () => step(row, -1), place <= 0),
    button("Next", () => step(row, 1), place < 0 || place === shown.length - 1),
    button("Close", () => {
      toggle(row, false);
      row.opener.focus();
    }));
  const box = element("div", { class: "panel", role: "region", "aria-label": "Query " + row.id }, tools,
    element("h3", {}, row.text || "Query " + row.id),
    element("p", { class: "text" }, row.text ? "Query " + row.id + " " : null,
      element("a", { href: link(row) }, "Link to this query")));
  const detail = data.lists[row.position];
  if (!detail || !detail.parts[current]) {
    const what = detail ? "What the " + data.items + " of this query add to " + data.measures[current].name + " is"
      : "The lists of this query are";
    box.append(element("p", { class: "sentence" },
      what + " left out to keep this file small; " + data.explainer + " shows it."));
    return box;
  }
  const state = { measure: current, direction: larger(row, current) };
  const content = element("div");
  const draw = () => content.replaceChildren(...lists(row, detail, state));
  const values = row.values[current];
  box.append(element("p", { class: "sentence" }, detail.parts[current].sentence),
    radios(row, "Relevance that makes", [
      ["loss", "the most loss: " + decimal(values[data.columns.indexOf("loss")])],
      ["gain", "the most gain: " + decimal(values[data.columns.indexOf("gain")])],
    ], state.direction, (value) => {
      state.direction = value;
      draw();
    }), content);
  draw();
  return box;
}

function larger(row, measure) {
  const [gain, loss] = ["gain", "loss"].map((name) => row.values[measure][data.columns.indexOf(name)]);
  return loss >= gain - 1e-12 ? "loss" : "gain";
}

function radios(row, legend, options, chosen, choose) {
  const group = element("fieldset", { class: "choices" }, element("legend", {}, legend));
  for (const [value, label] of options) {
    const input = element("input",
      { type: "radio", name: legend + "-" + row.position, value, checked: value === chosen });
    input.addEventListener("change", () => choose(value));
    group.append(element("label", {}, input, label));
  }
  return group;
}

function lists(row, detail, state) {
  const parts = detail.parts[state.measure];
  const worths = parts[state.direction];
  const favoured = state.direction === "gain" ? 1 : 0;
  const { grades } = data.measures[state.measure];
  const documents = detail.documents.map(([number, before, after, grade], i) => ({
    grades,
    id: data.documents[number][0], title: data.documents[number][1] || "",
    ranks: [before, after], grade, worth: worths[i], items: [null, null],
  }));
  const most = Math.max(1e-9, ...documents.map((one) => (one.worth ? Math.abs(one.worth[1]) : 0)));
  const reach = data.measures[state.measure].reach || Infinity;
  const box = element("div", { class: "lists" });
  ["Before", "After"].forEach((side, n) => {
    const title = element("h4", { style: "grid-column:" + (2 * n + 1) }, side + ": " + data.names[n],
      element("small", {}, n === favoured
        ? "with what each " + data.item + " adds to the " + state.direction
        : "the same " + data.items + ", the same relevance"));
    const shown = documents.filter((one) => one.ranks[n] && one.ranks[n] <= data.ranks)
      .sort((a, b) => a.ranks[n] - b.ranks[n]);
    const list = element("ol", { style: "grid-column:" + (2 * n + 1), "aria-label": "List " + side.toLowerCase() });
    for (const one of shown) {
      one.items[n] = item(one, n, favoured, most, reach);
      list.append(one.items[n]);
    }
    const more = detail.length[n] - shown.length;
    if (more > 0) list.append(element("li", { class: "more" }, more + " more ranks are not shown"));
    if (!detail.length[n]) list.append(element("li", { class: "empty" }, "no results"));
    box.append(title, list);
  });
  const links = drawn("svg", { class: "links", "aria-hidden": "true" });
  box.append(links);
  connect(box, links, documents);
  return [box, sum(row, detail, state, documents)];
}

function kind([before, after]) {
  if (!before) return "new";
  if (!after) return "gone";
  return before === after ? "same" : after < before ? "up" : "down";
}

function mark(ranks) {
  const by = Math.abs(ranks[0] - ranks[1]);
  const [short, long] = {
    new: ["+ new", "new, entered at rank " + ranks[1]],
    gone: ["− gone", "gone, left rank " + ranks[0]],
    up: ["▲ " + by, "moved up by " + by + ", from rank " + ranks[0] + " to " + ranks[1]],
    down: ["▼ " + by, "moved down by " + by + ", from rank " + ranks[0] + " to " + ranks[1]],
    same: ["= same", "at the same rank"],
  }[kind(ranks)];
  return element("span", { class: "mark " + kind(ranks), title: long }, seen(short), hidden(long));
}

// The relevance that an unjudged document has here, as people say it.
function assumed(relevance, grades) {
  if (!(relevance > 0)) return "not relevant";
  if (!grades) return relevance === 1 ? "relevant" : "relevant " + relevance;
  const distance = (grade) => Math.abs(grades[grade] - relevance);
  return "grade " + grades.map((_, grade) => grade).reduce((best, grade) => (distance(grade) < distance(best) ? grade : best));
}

function item(one, side, favoured, most, reach) {
  const worth = element("span", { class: "worth" });
  const place = one.ranks[favoured];
  const carries = side === favoured || !place || place > Math.min(reach, data.ranks);
  if (!one.worth || one.ranks[side] > reach) {
    worth.append("not looked at");
  } else {
    const [relevance, part] = one.worth;
    if (carries && (relevance > 0 || part !== 0)) {
      const bar = element("i", { class: part < 0 ? "negative" : null });
      bar.style.width = (100 * Math.abs(part) / most).toFixed(1) + "%";
      worth.append(element("span", { class: "adds" }, hidden("adds "), decimal(part, true)),
        element("span", { class: "bar", "aria-hidden": "true" }, bar));
    }
    if (one.grade === null) worth.append(element("span", {}, assumed(relevance, one.grades)));
  }
  if (one.grade !== null) worth.append(" ", element("span", { class: "grade" }, "judged " + one.grade));
  const made = element("li",
    { class: "document " + kind(one.ranks) + (one.ranks[side] > reach ? " below" : "") },
    element("span", { class: "rank" }, hidden("rank "), String(one.ranks[side])),
    element("span", { class: "what" + (one.title ? " titled" : "") },
      one.title ? element("span", { class: "caption", title: one.title }, one.title) : null,
      element("span", { class: "name" }, one.id)),
    mark(one.ranks), worth);
  const light = (on) => [...one.items, one.link].forEach((some) => some && some.classList.toggle("lit", on));
  made.addEventListener("mouseenter", () => light(true));
  made.addEventListener("mouseleave", () => light(false));
  return made;
}

// Lines that join the same document, drawn anew whenever the lists change their size.
function connect(box, links, documents) {
  const joined = documents.filter((one) => one.ranks[0] && one.ranks[1]);
  for (const one of joined) {
    one.link = drawn("path", { class: kind(one.ranks) });
    links.append(one.link);
  }
  const place = () => {
    const frame = links.getBoundingClientRect();
    const middle = (made) => {
      if (!made) return frame.height; // beyond what is shown
      const { top, height } = made.getBoundingClientRect();
      return top - frame.top + height / 2;
    };
    const half = frame.width / 2;
    for (const one of joined) {
      const [from, to] = one.items.map(middle);
      one.link.setAttribute("d",
        `M0 ${from}C${half} ${from} ${half} ${to} ${frame.width} ${to}`);
    }
  };
  new ResizeObserver(place).observe(box);
}

function sum(row, detail, state, documents) {
  const parts = detail.parts[state.measure];
  const gain = state.direction === "gain";
  const unseen = parts.unseen[gain ? 0 : 1];
  const rest = parts.rest[gain ? 1 : 2];
  const here = documents.reduce((total, one) => total + (one.worth ? one.worth[1] : 0), 0);
  const value = row.values[state.measure][data.columns.indexOf(state.direction)];
  const terms = [decimal(here) + " from these " + data.items];
  if (parts.rest[0]) terms.push(decimal(rest) + " from " + parts.rest[0] + " that are not shown");
  if (Math.abs(unseen) >= 0.00005) terms.push(decimal(unseen) + " from unseen ranks below the lists");
  return element("p", { class: "sum" },
    terms.join(" + ") + " = " + state.direction + " " + decimal(value));
}

// ---- Start.

document.getElementById("filters").addEventListener("submit", (event) => event.preventDefault());
for (const control of [search, minimum, effect, segment]) if (control) control.addEventListener("input", show);
document.getElementById("reset").addEventListener("click", () => {
  reset();
  search.focus();
});
document.getElementById("all").addEventListener("click", () => {
  const next = shown[few];
  showAll();
  next.opener.focus();
});
data.segments.forEach((label, code) => segment.append(element("option", { value: code }, label)));
for (const point of document.querySelectorAll("[data-query]")) {
  const row = byId.get(point.dataset.query);
  if (!row) continue;
  point.classList.add("leads");
  point.addEventListener("click", () => visit(row));
}
if (switched) {
  switched.addEventListener("submit", (event) => event.preventDefault());
  switched.addEventListener("change", () => {
    choose(Number(switched.querySelector("input:checked").value));
    refresh();
  });
}
const frame = table.parentElement;
new ResizeObserver(() => {
  if (switched) document.documentElement.style.setProperty("--top", switched.offsetHeight + "px");
  frame.classList.toggle("fits", table.offsetWidth <= frame.clientWidth + 1);
}).observe(frame);
const measured = head();
rows.forEach(build);
choose(current);
refresh();
follow();
addEventListener("hashchange", follow);
})();
