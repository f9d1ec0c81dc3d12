// The page of a stack: it asks for what is so every few seconds, and draws it as tables.
const at = (id) => document.getElementById(id);

// A cell is a text, a number, or what cell() makes: a text with a class.
const cell = (text, kind) => ({ text, kind });

function fill(id, heads, rows, none) {
  const row = (cells, tag) => {
    const tr = document.createElement("tr");
    for (const [i, c] of cells.entries()) {
      const one = document.createElement(tag);
      one.textContent = c?.text ?? c;
      one.className = typeof c === "number" ? "n" : c?.kind ?? "";
      if (tag === "th") one.scope = "col";
      one.dataset.head = heads[i];
      tr.append(one);
    }
    return tr;
  };
  if (!rows.length) {
    at(id).replaceChildren(row([cell(none, "none")], "td"));
    return;
  }
  const numeric = (i) => typeof rows[0][i] === "number";
  at(id).replaceChildren(row(heads.map((h, i) => numeric(i) ? cell(h, "n") : h), "th"), ...rows.map((r) => row(r, "td")));
}

// The stack's clock, as it was when the page asked last.
let clock = { now: Date.now(), asked: Date.now() };
const now = () => clock.now + Date.now() - clock.asked;
const moment = (t) => t ? `${stamp(new Date(t))} (${distance(new Date(t) - now())})` : "–";
const stamp = (t) => t.toLocaleString("sv-SE", { timeZone: "UTC" }) + " UTC";

function span(ms) {
  const s = Math.floor(Math.abs(ms) / 1000);
  const parts = (large, one, small, other) => `${Math.floor(s / large)} ${one}` + (s % large >= small ? ` ${Math.floor(s % large / small)} ${other}` : "");
  return s < 60 ? `${s} s` : s < 600 ? parts(60, "min", 1, "s") : s < 3600 ? parts(60, "min", 60) : s < 86400 ? parts(3600, "h", 60, "min") : parts(86400, "d", 3600, "h");
}
const distance = (ms) => Math.abs(ms) < 1000 ? "now" : ms > 0 ? `in ${span(ms)}` : `${span(ms)} ago`;

function tick(read, sent) {
  clock = { now: Date.parse(read.now), asked: Date.now() };
  at("now").textContent = stamp(new Date(clock.now));
  at("now").dateTime = read.now;
  // The answer was made between the two times of this device.
  at("pace").textContent = aboutTime(Math.max(clock.now - clock.asked, 0) || Math.min(clock.now - sent, 0), read);
  return read.scale > 1 ? 250 : 1000;
}

// What is to be known of a clock that is not that of the device that shows the page.
export function aboutTime(ahead, read) {
  const said = [];
  if (ahead > 2000) said.push(`The stack's clock is ${span(ahead)} ahead of this device's: with --time-scale time passed faster here, in this run or an earlier one with the same data, and it is never set back. Times on this page are the stack's.`);
  if (ahead < -2000) said.push(`The stack's clock is ${span(ahead)} behind this device's: one of the two is wrong. Times on this page are the stack's.`);
  if (read.pace > 1) said.push(`Nobody works, so that time passes ${read.pace} times as fast.`);
  else if (read.scale > 1) said.push(`Somebody works, so that time passes as usual; it passes ${read.scale} times as fast when nobody does.`);
  return said.join(" ");
}

const number = (n) => n.toLocaleString("en");
const depth = (q) => q.visible + q.delayed + q.in_flight;

// A queue's row: what has reached its bound is marked.
function standing(q) {
  const most = q.longest_wait_s && span(q.longest_wait_s * 1000);
  const age = !most ? "–" : q.age_s === undefined ? `not known (${most} at most)` : `${span(q.age_s * 1000)} of ${most}`;
  return [
    q.queue,
    cell(q.limit ? `${number(depth(q))} of ${number(q.limit)}` : number(depth(q)), q.limit && depth(q) >= q.limit ? "bad" : ""),
    cell(age, q.age_s >= q.longest_wait_s ? "bad" : ""),
    cell(q.gate_means ?? "no bounds", troubled(q) ? "bad wrap" : q.gate ? "wrap" : "none"),
    cell(q.dead_letters === undefined ? "–" : number(q.dead_letters), q.dead_letters ? "bad" : ""),
    cell(q.workers + (q.until ? `, until ${moment(q.until)}` : ""), q.paused ? "bad wrap" : "wrap"),
    cell(q.problem ?? "", "bad long"),
  ];
}
const troubled = (q) => !!q.gate && q.gate !== "open";

// What an operator is to know first.
function summary(queues) {
  const said = queues.filter((q) => troubled(q) || q.paused).map((q) => `${q.queue} is ${[troubled(q) && q.gate, q.paused && "paused"].filter(Boolean).join(" and ")}`);
  if (said.length) return said.join(", ") + "; all others take new jobs and are worked on.";
  return queues.length ? "All queues take new jobs, and none is paused." : "";
}

const draw = {
  state(s, sent) {
    tick(s.clock, sent);
    at("http").href = s.http;
    at("aws").textContent = s.aws;
    fill("messages", ["queue", "visible", "delayed", "in flight"], (s.queues ?? []).map((q) => [q.name, q.visible, q.delayed, q.in_flight]), "no queues");
    fill("functions", ["function", "processes", "idle", "cold starts", "invocations", "errors", "throttles"],
      (s.functions ?? []).map((f) => [f.folder, f.stats.Environments, f.stats.Idle, f.stats.ColdStarts, f.stats.Invocations, f.stats.Errors, f.stats.Throttles]), "no functions");
    fill("services", ["service", "processes", "wanted", "started"], (s.services ?? []).map((p) => [p.folder, p.running, p.desired, p.starts]), "no services");
    fill("mappings", ["source", "function", "state", "most at once", "pollers"], (s.mappings ?? []).map((m) =>
      [cell(m.source, "code"), m.function, m.enabled ? "enabled" : cell("paused", "bad"), m.maximum_concurrency || "–", m.pollers || "–"]), "no mappings");
    fill("schedules", ["schedule", "expression", "next", "target"], (s.schedules ?? []).map((d) =>
      [d.name, cell(d.expression + (d.zone ? " " + d.zone : ""), "code"), d.enabled ? moment(d.next_at) : cell("disabled", "bad"), d.function]), "no schedules");
    return 2000;
  },
  queues(all) {
    at("summary").textContent = summary(all);
    at("summary").className = all.some((q) => troubled(q) || q.paused) ? "bad" : "";
    const wrong = all.some((q) => q.problem);
    const heads = ["queue", "waiting", "oldest", "new jobs", "letters", "workers", "problem"];
    fill("queues", wrong ? heads : heads.slice(0, -1), all.map((q) => wrong ? standing(q) : standing(q).slice(0, -1)), "no function is given a queue");
    return 2000;
  },
  topics(all) {
    fill("topics", ["topic", "queue", "filter"], all.flatMap((t) => (t.subscribers ?? [{ queue: "–" }]).map((one, i) =>
      [i ? "" : t.name, one.queue, cell(one.filter ? JSON.stringify(one.filter) : "–", "code long")])), "no topics");
    return 10000;
  },
  table(t) {
    const jobs = t?.jobs ?? {};
    fill("jobs", ["state", "jobs"], ["scheduled", "queued", "running", "done", "dead", "cancelled"].filter((s) => jobs[s]).map((s) => [s, jobs[s]]), t ? "no jobs" : "no function has a jobs table");
    at("read").textContent = [t && !t.whole ? `The table is large: the first ${t.rows} rows were read.` : "", t?.unreadable ? "Rows that can't be read: " + t.unreadable : ""].join(" ").trim();
    fill("outbox", ["event", "key", "topic", "state", "when", "reason"], (t?.events ?? []).map((e) =>
      [e.event, cell(e.key || "–", "code"), e.topic, cell(e.state, e.state === "refused" ? "bad" : ""), e.due_at ? "due " + moment(e.due_at) : moment(e.created_at), cell(e.reason ?? "", "long")]),
      "nothing waits for the relay, and nothing was refused");
    fill("periodic", ["job", "expression", "next", "last"], (t?.periodic ?? []).map((p) =>
      [p.name, cell(p.expression + (p.zone ? " " + p.zone : ""), "code"), p.paused ? cell("paused", "bad") : moment(p.next_at), moment(p.last_at)]), "no periodic jobs");
    return 10000;
  },
  clock: tick,
};

// What went wrong last, by what was asked for.
const problems = new Map();

async function ask(what) {
  let wait = 2000;
  try {
    if (document.visibilityState === "visible") {
      const sent = Date.now();
      const answer = await fetch(what);
      const read = await answer.json();
      if (!answer.ok) throw new Error(read?.message ?? answer.statusText);
      wait = draw[what](read, sent);
    }
    problems.delete(what);
  } catch (e) {
    problems.set(what, `The stack does not answer (${what}): ${e.message}`);
  }
  at("problem").textContent = [...problems.values()][0] ?? "";
  setTimeout(ask, wait, what);
}
Object.keys(draw).forEach(ask);
