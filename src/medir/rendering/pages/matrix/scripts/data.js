// What the page holds, by pairs of runs, and how its parts are built.

const data = JSON.parse(document.getElementById("data").textContent);
const size = data.names.length;
const collator = new Intl.Collator("en", { numeric: true });
const at = (id) => document.getElementById(id);

// Elements are built from text alone: nothing that comes from the data is ever read as markup.
function element(name, attributes, ...children) {
  const made = document.createElement(name);
  put(made, attributes);
  made.append(...children.filter((child) => child !== null));
  return made;
}

function drawn(name, attributes, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  put(made, attributes);
  made.append(...children);
  return made;
}

function put(made, attributes) {
  for (const [key, value] of Object.entries(attributes || {})) {
    if (value === true) made.setAttribute(key, "");
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(key, value);
  }
}

function decimal(value) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  const most = Math.abs(value);
  if (most < 1e-12) return "0";
  if (most < 0.00005) return "< 0.0001";
  return most >= 100 ? value.toLocaleString("en", { maximumFractionDigits: 1 }) : value.toFixed(4);
}

const capital = (text) => text[0].toUpperCase() + text.slice(1);

// ---- One measure at a time.

function numbers(text, Kind) {
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  return new Kind(bytes.buffer);
}

const views = data.measures.map((one) => {
  const truth = one.truth && { ...one.truth, of_means: numbers(one.truth.of_means, Float32Array),
    by_query: numbers(one.truth.by_query, Float32Array) };
  const values = numbers(one.values, Float64Array);
  return { ...one, truth, values, sorted: values.slice().sort(),
    peaks: numbers(one.peaks, data.wide ? Uint32Array : Uint16Array),
    peak_values: numbers(one.peak_values, Float32Array),
    scores: one.scores && numbers(one.scores, Float32Array) };
});
let view = views[0];

// The place of a pair of two runs in all that is kept by pair.
function place(i, j) {
  const [a, b] = i < j ? [i, j] : [j, i];
  return (a * (2 * size - a - 1)) / 2 + (b - a - 1);
}

const distance = (i, j) => (i === j ? 0 : view.values[place(i, j)]);

// How many pairs are closer than a distance.
function closer(value) {
  let [low, high] = [0, view.sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (view.sorted[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

// The most different queries of a pair: id, distance, and what the first and the second run score.
function peaks(i, j) {
  const none = data.wide ? 0xffffffff : 0xffff, found = [];
  for (let rank = 0; rank < data.most; rank += 1) {
    const number = place(i, j) * data.most + rank, query = view.peaks[number];
    if (query === none) break;
    const score = (run) => (view.scores ? view.scores[run * data.queries.length + query] : NaN);
    found.push({ id: data.queries[query], value: view.peak_values[number], scores: [score(i), score(j)] });
  }
  return found;
}

const group = (run) => (data.groups ? data.own[run] : "");
const colour = (run) => data.styles[data.groups[run]][1];
const score = (run) => (view.truth ? view.truth.means[run] : null);
