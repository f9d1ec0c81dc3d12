// The page of a stack: it asks for what is so every few seconds, and draws it as tables.
const at = (id) => document.getElementById(id);

// A cell is a text, a number, or what cell() makes: a text with a class.
const cell = (text, kind) => ({ text, kind });

function fill(id, heads, rows, none) {
  const row = (cells, tag) => {
    const tr = document.createElement("tr");
    for (const c of cells) {
      const one = document.createElement(tag);
      one.textContent = c?.text ?? c;
      one.className = typeof c === "number" ? "n" : c?.kind ?? "";
      if (tag === "th") one.scope = "col";
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

function distance(ms) {
  const s = Math.floor(Math.abs(ms) / 1000);
  const span = s < 60 ? `${s} s` : s < 3600 ? `${Math.floor(s / 60)} min` : s < 86400 ? `${Math.floor(s / 3600)} h ${Math.floor(s % 3600 / 60)} min` : `${Math.floor(s / 86400)} d ${Math.floor(s % 86400 / 3600)} h`;
  return s < 1 ? "now" : ms > 0 ? `in ${span}` : `${span} ago`;
}

function tick(read) {
  clock = { now: Date.parse(read.now), asked: Date.now() };
  at("now").textContent = stamp(new Date(clock.now));
  at("now").dateTime = read.now;
  const ahead = clock.now - clock.asked;
  const away = Math.abs(ahead) > 2000 ? `${distance(ahead).replace(/^in /, "")} ahead of this machine's; ` : "";
  at("pace").textContent = read.scale === 1 && !away ? "" :
    away + (read.pace > 1 ? `nobody works: ×${read.pace}` : read.scale > 1 ? `at work: ×1 (×${read.scale} when idle)` : "×1");
  return read.scale > 1 ? 250 : 1000;
}

const draw = {
  state(s) {
    tick(s.clock);
    at("http").href = s.http;
    at("aws").textContent = s.aws;
    fill("queues", ["queue", "visible", "delayed", "in flight"], (s.queues ?? []).map((q) => [q.name, q.visible, q.delayed, q.in_flight]), "no queues");
    fill("functions", ["function", "processes", "idle", "cold starts", "invocations", "errors", "throttles"],
      (s.functions ?? []).map((f) => [f.folder, f.stats.Environments, f.stats.Idle, f.stats.ColdStarts, f.stats.Invocations, f.stats.Errors, f.stats.Throttles]), "no functions");
    fill("services", ["service", "processes", "wanted", "started"], (s.services ?? []).map((p) => [p.folder, p.running, p.desired, p.starts]), "no services");
    fill("mappings", ["source", "function", "state", "most at once", "pollers"], (s.mappings ?? []).map((m) =>
      [cell(m.source, "code"), m.function, m.enabled ? "enabled" : cell("paused", "bad"), m.maximum_concurrency || "–", m.pollers || "–"]), "no mappings");
    fill("schedules", ["schedule", "expression", "next", "target"], (s.schedules ?? []).map((d) =>
      [d.name, cell(d.expression + (d.zone ? " " + d.zone : ""), "code"), d.enabled ? moment(d.next_at) : cell("disabled", "bad"), d.function]), "no schedules");
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
      const answer = await fetch(what);
      const read = await answer.json();
      if (!answer.ok) throw new Error(read?.message ?? answer.statusText);
      wait = draw[what](read);
    }
    problems.delete(what);
  } catch (e) {
    problems.set(what, `The stack does not answer (${what}): ${e.message}`);
  }
  at("problem").textContent = [...problems.values()][0] ?? "";
  setTimeout(ask, wait, what);
}
Object.keys(draw).forEach(ask);
