// The page: switch, table of queries, filters, links. lists.js has what opens below a query.

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
