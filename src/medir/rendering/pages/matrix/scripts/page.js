// The page: controls, legend, start.

function legend() {
  const stops = [0, 32, 64, 96, 128, 160, 192, 224, 255].map((level) => "rgb(" + shades.subarray(3 * level, 3 * level + 3).join(" ") + ")");
  at("scale").querySelector("i").style.background = "linear-gradient(to right, " + stops.join(", ") + ")";
  const [low, high] = span().map((value) => (value >= 100 ? value.toFixed(0) : value.toFixed(2)));
  at("low").textContent = low;
  at("high").textContent = high;
  const ranked = at("colours").value === "rank" ? "; as many pairs have each colour" : "";
  at("scaled").textContent = capital(view.label) + ". The colours span what different runs have, from " + low + " to " + high
    + ranked + "; a run and itself are grey.";
  if (!data.groups) return;
  at("groups").replaceChildren(...data.styles.map(([name, fill, shape]) => element("li", {},
    drawn("svg", { viewBox: "-6 -6 12 12", "aria-hidden": "true" }, drawn("path", { class: "mark", d: shapes[shape] || shapes.o, fill })), name)));
}

function refresh() {
  legend();
  arrange(at("order").value);
  if (opened) panel.replaceChildren(...pairParts(...opened));
  drawPlane();
  extremes();
  runTable();
  read();
}

at("controls").addEventListener("submit", (event) => event.preventDefault());
at("order").addEventListener("change", () => {
  sorting.column = null;
  arrange(at("order").value);
  runTable();
  read();
});
at("colours").addEventListener("change", () => {
  legend();
  paint();
  draw();
});
if (at("measure")) {
  at("measure").addEventListener("change", () => {
    view = views[Number(at("measure").value)];
    for (const option of at("order").options) option.disabled = option.value === "score" && !view.truth;
    if (at("order").selectedOptions[0].disabled) at("order").value = "tree";
    refresh();
  });
}
order = orders.tree();
resize();
refresh();
present(...farthest);
follow();
let width = 0;
new ResizeObserver(() => {
  const now = heat.parentElement.clientWidth;
  if (now === width || !now) return;
  width = now;
  resize();
  drawPlane();
}).observe(heat.parentElement);
