(() => {
"use strict";

const data = JSON.parse(document.getElementById("data").textContent);
const table = document.getElementById("table");
const body = table.tBodies[0];
const search = document.getElementById("search");
const minimum = document.getElementById("minimum");
const minimumOf = document.getElementById("minimum-of");
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

// ---- Columns: what a row is sorted by.

const columns = [{ label: "Query", key: (row) => row.id }];
data.measures.forEach((measure, m) => data.columns.forEach((name, c) => columns.push(
  { label: name, number: true, first: c === 0, key: (row) => row.values[m][c] })));
data.changes.forEach((name, c) => columns.push(
  { label: name, number: true, whole: true, first: c === 0, key: (row) => row.changes[c] }));

const collator = new Intl.Collator("en", { numeric: true });
const rows = data.rows.map((row, position) => ({ ...row, position }));
rows.forEach((row) => { row.searched = (row.id + " " + row.text).toLowerCase(); });
const order = { column: 1, descending: true };

function head() {
  const groups = element("tr", {}, element("td", { class: "query" }));
  data.measures.forEach((measure) => groups.append(element("th",
    { class: "group edge", scope: "colgroup", colspan: data.columns.length }, measure.name)));
  groups.append(element("th",
    { class: "group edge", scope: "colgroup", colspan: data.changes.length }, data.changed));
  const names = element("tr");
  columns.forEach((column, number) => {
    const button = element("button", { type: "button" }, column.label);
    button.addEventListener("click", () => sortBy(number));
    column.head = element("th",
      { scope: "col", class: number === 0 ? "query" : column.first ? "edge" : null }, button);
    names.append(column.head);
  });
  table.tHead.append(groups, names);
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

function build(row) {
  row.opener = element("button",
    { type: "button", class: "opener", "aria-expanded": "false", "aria-controls": "lists-" + row.position },
    element("span", { class: "id" }, row.id),
    row.text ? element("span", { class: "words" }, row.text) : null);
  row.line = element("tr", { class: "row" },
    element("th", { scope: "row", class: "query" }, row.opener));
  columns.slice(1).forEach((column) => {
    const value = column.key(row);
    const whole = column.whole;
    row.line.append(element("td",
      { class: (column.first ? "edge " : "") + (value === 0 ? "zero" : ""), "data-value": value, title: whole ? null : value },
      whole ? value.toLocaleString("en") : decimal(value)));
  });
  row.line.addEventListener("click", (event) => {
    if (event.target.closest("button") || !String(getSelection())) toggle(row);
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
  } else {
    row.detail.remove();
    row.detail = null;
  }
}

function show() {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  const least = Number.parseFloat(minimum.value);
  const measure = minimumOf ? Number(minimumOf.value) : 0;
  const chosen = rows.filter((row) => words.every((word) => row.searched.includes(word))
    && !(row.values[measure][0] < least)).sort(compare);
  body.replaceChildren(...chosen.flatMap((row) => row.detail ? [row.line, row.detail] : [row.line]));
  columns.forEach((column, number) => {
    if (number !== order.column) column.head.removeAttribute("aria-sort");
    else column.head.setAttribute("aria-sort", order.descending ? "descending" : "ascending");
  });
  count.textContent = chosen.length + " of " + rows.length + (rows.length === 1 ? " query" : " queries");
  document.getElementById("none").hidden = chosen.length > 0 || rows.length === 0;
}

body.addEventListener("keydown", (event) => {
  const line = event.target.closest("tr");
  const row = rows.find((one) => one.line === line || one.detail === line);
  if (!row) return;
  if (event.key === "Escape" && row.detail) {
    toggle(row, false);
    row.opener.focus();
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
  const close = element("button", { type: "button", class: "close" }, "Close");
  close.addEventListener("click", () => {
    toggle(row, false);
    row.opener.focus();
  });
  const box = element("div", { class: "panel", role: "region", "aria-label": "Query " + row.id }, close,
    element("h3", {}, "Query " + row.id),
    row.text ? element("p", { class: "text" }, row.text) : null);
  const detail = data.lists[row.position];
  if (!detail) {
    box.append(element("p", { class: "sentence" },
      "The lists of this query are left out to keep this file small; " + data.explainer + " shows them."));
    return box;
  }
  const state = { measure: 0, direction: larger(row, 0) };
  const content = element("div");
  const draw = () => content.replaceChildren(...lists(row, detail, state));
  const sentence = element("p", { class: "sentence" });
  const say = () => { sentence.textContent = detail.parts[state.measure].sentence; };
  const choices = element("div", { class: "choices" });
  const offer = () => {
    choices.replaceChildren();
    if (detail.parts.length > 1) {
      choices.append(radios(row, "Measure", detail.parts.map((_, m) => [m, data.measures[m].name]), state.measure,
        (value) => {
          Object.assign(state, { measure: Number(value), direction: larger(row, Number(value)) });
          offer();
          choices.querySelector("input:checked").focus();
          say();
          draw();
        }));
    }
    const values = row.values[state.measure];
    choices.append(radios(row, "Relevance that makes", [
      ["loss", "the most loss: " + decimal(values[data.columns.indexOf("loss")])],
      ["gain", "the most gain: " + decimal(values[data.columns.indexOf("gain")])],
    ], state.direction, (value) => {
      state.direction = value;
      draw();
    }));
  };
  offer();
  say();
  draw();
  box.append(sentence, choices, content);
  return box;
}

function larger(row, measure) {
  const [gain, loss] = ["gain", "loss"].map((name) => row.values[measure][data.columns.indexOf(name)]);
  return loss >= gain - 1e-12 ? "loss" : "gain";
}

function radios(row, legend, options, chosen, choose) {
  const group = element("fieldset", {}, element("legend", {}, legend));
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
  const documents = detail.documents.map(([number, before, after, grade], i) => ({
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
    worth.append(element("span", {}, relevance > 0 ? "relevant " + relevance : "not relevant"));
  }
  if (one.grade !== null) worth.append(" ", element("span", { class: "grade" }, "grade " + one.grade));
  const made = element("li",
    { class: "document " + kind(one.ranks) + (one.ranks[side] > reach ? " below" : "") },
    element("span", { class: "rank" }, hidden("rank "), String(one.ranks[side])),
    element("span", { class: "what" }, element("span", { class: "name" }, one.id),
      one.title ? element("span", { class: "caption", title: one.title }, one.title) : null),
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
for (const control of [search, minimum, minimumOf]) if (control) control.addEventListener("input", show);
document.getElementById("reset").addEventListener("click", () => {
  search.value = minimum.value = "";
  show();
  search.focus();
});
head();
rows.forEach(build);
show();
})();
