// Tables: the closest and the farthest pairs, and all runs.

const few = 25, ends = 10; // runs before the rest is asked for; pairs at either end
const table = at("table"), sorting = { column: null, descending: false };
let farthest = [];
let everyRun = size <= few + 5;

function pairLink(i, j, text) {
  const button = element("button", { type: "button", class: "link" }, text);
  button.addEventListener("click", () => open(i, j, true));
  return button;
}

function extremes() {
  const pairs = [];
  for (let i = 0; i < size; i += 1) for (let j = i + 1; j < size; j += 1) pairs.push([distance(i, j), i, j]);
  pairs.sort((a, b) => a[0] - b[0] || a[1] - b[1] || a[2] - b[2]);
  const most = Math.min(ends, Math.ceil(pairs.length / 2));
  const parts = [["Closest", pairs.slice(0, most)]];
  if (pairs.length > 1) parts.push(["Farthest", pairs.slice(-Math.min(most, pairs.length - most)).reverse()]);
  farthest = pairs[pairs.length - 1].slice(1);
  at("extremes").replaceChildren(...parts.map(([title, some]) => element("div", {}, pairTable(title, some))));
}

function pairTable(title, some) {
  const heads = ["Pair", view.title, ...(view.truth ? ["Difference of means"] : [])];
  return element("table", { class: "numbers" }, element("caption", {}, title),
    element("thead", {}, element("tr", {}, ...heads.map((head) => element("th", { scope: "col" }, head)))),
    element("tbody", {}, ...some.map(([value, i, j]) => element("tr", {},
      element("th", { scope: "row" }, pairLink(i, j, data.labels[i] + " – " + data.labels[j])),
      element("td", { "data-value": value }, decimal(value)),
      ...(view.truth ? [element("td", {}, decimal(view.truth.of_means[place(i, j)]))] : [])))));
}

function columns() {
  const others = (run) => {
    let sum = 0;
    for (let other = 0; other < size; other += 1) sum += distance(run, other);
    return sum / (size - 1);
  };
  const found = [{ head: "Run", key: (run) => data.names[run] }];
  if (data.groups) found.push({ head: "Group", key: group });
  if (view.truth) found.push({ head: view.truth.measure, key: score, number: true });
  found.push({ head: "Mean distance to the others", key: others, number: true },
    { head: "Closest run", key: (run) => data.names[nearest(run)], link: true },
    { head: "Distance", key: (run) => distance(run, nearest(run)), number: true });
  return found;
}

function runTable() {
  const shown = columns();
  const rows = order.map((run) => ({ run, cells: shown.map((column) => column.key(run)) }));
  const { column, descending } = sorting;
  if (column !== null) {
    const compare = shown[column].number ? (a, b) => (a ?? -Infinity) - (b ?? -Infinity) : collator.compare;
    rows.sort((a, b) => compare(a.cells[column], b.cells[column]) * (descending ? -1 : 1));
  }
  table.tHead.replaceChildren(element("tr", {}, ...shown.map((one, number) => headOf(one, number))));
  const most = shown.map((one, number) => (one.number ? Math.max(...rows.map((row) => row.cells[number] ?? 0)) : 0));
  table.tBodies[0].replaceChildren(...(everyRun ? rows : rows.slice(0, few)).map(({ run, cells }) =>
    element("tr", {}, ...cells.map((cell_, number) => cellOf(shown[number], number, run, cell_, most[number])))));
  at("more").hidden = everyRun;
  at("all").textContent = "Show all " + size.toLocaleString("en") + " runs";
}

function headOf(one, number) {
  const button = element("button", { type: "button" }, one.head);
  button.addEventListener("click", () => {
    sorting.descending = sorting.column === number ? !sorting.descending : Boolean(one.number);
    sorting.column = number;
    runTable();
    table.tHead.rows[0].cells[number].firstChild.focus();
  });
  const how = sorting.column === number ? (sorting.descending ? "descending" : "ascending") : null;
  return element("th", { scope: "col", "aria-sort": how, class: one.number ? null : "words" }, button);
}

function cellOf(one, number, run, value, most) {
  if (number === 0) return element("th", { scope: "row" }, value);
  if (one.link) return element("td", { class: "words" }, pairLink(run, nearest(run), value));
  if (!one.number) return element("td", { class: "words" }, value);
  const made = element("td", { class: "bar", "data-value": value }, decimal(value));
  made.style.setProperty("--share", (most ? 100 * Math.max(0, value ?? 0) / most : 0).toFixed(1) + "%");
  return made;
}

at("all").addEventListener("click", () => {
  everyRun = true;
  runTable();
  table.tBodies[0].rows[few].querySelector("button").focus();
});
