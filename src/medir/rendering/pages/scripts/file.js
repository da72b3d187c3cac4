// The queries of a page that holds all it needs. Each is asked for as if it had to be loaded.

function opened() {
  const rows = data.rows.map((row, position) => ({ ...row, position }));
  const texts = rows.map((row) => (row.id + " " + row.text).toLowerCase());
  const byId = new Map(rows.map((row) => [row.id, row]));
  return {
    size: rows.length,
    step: Infinity, // rows that are added to the table at once
    lines: () => Infinity, // rows in the table, so that it has a place
    first: () => null, // the first queries in some order, where they are known
    has: (id) => byId.has(id),
    find: async (id) => byId.get(id) || null,
    rows: async (positions) => Array.from(positions, (at) => rows[at]),
    ids: async () => (at) => rows[at].id,
    searched: async () => (at) => texts[at],
    values: async (measure, c) => (at) => rows[at].values[measure][c],
    beside: async (c) => (at) => rows[at].beside[c][0],
    changes: async (measure, c) => (at) => rows[at].changes[measure][c],
    segments: async () => (at) => rows[at].segment,
    lists: async (row) => (data.lists[row.position] ? listed(data.lists[row.position], data.documents) : null),
  };
}
