// The queries of a folder: files beside the page, each loaded when something in it is asked for. They are scripts,
// since browsers do not let a page from disk read a file.

function opened() {
  const { size, shard, searched, buckets, titles, chunk, positions, places, whole, lines } = data.folder;
  const step = lines;
  const rows = new Map(data.rows.map((row, i) => [positions[i], { ...row, position: positions[i] }]));
  const columns = new Map();
  let ids = null;

  const column = (kind, number, type) => {
    const name = "columns/" + kind + "-" + number;
    if (!columns.has(name)) columns.set(name, loadColumn(name, size, chunk, type));
    return columns.get(name);
  };
  const numbers = async (number) => {
    const values = await column("numbers", number, Float64Array);
    return (at) => (Number.isNaN(values[at]) ? null : values[at]);
  };
  const counts = async (number) => {
    const values = await column("counts", number, WHOLE[whole]);
    return (at) => values[at];
  };
  const loadRows = async (number) => {
    for (const row of unpackedRows(await load("rows/" + number), number * shard)) {
      if (!rows.has(row.position)) rows.set(row.position, row);
    }
  };
  const rowsAt = async (wanted) => {
    const missing = new Set();
    for (const at of wanted) if (!rows.has(at)) missing.add(Math.floor(at / shard));
    await Promise.all(Array.from(missing, loadRows));
    return Array.from(wanted, (at) => rows.get(at));
  };
  const loadIds = async () => {
    const parts = await Promise.all(Array.from({ length: Math.ceil(size / searched) }, (_, n) => load("search/" + n)));
    return {
      ids: parts.flatMap((part) => part.ids),
      texts: parts.flatMap((part) => part.ids.map((id, i) => (part.texts ? id + " " + part.texts[i] : id).toLowerCase())),
    };
  };
  return {
    size,
    step,
    lines: (place) => few + step * Math.ceil((place + 1 - few) / step),
    first: (measure, number) => (measure === 0 && number === 1 ? positions : null),
    has: () => true,
    find: async (id) => {
      const checksum = crc32(new TextEncoder().encode(id));
      const pairs = numbersIn(await load("ids/" + checksum % buckets), Uint32Array);
      const found = [];
      for (let i = 0; i < pairs.length; i += 2) if (pairs[i] === checksum) found.push(pairs[i + 1]);
      return (await rowsAt(found)).find((row) => row.id === id) || null;
    },
    rows: rowsAt,
    ids: async () => {
      const loaded = await (ids = ids || loadIds());
      return (at) => loaded.ids[at];
    },
    searched: async () => {
      const loaded = await (ids = ids || loadIds());
      return (at) => loaded.texts[at];
    },
    values: (measure, c) => numbers(places.values[measure][c]),
    beside: (c) => numbers(places.beside[c]),
    changes: (measure, c) => counts(places.changes[measure][c]),
    segments: () => counts(places.segments),
    lists: async (row) => {
      const number = Math.floor(row.position / shard);
      const content = await load("lists/" + number);
      const place = row.position - number * shard;
      const detail = data.formulas ? unpackedLists(content[place], row) : listed(content.lists[place], content.documents);
      if (titles) await addTitles(detail.documents, titles);
      return detail;
    },
  };
}

// ---- Files.

const arrived = new Map();
globalThis.medir = (name, content) => arrived.set(name, content);

function load(name) {
  return new Promise((resolve, reject) => {
    const script = element("script", { src: "data/" + name + ".js" });
    script.addEventListener("load", () => {
      script.remove();
      resolve(arrived.get(name));
      arrived.delete(name);
    });
    script.addEventListener("error", () => {
      script.remove();
      document.getElementById("why-none").textContent =
        "data/" + name + ".js cannot be loaded. Keep index.html and data together, as they were written.";
      document.getElementById("none").hidden = false;
      reject(new Error(name));
    });
    document.head.append(script);
  });
}

const WHOLE = { u1: Uint8Array, u2: Uint16Array, u4: Uint32Array };

function numbersIn(text, type) {
  const characters = atob(text);
  const bytes = new Uint8Array(characters.length);
  for (let i = 0; i < bytes.length; i += 1) bytes[i] = characters.charCodeAt(i);
  return new type(bytes.buffer);
}

async function loadColumn(name, size, chunk, type) {
  const values = new type(size);
  await Promise.all(Array.from({ length: Math.ceil(size / chunk) }, async (_, n) => {
    values.set(numbersIn(await load(name + "-" + n), type), n * chunk);
  }));
  return values;
}

const CRC = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit += 1) value = (value >>> 1) ^ (value & 1 ? 0xedb88320 : 0);
  return value;
});

function crc32(bytes) {
  let value = 0xffffffff;
  for (const byte of bytes) value = (value >>> 8) ^ CRC[(value ^ byte) & 255];
  return (value ^ 0xffffffff) >>> 0;
}

async function addTitles(rows, buckets) {
  const documents = rows.flatMap((one) => (one.after ? [one, one.after] : [one]));
  const bucket = (one) => crc32(new TextEncoder().encode(one.id)) % buckets;
  const wanted = [...new Set(documents.map(bucket))];
  const found = new Map();
  for (const pairs of await Promise.all(wanted.map((n) => load("titles/" + n)))) {
    for (const [id, title] of pairs) if (!found.has(id)) found.set(id, title);
  }
  for (const one of documents) one.title = found.get(one.id) || "";
}

// ---- What the files hold.

function unpackedRows(content, first) {
  const { places, whole } = data.folder;
  const numbers = numbersIn(content.numbers, Float64Array);
  const counts = numbersIn(content.counts, WHOLE[whole]);
  const size = content.ids.length;
  return content.ids.map((id, i) => {
    const number = (column) => {
      const value = numbers[column * size + i];
      return Number.isNaN(value) ? null : value;
    };
    const count = (column) => counts[column * size + i];
    return {
      id,
      text: content.texts ? content.texts[i] : "",
      values: places.values.map((some) => some.map(number)),
      beside: places.beside.map((column) => [number(column)]),
      changes: places.changes.map((some) => some.map(count)),
      segment: places.segments === null ? null : count(places.segments),
      position: first + i,
    };
  });
}

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const DIGIT = new Map([...DIGITS].map((digit, value) => [digit, value]));

// Numbers of five bits per digit, lowest first; all but the last digit of a number have 32 added.
function decoded(text) {
  const numbers = [];
  let [value, shift] = [0, 0];
  for (const character of text) {
    const digit = DIGIT.get(character);
    value += (digit & 31) * 2 ** shift;
    shift += 5;
    if (digit < 32) {
      numbers.push(value);
      [value, shift] = [0, 0];
    }
  }
  return numbers;
}

function unpackedLists([cut, before, after, places, grades, relevance, ids, norms, others, repeats], row) {
  const ranks = decoded(places);
  const judged = decoded(grades);
  const all = ids.map((id, i) => ({
    id, title: "", ranks: [i < before ? i + 1 : 0, ranks[i]], grade: judged.length && judged[i] ? judged[i] - 1 : null,
  }));
  for (const [i, id] of others || []) all[i].after = { id, title: "" };
  for (const [i, above] of repeats || []) all[i].repeats = all[above];
  const isShown = ({ ranks: places }) => places.some((rank) => rank > 0 && rank <= data.ranks);
  const kept = all.map(isShown);
  const cuts = [Boolean(cut & 1), Boolean(cut & 2)];
  const known = new Map();
  const parts = (measure) => {
    if (!known.has(measure)) {
      const codes = relevance.slice(2 * measure, 2 * measure + 2);
      known.set(measure, takenApart({ all, kept, cuts, codes, norms }, measure, row.values[measure]));
    }
    return known.get(measure);
  };
  return { length: [before, after], documents: all.filter((_, i) => kept[i]), parts };
}
