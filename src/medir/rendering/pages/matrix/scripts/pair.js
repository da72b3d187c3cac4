// A pair of runs: its distance, what judgments say, and its most different queries.

let opened = null;
const panel = at("pair");

function present(i, j) {
  opened = [i, j];
  panel.replaceChildren(...pairParts(i, j));
  redraw();
}

function open(i, j, byKey = false) {
  if (i === j) return;
  present(i, j);
  cursor = [order.indexOf(i), order.indexOf(j)];
  history.replaceState(null, "", "#pair-" + (i + 1) + "-" + (j + 1));
  read();
  if (byKey) panel.querySelector("h3").focus({ preventScroll: true });
  panel.scrollIntoView({ block: "nearest" });
}

function close() {
  if (!opened) return;
  opened = null;
  panel.replaceChildren(hint());
  history.replaceState(null, "", location.pathname + location.search);
  heat.focus({ preventScroll: true });
  redraw();
}

const hint = () => element("p", { class: "small" }, "Open a pair to see its most different queries here.");

function pairParts(i, j) {
  const closing = element("button", { type: "button" }, "Close");
  closing.addEventListener("click", close);
  return [
    element("div", { class: "closing" }, closing),
    element("h3", { tabindex: -1 }, data.names[i], element("span", {}, " and "), data.names[j]),
    facts(i, j),
    ...queriesOf(i, j),
  ];
}

function facts(i, j) {
  const value = distance(i, j);
  const rows = [[capital(view.label), decimal(value)],
    ["Closer pairs", closer(value).toLocaleString("en") + " of " + view.values.length.toLocaleString("en")]];
  if (data.groups) {
    const [a, b] = [group(i), group(j)];
    rows.push(a === b ? ["Group", a] : ["Groups", a + " and " + b]);
  }
  if (view.truth) {
    rows.push([view.truth.measure + " of " + data.names[i], decimal(score(i))],
      [view.truth.measure + " of " + data.names[j], decimal(score(j))],
      ["Difference of means", decimal(view.truth.of_means[place(i, j)])],
      ["Mean of differences", decimal(view.truth.by_query[place(i, j)])]);
  }
  return element("dl", {}, ...rows.map(([name, text]) =>
    element("div", {}, element("dt", {}, name), element("dd", {}, text))));
}

function queriesOf(i, j) {
  if (!data.most) return [element("p", { class: "small" }, "Its most different queries are not in this page.")];
  const found = peaks(i, j);
  if (!found.length) return [element("p", {}, "No query differs.")];
  const scored = Boolean(view.scores);
  const heads = ["Query", view.title.startsWith("MED-") ? "MED" : view.label.replace("mean ", ""), ...(scored ? ["First", "Second"] : [])];
  const table = element("table", { class: "numbers" },
    element("caption", {}, "Most different queries" + (scored ? ", with the score of the first and of the second run" : "")),
    element("thead", {}, element("tr", {}, ...heads.map((head) => element("th", { scope: "col" }, head)))),
    element("tbody", {}, ...found.map(({ id, value, scores }) => element("tr", {},
      element("th", { scope: "row" }, id), element("td", {}, decimal(value)),
      ...(scored ? scores.map((one) => element("td", {}, decimal(one))) : [])))));
  return [element("div", { class: "scroll", role: "region", tabindex: 0, "aria-label": "Most different queries" }, table),
    element("p", { class: "small" }, "medir compare of these two runs, with --report, shows every query and its lists.")];
}

// A link to a pair: #pair-3-17, by the order in which the runs were given.
function follow() {
  const found = /^#pair-(\d+)-(\d+)$/.exec(location.hash);
  const runs = found ? [found[1] - 1, found[2] - 1] : [];
  if (found && runs.every((run) => run >= 0 && run < size)) open(...runs);
}

panel.addEventListener("keydown", (event) => {
  if (event.key === "Escape") close();
});
addEventListener("hashchange", follow);
