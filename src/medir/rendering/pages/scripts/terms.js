// What each document adds to a value, and the value in words, from ranks and relevance: the same that `medir explain`
// says, computed when a query is opened.

const ROUNDING = 1e-12;
const SMALL_PART = 0.01; // of a value
const NAMED = 2; // documents of a kind that a sentence names

// What each rank adds to the score of a list.
function terms({ kind, discount, decay }, norm, relevance) {
  const sum = new Float64Array(relevance.length);
  if (norm === 0) return sum;
  let reach = 1; // how likely the user comes to a rank
  let above = 0; // relevance
  for (let i = 0; i < Math.min(relevance.length, discount.length); i += 1) {
    const c = relevance[i];
    sum[i] = kind === "precision" ? c * discount[i] * (1 + above) / norm : c * discount[i] / norm * reach;
    reach *= 1 - decay * c;
    above += c;
  }
  return sum;
}

// What unseen ranks below a list add when they are of top relevance.
function below(formula, norm, relevance) {
  const { kind, discount, tail, decay } = formula;
  if (norm === 0 || relevance.length >= (kind === "precision" ? discount : tail).length) return 0;
  if (kind === "precision") {
    if (!formula.endless) return 0;
    const whole = [...relevance, ...Array(discount.length - relevance.length).fill(1)];
    return terms(formula, norm, whole).slice(relevance.length).reduce((sum, term) => sum + term, 0);
  }
  return relevance.reduce((reach, c) => reach * (1 - decay * c), 1) * tail[relevance.length] / norm;
}

// What each document adds to S(favoured) - S(other) under one measure, and what unseen ranks add.
function attributed({ all, cuts }, formula, norm, codes, favoured, value, reach) {
  const parts = new Float64Array(all.length);
  const relevance = new Float64Array(all.length);
  const ranked = [0, 1].map((side) => all.map((one, i) => [one.ranks[side], i])
    .filter(([rank]) => rank > 0 && rank <= reach).sort((a, b) => a[0] - b[0]).map(([, i]) => i));
  const [mine, theirs] = favoured ? [ranked[1], ranked[0]] : ranked;
  const intents = Math.max(1, codes.length / Math.max(1, all.length));
  let unseen = 0;
  for (let intent = 0; intent < intents; intent += 1) {
    const c = all.map((_, i) => formula.values[DIGIT.get(codes[intent * all.length + i])]);
    terms(formula, norm, mine.map((i) => c[i])).forEach((term, rank) => { parts[mine[rank]] += term; });
    terms(formula, norm, theirs.map((i) => c[i])).forEach((term, rank) => { parts[theirs[rank]] -= term; });
    if (cuts[favoured]) unseen += below(formula, norm, mine.map((i) => c[i]));
    c.forEach((one, i) => { relevance[i] += one; });
  }
  for (let i = 0; i < all.length; i += 1) {
    parts[i] /= intents;
    relevance[i] /= intents;
  }
  unseen = formula.limited ? value - parts.reduce((sum, part) => sum + part, 0) : unseen / intents;
  return { parts, relevance, unseen };
}

function takenApart(query, measure, values) {
  const formula = data.formulas[measure];
  const reach = data.measures[measure].reach || Infinity;
  const [med, gain, loss] = ["med", "gain", "loss"].map((name) => values[data.columns.indexOf(name)]);
  const byQuery = data.formulas.slice(0, measure).filter((one) => one.norm === null).length;
  const norm = formula.norm === null ? query.norms[byQuery] : formula.norm;
  const sides = [[1, gain], [0, loss]].map(([favoured, value], i) =>
    attributed(query, formula, norm, query.codes[i], favoured, value, reach));
  const within = query.all.map((one) => one.ranks.map((rank) => (rank > 0 && rank <= reach ? rank : null)));
  const isSeen = (i) => within[i].some((rank) => rank !== null);
  const evidence = query.all.map((one, i) => ({
    id: one.id, grade: one.grade, isRepeat: Boolean(one.repeats), before: within[i][0], after: within[i][1],
    gain: sides[0].parts[i], loss: sides[1].parts[i],
    gainRelevance: sides[0].relevance[i], lossRelevance: sides[1].relevance[i], kept: query.kept[i],
  }));
  const rest = evidence.filter((one, i) => isSeen(i) && !one.kept);
  const added = (side) => rest.reduce((sum, one) => sum + one[side], 0);
  const worths = (side) => evidence.map((one, i) => (isSeen(i) ? [one[side + "Relevance"], one[side]] : null))
    .filter((_, i) => query.kept[i]);
  const [unseenGain, unseenLoss] = sides.map((side) => side.unseen);
  return {
    sentence: sentence(data.measures[measure].name, { med, gain, loss }, evidence.filter((_, i) => isSeen(i)), [unseenGain, unseenLoss]),
    gain: worths("gain"),
    loss: worths("loss"),
    unseen: [unseenGain, unseenLoss],
    rest: [rest.length, added("gain"), added("loss")],
  };
}

// ---- The larger direction in plain words.

function sentence(name, { med, gain, loss }, evidence, unseen) {
  if (med === null) return name + " has no value: its ideal comes from judgments, and none is relevant.";
  if (Math.max(Math.abs(med), Math.abs(gain)) < ROUNDING) return unchanged(name, evidence);
  const falls = loss >= gain - ROUNDING;
  const verb = falls ? "falls" : "rises";
  const [value, surely] = falls ? [loss, -gain] : [gain, -loss];
  if (Math.abs(gain + loss) < ROUNDING) return name + " " + verb + " by " + hundredths(value) + ": all that counts is judged.";
  const [mine, opposite] = falls ? ["loss", "gain"] : ["gain", "loss"];
  const rows = evidence.map((one) => ({ ...one, part: one[mine], relevance: one[mine + "Relevance"], opposite: one[opposite] }));
  const text = deciding(name, verb, value, rows, unseen[falls ? 1 : 0]);
  return surely > 0 ? text + " It " + verb + " by at least " + hundredths(surely) + "." : text;
}

function unchanged(name, evidence) {
  if (evidence.every((one) => one.isRepeat || one.before === one.after)) return name + " cannot change: the two lists are the same.";
  if (evidence.every((one) => one.grade !== null)) return name + " does not change: all that counts is judged.";
  return name + " cannot change: both lists score the same, whatever is relevant.";
}

// Which documents decide, and how much comes from the first of them.
function deciding(name, verb, value, rows, unseen) {
  const small = SMALL_PART * value;
  const unjudged = rows.filter((one) => one.grade === null);
  const good = unjudged.filter((one) => one.relevance > 0 && one.part >= small).sort((a, b) => b.part - a.part);
  const bad = unjudged.filter((one) => one.relevance === 0 && one.opposite > 0).sort((a, b) => b.opposite - a.opposite);
  if (!good.length) {
    const judged = rows.reduce((sum, one) => sum + (one.grade === null ? 0 : one.part), 0);
    const named = [["judged documents", judged], ["unseen ranks", unseen]].filter(([, share]) => share > small);
    return name + " " + verb + " by at most " + hundredths(value) + "; "
      + (named.map(([what]) => what).join(" and ") || "many documents") + " account for it.";
  }
  const conditions = [enumerated(good, "relevant"), ...(bad.length ? [enumerated(bad, "not")] : [])];
  const { part } = good[0];
  const share = Math.abs(part - value) < small ? "all" : part > value / 2 ? "most" : "part";
  return "If " + conditions.join(" and ") + ", " + name + " " + verb + " by " + hundredths(value) + "; "
    + share + " of it comes from " + good[0].id + " " + moved(good[0]) + ".";
}

function enumerated(rows, what) {
  const names = rows.slice(0, NAMED).map((one) => one.id);
  if (rows.length > NAMED) names.push(rows.length - NAMED + " more");
  if (names.length === 1) return names[0] + " is " + what;
  return names.slice(0, -1).join(", ") + " and " + names[names.length - 1] + " are " + what;
}

function moved({ before, after }) {
  if (before === null) return "entering at rank " + after;
  if (after === null) return "leaving rank " + before;
  return before === after ? "at rank " + before : "moving from rank " + before + " to " + after;
}

// Two decimals; what is exactly between two numbers goes to the even one.
function hundredths(value) {
  const isBetween = Math.abs(value * 8) % 2 === 1;
  if (!isBetween) return value.toFixed(2);
  const low = Math.floor(value * 100);
  return ((low % 2 === 0 ? low : low + 1) / 100).toFixed(2);
}
