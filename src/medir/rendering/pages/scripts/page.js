// The page: switch, table of queries, filters, links. lists.js has what opens below a query; file.js and folder.js have
// where the queries come from.

const data = JSON.parse(document.getElementById("data").textContent);
const source = opened();
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
const columns = [{ label: "Query", key: (row) => row.id, load: () => source.ids() }];
data.columns.forEach((name, c) => columns.push({
  label: name, number: true, measured: true, bar: sides.includes(name), first: c === 0,
  key: (row) => row.values[current][c], load: () => source.values(current, c),
}));
data.beside.forEach((name, c) => columns.push({
  label: name, number: true, bar: true, unit: true, first: c === 0,
  key: (row) => row.beside[c][0], load: () => source.beside(c),
}));
data.changes.forEach((name, c) => columns.push({
  label: name, number: true, whole: true, first: c === 0,
  key: (row) => row.changes[current][c], load: () => source.changes(current, c),
}));

const order = { column: 1, descending: true };
const few = 25; // rows, before the rest is asked for
const owners = new WeakMap(); // the row that a line of the table is of
const open = new Set(); // rows whose lists can be seen
let shown = []; // the positions of queries in the order of the table, as far as they are known
let total = 0; // how many there are
let limit = few; // how many have a line
let pinned = null; // a query on top of the table, far from its place
let turn = 0; // the latest change of the table

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
  owners.set(row.line, row);
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

async function toggle(row, wanted = !row.detail) {
  if (wanted === Boolean(row.detail)) return;
  row.opener.setAttribute("aria-expanded", String(wanted));
  row.line.classList.toggle("open", wanted);
  if (!wanted) {
    row.detail.remove();
    row.detail = null;
    open.delete(row);
    return;
  }
  row.detail = element("tr", { class: "detail" },
    element("td", { colspan: columns.length, id: "lists-" + row.position }));
  owners.set(row.detail, row);
  open.add(row);
  row.line.after(row.detail);
  row.lists = row.lists || await source.lists(row);
  row.link = row.link || await link(row);
  if (!row.detail) return; // closed meanwhile
  row.detail.firstChild.replaceChildren(panel(row));
  history.replaceState(null, "", row.link);
}

// ---- Which queries are shown, in which order.

// Whether a value, or what is not ruled out, is above zero.
async function reaching(name) {
  const gap = data.columns.indexOf(name + "_gap");
  const value = await source.values(current, data.columns.indexOf(name));
  const more = gap < 0 ? () => 0 : await source.values(current, gap);
  const { rounding } = data.measures[current];
  return (at) => value(at) + more(at) > rounding;
}

const effects = {
  changed: async () => {
    const counts = await Promise.all(data.changes.map((_, c) => source.changes(current, c)));
    return (at) => counts.some((count) => count(at) > 0);
  },
  wins: async () => {
    const [gain, loss] = [await reaching("gain"), await reaching("loss")];
    return (at) => gain(at) && !loss(at);
  },
  loses: async () => {
    const [gain, loss] = [await reaching("gain"), await reaching("loss")];
    return (at) => loss(at) && !gain(at);
  },
  either: async () => {
    const [gain, loss] = [await reaching("gain"), await reaching("loss")];
    return (at) => gain(at) && loss(at);
  },
};

const sought = () => search.value.toLowerCase().split(/\s+/).filter(Boolean);

async function containing() {
  const words = sought();
  const text = await source.searched();
  return (at) => words.every((word) => text(at).includes(word));
}

// What a query has to meet, one test after the other.
async function filters() {
  const tests = [];
  if (sought().length) tests.push(await containing());
  const least = Number.parseFloat(minimum.value);
  if (!Number.isNaN(least)) {
    const med = await source.values(current, 0);
    tests.push((at) => !(med(at) < least));
  }
  if (effect.value) tests.push(await effects[effect.value]());
  if (segment && segment.value !== "") {
    const [code, wanted] = [await source.segments(), Number(segment.value)];
    tests.push((at) => code(at) === wanted);
  }
  return tests;
}

// The positions of the queries that fit. The first ones of a large table may be known without all the others; `whole`
// asks for these too.
async function matching(whole) {
  const tests = await filters();
  const column = columns[order.column];
  const known = !tests.length && order.descending && source.first(current, order.column);
  if (known && !(whole && known.length < source.size)) return [known, source.size];
  const key = await column.load();
  const fitting = new Uint32Array(source.size);
  let size = 0;
  for (let at = 0; at < source.size; at += 1) if (tests.every((test) => test(at))) fitting[size++] = at;
  const positions = fitting.subarray(0, size);
  return [column.number ? byNumber(positions, key) : byText(positions, key), size];
}

// What has no value comes last, what is equal in the order of the queries.
function byNumber(positions, key) {
  const keys = new Float64Array(source.size);
  const sign = order.descending ? -1 : 1;
  for (const at of positions) {
    const value = key(at);
    keys[at] = value === null ? NaN : sign * value;
  }
  return positions.sort((a, b) => {
    const [first, second] = [keys[a], keys[b]];
    if (first < second) return -1;
    if (first > second) return 1;
    return first === second ? a - b : (first !== first) - (second !== second) || a - b;
  });
}

// Digits count as numbers. Of very many ids, what a collator says would take too long.
function byText(positions, key) {
  const sign = order.descending ? -1 : 1;
  const collator = new Intl.Collator("en", { numeric: true });
  if (positions.length <= 20000) return positions.sort((a, b) => sign * collator.compare(key(a), key(b)) || a - b);
  const keys = new Array(source.size);
  const padded = (digits) => String.fromCharCode(48 + Math.min(digits.length, 9)) + digits;
  for (const at of positions) keys[at] = key(at).toLowerCase().replace(/[1-9]\d*/g, padded);
  return positions.sort((a, b) => (keys[a] < keys[b] ? -sign : keys[a] > keys[b] ? sign : a - b));
}

async function show() {
  const mine = ++turn;
  const waiting = setTimeout(() => { count.textContent = "Looking through all queries …"; }, 200);
  const found = await matching(limit > few);
  clearTimeout(waiting);
  if (mine !== turn) return; // something else was asked for meanwhile
  [shown, total] = found;
  pinned = null;
  await lay(mine);
}

// Puts the first of the queries that fit into the table.
async function lay(mine) {
  const now = total <= few + 5 ? total : Math.min(limit, total);
  const first = await source.rows(shown.slice(0, now));
  if (mine !== turn) return;
  const rows = pinned ? [pinned, ...first.filter((row) => row !== pinned)] : first;
  for (const row of rows) {
    if (!row.line) build(row);
    fill(row);
  }
  body.replaceChildren(...rows.flatMap((row) => row.detail ? [row.line, row.detail] : [row.line]));
  const rest = total - now;
  document.getElementById("more").hidden = rest === 0;
  document.getElementById("all").textContent = rest <= source.step
    ? "Show all " + total.toLocaleString("en") : "Show " + source.step.toLocaleString("en") + " more";
  columns.forEach((column, number) => {
    if (number !== order.column) column.head.removeAttribute("aria-sort");
    else column.head.setAttribute("aria-sort", order.descending ? "descending" : "ascending");
  });
  count.textContent = total.toLocaleString("en") + " of " + queries();
  const none = total === 0 && source.size > 0;
  document.getElementById("none").hidden = !none;
  if (none) missing(await isNowhere() ? search.value : "");
}

// How many of the queries that fit have a line in the table.
async function extend(lines) {
  limit = lines;
  const mine = ++turn;
  if (shown.length < Math.min(lines, total)) [shown, total] = await matching(true);
  await lay(mine);
}

const queries = () => source.size.toLocaleString("en") + (source.size === 1 ? " query" : " queries");

// Whether nothing but the search is to blame.
async function isNowhere() {
  if (!sought().length) return false;
  const holds = await containing();
  for (let at = 0; at < source.size; at += 1) if (holds(at)) return false;
  return true;
}

function missing(what) {
  const here = queries() + " in this page";
  const elsewhere = source.size < data.total
    ? ", of " + data.total.toLocaleString("en") + "; " + data.explainer + " shows any query, and --query puts it in a page."
    : ".";
  document.getElementById("why-none").textContent = what
    ? "“" + what + "” is not among the " + here + elsewhere : "No matching queries among the " + here + ".";
  document.getElementById("none").hidden = false;
}

function refresh() {
  measured();
  if (columns[order.column].head.hidden) Object.assign(order, { column: 1, descending: true });
  for (const row of open) if (row.lists !== undefined) row.detail.firstChild.replaceChildren(panel(row));
  return show();
}

// ---- A link to each query: #q and its id, or the id alone where it begins with q.

async function link(row) {
  const plain = row.id.startsWith("q") && !await source.find(row.id.slice(1));
  return "#" + (plain ? "" : "q") + encodeURIComponent(row.id);
}

async function follow() {
  let wanted;
  try {
    wanted = decodeURIComponent(location.hash.slice(1));
  } catch {
    return;
  }
  if (!wanted.startsWith("q") || document.getElementById(wanted)) return;
  const row = await source.find(wanted.slice(1)) || await source.find(wanted);
  if (row) await visit(row);
  else missing(wanted);
}

async function visit(row) {
  if (shown.indexOf(row.position) < 0 && shown.length === total) await reset();
  const place = shown.indexOf(row.position);
  if (place < 0 || place >= limit + source.step) await pin(row);
  else if (place >= limit) await extend(source.lines(place));
  await toggle(row, true);
  row.opener.focus({ preventScroll: true });
  row.line.scrollIntoView({ block: "start", behavior: "instant" });
}

function pin(row) {
  pinned = row;
  return lay(++turn);
}

// Where a query is in the order of the table.
async function placeOf(row) {
  const place = shown.indexOf(row.position);
  if (place >= 0 || shown.length >= total) return place;
  [shown, total] = await matching(true);
  return shown.indexOf(row.position);
}

function reset() {
  search.value = minimum.value = effect.value = "";
  if (segment) segment.value = "";
  return show();
}

// From an open query to the next one, in the order of the table.
async function step(row, by) {
  const place = await placeOf(row) + by;
  if (place === shown.length && place < total) [shown, total] = await matching(true);
  if (!(place >= 0 && place < shown.length)) return;
  const [next] = await source.rows(shown.slice(place, place + 1));
  await toggle(row, false);
  await visit(next);
}

body.addEventListener("keydown", (event) => {
  const line = event.target.closest("tr");
  const row = owners.get(line);
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
document.getElementById("all").addEventListener("click", async () => {
  const last = body.querySelectorAll("tr.row").length;
  await extend(source.lines(last));
  body.querySelectorAll(".opener")[last].focus();
});
data.segments.forEach((label, code) => segment.append(element("option", { value: code }, label)));
for (const point of document.querySelectorAll("[data-query]")) {
  if (!source.has(point.dataset.query)) continue;
  point.classList.add("leads");
  point.addEventListener("click", async () => visit(await source.find(point.dataset.query)));
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
choose(current);
refresh().then(follow);
addEventListener("hashchange", follow);
