// The map: a point for each run. One of them can be reached by Tab, the others by arrow keys.

const plane = at("plane");
const shapes = {
  o: "M-5 0a5 5 0 1 0 10 0a5 5 0 1 0-10 0z", ".": "M-3 0a3 3 0 1 0 6 0a3 3 0 1 0-6 0z",
  s: "M-4.4-4.4h8.8v8.8h-8.8z", D: "M0-6L6 0L0 6L-6 0z",
  "^": "M0-5.8L5.4 4H-5.4z", v: "M0 5.8L5.4-4H-5.4z", "<": "M-5.8 0L4 5.4V-5.4z", ">": "M5.8 0L-4 5.4V-5.4z",
  P: "M-2-5.4h4v3.4h3.4v4h-3.4v3.4h-4v-3.4h-3.4v-4h3.4z", X: "M-5.4-2.6l2.8-2.8L0-2.8l2.6-2.6 2.8 2.8L2.8 0l2.6 2.6-2.8 2.8L0 2.8l-2.6 2.6-2.8-2.8L-2.8 0z",
  p: "M0-5.8L5.5-1.8L3.4 4.7H-3.4L-5.5-1.8z",
};
let chosen = null;    // the first of two runs
let points = [];      // where the runs are, in pixels

const mark = (run) => (data.groups ? data.styles[data.groups[run]] : ["", "#4a8fd6", "o"]);

function drawPlane() {
  if (!plane || !view.points) return;
  const wide = Math.floor(plane.clientWidth), room = Math.min(70, wide / 8);
  const [xs, ys] = [0, 1].map((axis) => view.points.map((point) => point[axis]));
  const extents = [xs, ys].map((some) => Math.max(...some) - Math.min(...some) || 1e-9);
  const high = Math.round(Math.min(640, Math.max(260, (wide - 2 * room) * extents[1] / extents[0] + 60)));
  const zoomed = Math.min((wide - 2 * room) / extents[0], (high - 50) / extents[1]);
  const middles = [xs, ys].map((some) => (Math.max(...some) + Math.min(...some)) / 2);
  points = xs.map((x, run) => [wide / 2 + (x - middles[0]) * zoomed, high / 2 - (ys[run] - middles[1]) * zoomed]);
  const focused = plane.contains(document.activeElement) ? Number(document.activeElement.dataset.run) : null;
  const svg = drawn("svg", { width: wide, height: high, viewBox: "0 0 " + wide + " " + high, role: "group",
    "aria-label": "Map of the runs" }, drawn("line", { id: "between", visibility: "hidden" }));
  const small = Math.min(1, size > 150 ? 0.7 : 1, Math.max(0.5, wide / 700));
  points.forEach(([x, y], run) => svg.append(pointOf(run, x, y, small, run === (focused ?? view.tree[0]))));
  svg.append(...labelsOf(wide, high, small));
  plane.replaceChildren(svg);
  if (focused !== null) pointOn(focused).focus({ preventScroll: true });
  say(null);
}

function pointOf(run, x, y, small, reached) {
  const [name, fill, shape] = mark(run);
  const said = data.names[run] + (name ? ", " + group(run) : "") + (view.truth ? ", score " + decimal(score(run)) : "");
  return drawn("g", { class: "point" + (run === chosen ? " chosen" : ""), "data-run": run, tabindex: reached ? 0 : -1,
    role: "button", "aria-label": said, "aria-pressed": String(run === chosen),
    transform: "translate(" + x.toFixed(1) + " " + y.toFixed(1) + ") scale(" + small + ")" },
  drawn("path", { d: shapes[shape] || shapes.o, fill }));
}

const pointOn = (run) => plane.querySelector('[data-run="' + run + '"]');

// Names where they cover neither another name nor a point; the others are read by pointing.
function labelsOf(wide, high, small) {
  const taken = points.map(([x, y]) => [x - 6 * small, y - 6 * small, x + 6 * small, y + 6 * small]);
  const free = (box) => box[0] > 2 && box[1] > 2 && box[2] < wide - 2 && box[3] < high - 2
    && taken.every((other) => box[0] >= other[2] || box[2] <= other[0] || box[1] >= other[3] || box[3] <= other[1]);
  pen.font = "11px " + font;
  const made = [];
  for (const run of view.tree) {
    const [x, y] = points[run], text = fitting(data.labels[run], 170), length = pen.measureText(text).width;
    const spots = [[x + 8, y, "start"], [x - 8 - length, y, "start"], [x - length / 2, y - 13, "start"], [x - length / 2, y + 13, "start"]];
    const spot = spots.find(([left, middle]) => free([left - 1, middle - 7, left + length + 1, middle + 7]));
    if (!spot) continue;
    taken.push([spot[0] - 1, spot[1] - 7, spot[0] + length + 1, spot[1] + 7]);
    made.push(drawn("text", { x: spot[0].toFixed(1), y: (spot[1] + 3.8).toFixed(1), "aria-hidden": "true" }, text));
  }
  return made;
}

function nearest(run) {
  let best = null;
  for (let other = 0; other < size; other += 1) {
    if (other !== run && (best === null || distance(run, other) < distance(run, best))) best = other;
  }
  return best;
}

// What is said of a run, and of it and the one that was chosen.
function say(run) {
  const line = at("between");
  line.setAttribute("visibility", "hidden");
  const words = [];
  if (run !== null) {
    const near = nearest(run);
    words.push(element("b", {}, data.names[run]), data.groups ? ", " + group(run) : "",
      view.truth ? ", score " + decimal(score(run)) : "",
      ". Closest: " + data.names[near] + " (" + decimal(distance(run, near)) + "). ");
  }
  if (chosen !== null && run !== chosen) {
    words.push(run === null ? data.names[chosen] + " is chosen: choose another run to open their pair."
      : "Distance to " + data.names[chosen] + ": " + decimal(distance(run, chosen)) + ".");
    if (run !== null) {
      put(line, { x1: points[chosen][0], y1: points[chosen][1], x2: points[run][0], y2: points[run][1], visibility: "visible" });
    }
  }
  at("place").replaceChildren(...(words.length ? words
    : [view.title + ", Kruskal's stress-1: " + view.stress.toFixed(3) + ". Point at a run to read it."]));
}

function choose(run) {
  const before = chosen;
  chosen = before === null ? run : null;
  for (const one of plane.querySelectorAll(".point")) {
    const pressed = Number(one.dataset.run) === chosen;
    one.classList.toggle("chosen", pressed);
    one.setAttribute("aria-pressed", String(pressed));
  }
  if (before !== null && before !== run) open(before, run, true);
  say(run);
}

// The next run in a direction: near, and not far off to the side.
function beyond(run, [up, right]) {
  let best = null, least = Infinity;
  points.forEach(([x, y], other) => {
    const [ahead, aside] = [(x - points[run][0]) * right + (y - points[run][1]) * up,
      Math.abs((x - points[run][0]) * up) + Math.abs((y - points[run][1]) * right)];
    if (other === run || ahead <= 0 || ahead + 2 * aside >= least) return;
    [best, least] = [other, ahead + 2 * aside];
  });
  return best;
}

if (plane) {
  const of = (event) => {
    const point = event.target.closest(".point");
    return point ? Number(point.dataset.run) : null;
  };
  for (const [name, leaving] of [["pointerover", false], ["focusin", false], ["pointerout", true], ["focusout", true]]) {
    plane.addEventListener(name, (event) => say(leaving ? null : of(event)));
  }
  plane.addEventListener("click", (event) => {
    if (of(event) !== null) choose(of(event));
  });
  plane.addEventListener("keydown", (event) => {
    const run = of(event), step = steps[event.key];
    if (run === null) return;
    if (step) {
      const next = beyond(run, step);
      if (next !== null) {
        pointOn(run).setAttribute("tabindex", -1);
        pointOn(next).setAttribute("tabindex", 0);
        pointOn(next).focus();
      }
    } else if (event.key === "Enter" || event.key === " ") choose(run);
    else if (event.key === "Escape" && chosen !== null) choose(chosen);
    else return;
    event.preventDefault();
  });
}
