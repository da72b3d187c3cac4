// A query taken apart: its two lists, and what each document adds.

function panel(row) {
  const button = (label, act, dead) => {
    const made = element("button", { type: "button", class: "close", disabled: dead }, label);
    made.addEventListener("click", act);
    return made;
  };
  const place = shown.indexOf(row.position);
  const isAlone = place < 0 && shown.length === total; // it does not fit the filters any more
  const tools = element("div", { class: "tools" },
    button("Previous", () => step(row, -1), place === 0 || isAlone),
    button("Next", () => step(row, 1), place === total - 1 || isAlone),
    button("Close", () => {
      toggle(row, false);
      row.opener.focus();
    }));
  const box = element("div", { class: "panel", role: "region", "aria-label": "Query " + row.id }, tools,
    element("h3", {}, row.text || "Query " + row.id),
    element("p", { class: "text" }, row.text ? "Query " + row.id + " " : null,
      element("a", { href: row.link }, "Link to this query")));
  const detail = row.lists;
  const parts = detail && detail.parts(current);
  if (!parts) {
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
  box.append(element("p", { class: "sentence" }, parts.sentence),
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

// The lists of a query whose documents are numbers in a table of documents.
function listed(detail, documents) {
  const named = (number) => ({ id: documents[number][0], title: documents[number][1] || "" });
  const rows = detail.documents.map(([number, before, after, grade]) => ({ ...named(number), ranks: [before, after], grade }));
  detail.documents.forEach(([, , , , other, above], i) => {
    if (Number.isInteger(other)) rows[i].after = named(other);
    if (Number.isInteger(above)) rows[i].repeats = rows[above];
  });
  return { length: detail.length, documents: rows, parts: (measure) => detail.parts[measure] };
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
  const parts = detail.parts(state.measure);
  const worths = parts[state.direction];
  const favoured = state.direction === "gain" ? 1 : 0;
  const { grades } = data.measures[state.measure];
  const documents = detail.documents.map((one, i) => ({ ...one, grades, worth: worths[i], items: [null, null] }));
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

// The document that stands in a row, in the list of one side.
function standing(one, side) {
  return side === 1 && one.after ? one.after : one;
}

// What a row repeats, in the list of one side.
function repeated(one, side) {
  return "repeats " + standing(one.repeats, side).id + ", rank " + one.repeats.ranks[side];
}

function mark({ ranks, repeats }) {
  if (repeats) return element("span", { class: "mark same" }, "repeat");
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
  } else if (one.repeats) {
    worth.append(repeated(one, side));
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
  if (one.grade !== null && !one.repeats) worth.append(" ", element("span", { class: "grade" }, "judged " + one.grade));
  const { id, title } = standing(one, side);
  const made = element("li",
    { class: "document " + kind(one.ranks) + (one.ranks[side] > reach ? " below" : "") },
    element("span", { class: "rank" }, hidden("rank "), String(one.ranks[side])),
    element("span", { class: "what" + (title ? " titled" : "") },
      title ? element("span", { class: "caption", title }, title) : null,
      element("span", { class: "name" }, id)),
    mark(one), worth);
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
  const parts = detail.parts(state.measure);
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
