// The heat map: a sheet of cells in a box that scrolls. A canvas in the box has what is in sight.

const heat = at("heat"), sheet = at("sheet"), canvas = at("cells"), tip = at("tip");
const pen = canvas.getContext("2d");
const shades = numbers(data.shades, Uint8Array);
const readable = 9, roomy = 36, largest = 54; // pixels of a cell: for a name beside it, for a number in it
const strip = data.groups ? 10 : 0;
const font = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif";

let order = [];       // the runs as rows and columns
let image = null;     // one pixel per cell
let side = 0, least = 0, cell = 0, names = 0;  // pixels: of the box, of a cell of the whole map and now, of a name
let cursor = null, pointed = null;             // the cells that keys and the pointer are at: row and column
let forPaper = false;

const orders = {
  tree: () => view.tree.slice(),
  name: () => data.names.map((_, run) => run).sort((a, b) => collator.compare(data.names[a], data.names[b])),
  score: () => orders.name().sort((a, b) => (score(b) ?? -Infinity) - (score(a) ?? -Infinity)),
  group: () => view.tree.slice().sort((a, b) => data.groups[a] - data.groups[b] || collator.compare(group(a), group(b))),
};

function arrange(how) {
  const before = cursor && cursor.map((where) => order[where]);
  order = orders[how]();
  if (before) cursor = before.map((run) => order.indexOf(run));
  pointed = null;
  paint();
  draw();
}

// ---- Sizes.

const isNamed = () => cell >= readable;
const edge = (named) => (named ? names + 6 : data.groups ? 15 : 0) + strip;
const margin = () => edge(isNamed());

function measure() {
  pen.font = "11px " + font;
  const wide = heat.parentElement.clientWidth;
  side = Math.min(wide, Math.max(320, innerHeight - 120));
  names = Math.min(Math.ceil(Math.max(...data.labels.map((label) => pen.measureText(label).width))) + 4, side * 0.32);
  const named = (side - edge(true)) / size;
  least = named >= readable ? Math.min(named, largest) : Math.min((side - edge(false)) / size, readable - 0.01);
  side = Math.min(side, edge(least >= readable) + least * size);
}

function resize() {
  const zoomed = least ? cell / least : 1;
  measure();
  zoomTo(least * zoomed);
}

// Zooms such that what is at a point of the box stays there.
function zoomTo(wanted, x = side / 2, y = side / 2) {
  const runs = [heat.scrollLeft + x - margin(), heat.scrollTop + y - margin()].map((where) => where / (cell || 1));
  cell = Math.min(Math.max(wanted, least), Math.max(largest, least));
  const whole = cell <= least;
  Object.assign(heat.dataset, { cell, margin: margin() });
  heat.style.width = heat.style.height = side + "px";
  heat.style.overflow = whole ? "hidden" : "auto";
  sheet.style.width = sheet.style.height = (whole ? side : margin() + size * cell) + "px";
  heat.scrollLeft = runs[0] * cell + margin() - x;
  heat.scrollTop = runs[1] * cell + margin() - y;
  at("out").disabled = at("whole").disabled = whole;
  at("in").disabled = cell >= Math.max(largest, least);
  draw();
}

function zoom(factor) {
  const here = cursor && cursor.map((where) => margin() + (where + 0.5) * cell);
  if (!here) return zoomTo(cell * factor);
  const inSight = (where, from) => Math.min(Math.max(where - from, margin()), side);
  return zoomTo(cell * factor, inSight(here[1], heat.scrollLeft), inSight(here[0], heat.scrollTop));
}

// ---- Drawing.

// From 0 to 1: where a distance lies between the smallest and the largest, or among all of them.
function height(value) {
  if (at("colours").value === "rank") return closer(value) / Math.max(1, view.sorted.length - 1);
  const [low, high] = span();
  return Math.min(1, Math.max(0, (value - low) / (high - low)));
}

function shade(value) {
  const level = Math.round(255 * height(value));
  return [...shades.subarray(3 * level, 3 * level + 3)];
}

// Colours span what different runs have.
function span() {
  const [low, high] = [view.sorted[0], view.sorted[view.sorted.length - 1]];
  return high - low < 1e-9 ? [0, high || 1] : [low, high];
}

function paint() {
  image = element("canvas", { width: size, height: size });
  const pixels = new ImageData(size, size);
  order.forEach((run, row) => order.forEach((other, column) => {
    const rgb = run === other ? [128, 128, 128] : shade(distance(run, other));
    pixels.data.set([...rgb, run === other ? 90 : 255], 4 * (row * size + column));
  }));
  image.getContext("2d").putImageData(pixels, 0, 0);
}

function inks() {
  if (forPaper) return { text: "#1b2027", muted: "#566070", accent: "#0a5cae" };
  const style = getComputedStyle(document.documentElement);
  return Object.fromEntries(["text", "muted", "accent"].map((name) => [name, style.getPropertyValue("--" + name)]));
}

function draw() {
  if (!image || !side) return;
  const wide = heat.clientWidth || side, high = heat.clientHeight || side, dense = forPaper ? 3 : devicePixelRatio || 1;
  canvas.width = Math.round(wide * dense);
  canvas.height = Math.round(high * dense);
  canvas.style.width = wide + "px";
  canvas.style.height = high + "px";
  pen.setTransform(dense, 0, 0, dense, 0, 0);
  const ink = inks(), from = margin(), [left, top] = [heat.scrollLeft, heat.scrollTop];
  const rows = [Math.floor(top / cell), Math.min(size, Math.ceil((top + high - from) / cell))];
  const columns = [Math.floor(left / cell), Math.min(size, Math.ceil((left + wide - from) / cell))];
  const x = (column) => from + column * cell - left, y = (row) => from + row * cell - top;
  clipped(from, from, wide, high, () => {
    pen.imageSmoothingEnabled = false;
    pen.drawImage(image, x(0), y(0), size * cell, size * cell);
    if (cell >= roomy) drawNumbers(rows, columns, x, y);
    drawBlocks(x, y);
    for (const one of [opened && opened.map((run) => order.indexOf(run)), pointed || cursor]) {
      if (one) drawFrame(x(one[1]), y(one[0]));
    }
  });
  const lit = pointed || cursor || [];
  clipped(0, from, from, high, () => drawSide(rows, y, from, ink, lit[0]));
  pen.transform(0, 1, 1, 0, 0, 0);
  clipped(0, from, from, wide, () => drawSide(columns, x, from, ink, lit[1], true));
}

function clipped(x, y, wide, high, work) {
  pen.save();
  pen.beginPath();
  pen.rect(x, y, wide, high);
  pen.clip();
  work();
  pen.restore();
}

// Names and groups of the rows; of the columns by the same strokes, mirrored at the diagonal.
function drawSide([first, last], along, from, ink, lit, mirrored) {
  if (strip) {
    for (let row = first; row < last; row += 1) {
      pen.fillStyle = colour(order[row]);
      pen.fillRect(from - strip, along(row), strip - 3, cell + 0.5);
    }
  }
  if (isNamed()) {
    pen.font = Math.min(12, Math.max(8, cell * 0.8)) + "px " + font;
    for (let row = first; row < last; row += 1) {
      pen.fillStyle = row === lit ? ink.accent : ink.text;
      write(fitting(data.labels[order[row]], names), from - strip - 5, along(row) + cell / 2, mirrored ? "left" : "right", mirrored);
    }
  } else if (strip) {
    pen.font = "11px " + font;
    pen.fillStyle = ink.muted;
    for (const [start, length, name] of blocks()) {
      const [near, far] = [Math.max(from, along(start)), Math.min(side, along(start + length))];
      if (pen.measureText(name).width < far - near) writeAlong(name, from - strip - 7, (near + far) / 2, mirrored);
    }
  }
}

function write(text, x, y, align, mirrored) {
  pen.save();
  pen.translate(x, y);
  if (mirrored) pen.scale(-1, 1);
  pen.textAlign = align;
  pen.textBaseline = "middle";
  pen.fillText(text, 0, 0);
  pen.restore();
}

// Along the edge: of rows from bottom to top, of columns from left to right.
function writeAlong(text, x, y, mirrored) {
  pen.save();
  pen.translate(x, y);
  if (mirrored) pen.transform(0, 1, 1, 0, 0, 0);
  else pen.rotate(-Math.PI / 2);
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  pen.fillText(text, 0, 0);
  pen.restore();
}

function fitting(text, room) {
  if (pen.measureText(text).width <= room) return text;
  let kept = text.length;
  while (kept > 4 && pen.measureText(text.slice(0, kept / 2) + "…" + text.slice(-kept / 2)).width > room) kept -= 2;
  return text.slice(0, kept / 2) + "…" + text.slice(-kept / 2);
}

function drawNumbers(rows, columns, x, y) {
  pen.font = "11px " + font;
  for (let row = rows[0]; row < rows[1]; row += 1) {
    for (let column = columns[0]; column < columns[1]; column += 1) {
      if (row === column) continue;
      const value = distance(order[row], order[column]);
      pen.fillStyle = height(value) < 0.6 ? "#fff" : "#111";
      write(value >= 100 ? value.toFixed(0) : value.toFixed(2), x(column) + cell / 2, y(row) + cell / 2, "center");
    }
  }
}

// Neighbours of one group: where they start, how many they are, and the group.
function blocks() {
  const found = [];
  if (!data.groups) return found;
  order.forEach((run, row) => {
    const last = found[found.length - 1], name = data.styles[data.groups[run]][0];
    if (last && last[2] === name) last[1] += 1;
    else found.push([row, 1, name]);
  });
  return found.filter(([, length]) => length > 1);
}

function drawBlocks(x, y) {
  pen.strokeStyle = "#fff";
  pen.lineWidth = 1.2;
  for (const [start, length] of blocks()) if (length * cell > 10) pen.strokeRect(x(start), y(start), length * cell, length * cell);
}

function drawFrame(x, y) {
  for (const [wide, colour_] of [[4, "#000"], [2, "#fff"]]) {
    pen.lineWidth = wide;
    pen.strokeStyle = colour_;
    const wider = Math.max(0, 5 - cell) / 2;
    pen.strokeRect(x - wider, y - wider, cell + 2 * wider, cell + 2 * wider);
  }
}

let waiting = false;
function redraw() {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => {
    waiting = false;
    draw();
  });
}

// ---- Reading by pointer and by keys.

function cellAt(event) {
  const box = heat.getBoundingClientRect(), from = margin();
  const [x, y] = [event.clientX - box.left, event.clientY - box.top];
  if (x < from || y < from) return null;
  const found = [Math.floor((y - from + heat.scrollTop) / cell), Math.floor((x - from + heat.scrollLeft) / cell)];
  return found.every((where) => where < size) ? found : null;
}

function pointAt(event) {
  pointed = cellAt(event);
  tip.hidden = !pointed;
  read();
  redraw();
  if (!pointed) return;
  tip.replaceChildren(...told(...pointed.map((where) => order[where])));
  const box = tip.parentElement.getBoundingClientRect();
  const [x, y] = [event.clientX - box.left + 16, event.clientY - box.top + 18];
  tip.style.left = Math.max(0, Math.min(x, box.width - tip.offsetWidth)) + "px";
  tip.style.top = y + "px";
}

function leave() {
  pointed = null;
  tip.hidden = true;
  read();
  redraw();
}

// The sentence on a cell, in lines.
function told(i, j) {
  if (i === j) return [data.names[i] + ": a run is not compared with itself"];
  const lines = [element("b", {}, decimal(distance(i, j))), " " + view.label, element("br"), data.names[i],
    element("br"), data.names[j]];
  if (view.truth) {
    lines.push(element("br"), "Scores " + decimal(score(i)) + " and " + decimal(score(j)) + ", difference "
      + decimal(view.truth.of_means[place(i, j)]));
  }
  return lines;
}

function read() {
  const here = pointed || cursor;
  at("read").replaceChildren(...(here ? told(...here.map((where) => order[where]))
    : ["Point at a cell of the heat map to read it here."]));
}

const steps = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

function press(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const step = steps[event.key];
  if (step || event.key === "Home" || event.key === "End") {
    const [row, column] = cursor || [0, step ? 0 : 1];
    cursor = step ? [row + step[0], column + step[1]] : [row, event.key === "Home" ? 0 : size - 1];
    cursor = cursor.map((where) => Math.min(size - 1, Math.max(0, where)));
    pointed = null;
    tip.hidden = true;
    seek();
    read();
    redraw();
  } else if ((event.key === "Enter" || event.key === " ") && cursor) open(...cursor.map((where) => order[where]), true);
  else if (event.key === "+" || event.key === "=") zoom(1.5);
  else if (event.key === "-" || event.key === "−") zoom(1 / 1.5);
  else if (event.key === "0") zoomTo(least);
  else if (event.key === "Escape") close();
  else return;
  event.preventDefault();
}

// Scrolls until the cell of the keys is in sight.
function seek() {
  const room = side - margin() - 20;
  for (const [name, where] of [["scrollTop", cursor[0]], ["scrollLeft", cursor[1]]]) {
    heat[name] = Math.max(Math.min(heat[name], where * cell), (where + 1) * cell - room);
  }
}

heat.addEventListener("pointermove", pointAt);
heat.addEventListener("pointerleave", leave);
heat.addEventListener("click", (event) => {
  const found = cellAt(event);
  if (!found) return;
  cursor = found;
  open(...found.map((where) => order[where]));
});
heat.addEventListener("keydown", press);
heat.addEventListener("scroll", redraw);
heat.addEventListener("wheel", (event) => {
  if (!event.ctrlKey) return;
  event.preventDefault();
  const box = heat.getBoundingClientRect();
  zoomTo(cell * Math.exp(-event.deltaY / 300), event.clientX - box.left, event.clientY - box.top);
}, { passive: false });
at("in").addEventListener("click", () => zoom(1.5));
at("out").addEventListener("click", () => zoom(1 / 1.5));
at("whole").addEventListener("click", () => zoomTo(least));
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
addEventListener("beforeprint", () => {
  forPaper = true;
  zoomTo(least);
});
addEventListener("afterprint", () => {
  forPaper = false;
  draw();
});
