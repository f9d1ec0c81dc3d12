package web_test

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/nightshift-go/nightshift/internal/e2e/browser"
)

// TestModules runs the page's logic, apart from the page, where it will run: in
// a browser.
func TestModules(t *testing.T) {
	t.Parallel()
	api := newAPI(t)
	page := open(t, api)
	for _, tc := range []struct{ module, expression, want string }{
		// Waits: full jitter under an exponential bound, on top of Retry-After.
		{"backoff", "m.waitBefore(0, 0, () => 0)", "0"},
		{"backoff", "m.waitBefore(0, 0, () => 0.5)", "0.5"},
		{"backoff", "m.waitBefore(3, 0, () => 0.5)", "4"},
		{"backoff", "m.waitBefore(4, 0, () => 0.999)", "15.984"},
		{"backoff", "m.waitBefore(5, 0, () => 0.5)", "15"},
		{"backoff", "m.waitBefore(1e9, 0, () => 0.5)", "15"},
		{"backoff", "m.waitBefore(0, 7, () => 0)", "7"},
		{"backoff", "m.waitBefore(2, 7, () => 0.5)", "9"},
		{"backoff", "Array.from({length: 1000}, () => m.waitBefore(2, 3)).every(s => s >= 3 && s < 7)", "true"},
		{"backoff", "new Set(Array.from({length: 1000}, () => m.waitBefore(2, 3))).size > 900", "true"},
		{"backoff", "m.parseRetryAfter(null)", "undefined"},
		{"backoff", "m.parseRetryAfter('2')", "2"},
		{"backoff", "m.parseRetryAfter(' 0 ')", "0"},
		{"backoff", "['9'.repeat(400), 'Fri, 31 Dec 9999 23:59:59 GMT'].map(s => m.parseRetryAfter(s, 0))", "31536000,31536000"},
		{"backoff", "m.parseRetryAfter('-2')", "undefined"},
		{"backoff", "m.parseRetryAfter('1.5e3')", "undefined"},
		{"backoff", "m.parseRetryAfter('soon')", "undefined"},
		{"backoff", "m.parseRetryAfter('Fri, 17 May 2024 12:30:05 GMT', Date.UTC(2024, 4, 17, 12, 30, 0))", "5"},
		{"backoff", "m.parseRetryAfter('Fri, 17 May 2024 12:30:05 GMT', Date.UTC(2024, 4, 17, 13, 0, 0))", "0"},

		// What follows a failure: the budget is for what no server asked for.
		{"backoff", "(() => { const n = m.next(0, 30, new m.Budget(), () => 0.5); return n.again + ' ' + n.seconds; })()", "true 30.5"},
		{"backoff", "(() => { const n = m.next(0, 301, new m.Budget(), () => 0); return n.again + ' ' + n.seconds; })()", "false 301"},
		{"backoff", "(() => { const n = m.next(8, 2, new m.Budget(), () => 0.5); return n.again + ' ' + n.seconds; })()", "false 17"},
		{"backoff", "(() => { const b = new m.Budget(() => 0); return Array.from({length: 30}, () => m.next(0, 0, b).again).filter(Boolean).length; })()", "20"},
		{"backoff", "(() => { const b = new m.Budget(() => 0); return Array.from({length: 30}, () => m.next(0, 1, b).again).filter(Boolean).length; })()", "30"},
		{"backoff", "(() => { const b = new m.Budget(() => 0); while (b.spend()); for (let i = 0; i < 10; i++) b.sent(); return [b.spend(), b.spend()]; })()", "true,false"},
		{"backoff", "(() => { let now = 0; const b = new m.Budget(() => now); while (b.spend()); now = 3000; return [b.spend(), b.spend()]; })()", "true,false"},
		{"attend", "m.later(new Date(2026, 10, 29, 14, 31, 1), new Date(2026, 10, 29, 14, 20))", "Try again after 14:32."},
		{"attend", "['14:32', '2026', '2'].every(s => m.later(new Date(2026, 11, 2, 14, 31, 1), new Date(2026, 10, 29, 14, 20)).includes(s))", "true"},
		{"attend", "[m.later(undefined), m.later(new Date(1000), 0)]", "Try again when you like.,Try again when you like."},

		{"errors", "[429, 503].map(m.kindOf)", "busy,busy"},
		{"errors", "[408, 500, 502, 504].map(m.kindOf)", "trouble,trouble,trouble,trouble"},
		{"errors", "[400, 403, 404, 413, 415, 422].every(s => m.kindOf(s) === 'refused')", "true"},
		{"errors", "['busy', 'offline', 'trouble', 'expired', 'refused'].map(k => new m.RequestError(k, '').temporary)", "true,true,true,false,false"},

		{"format", "[0, 999, 1000, 1499, 999499, 999500, 3449000].map(m.size)", "0 B,999 B,1 KB,1 KB,999 KB,1.0 MB,3.4 MB"},
		{"format", "[m.count(1, 'photo'), m.count(2, 'photo'), m.count(0, 'photo')]", "1 photo,2 photos,0 photos"},
		{"format", "/^[0-9a-f]{32}$/.test(m.randomID()) && m.randomID() !== m.randomID()", "true"},

		// Looks: what the server asked for, or slower each time, and a little jitter.
		{"backoff", "[0, 3, 1000].map(look => m.steadily(look, undefined, () => 0).toFixed(1))", "1.0,2.2,10.0"},
		{"backoff", "m.steadily(9, 2, () => 0.5)", "2.1"},
		{"backoff", "m.steadily(9, 0, () => 0)", "0.1"},
		{"follow", followTrial, "2 looks, 1 while hidden, If-None-Match \"a\", ends with done"},
		{"session", "[null, '/feed?x=1', '//evil.example/', 'https://evil.example/', 'javascript:alert(1)', 'http://', '/\\\\evil.example'].map(m.homeward)", "/,/feed?x=1,/,/,/,/,/"},
		{"session", "['/.//evil.example/a?b', location.origin + '//evil.example', '/x/..//evil.example'].map(m.homeward)", "/evil.example/a?b,/evil.example,/evil.example"},
		{"storage", "(sessionStorage.setItem('broken', '{'), String(m.tab.get('broken')))", "null"},
		{"dom", "m.make('p', {text: '<b>', class: 'c', hidden: true, id: undefined}).outerHTML", "<p class=\"c\" hidden=\"\">&lt;b&gt;</p>"},
		{"publicationview", "m.viewOf({search: 'queued', feeds: {state: 'queued'}, spam: 'held'}).title", "Held back"},
		{"publicationview", "m.viewOf({search: 'done', feeds: {state: 'done', of: 1, reached: 1}, spam: 'clear'}).note", "Search finds it · In all 1 follower’s feed · Spam check passed."},
		{"publicationview", "[['queued', 'done', 'clear'], ['done', 'working', 'clear'], ['done', 'done', 'queued'], ['done', 'done', 'clear'], ['queued', 'queued', 'held']].map(([search, state, spam]) => m.settled({search, feeds: {state}, spam}))", "false,false,false,true,true"},

		{"gate", gateTrial, "2 at most, in order 1 2 4, 3 left"},
		{"wait", "m.pause(0.01, new AbortController().signal).then(() => 'over')", "over"},
		{"wait", "m.pause(60, AbortSignal.abort('no')).catch(reason => reason)", "no"},
		{"wait", "(() => { const c = new AbortController(); const p = m.pause(60, c.signal); c.abort('no'); return p.catch(r => r); })()", "no"},
		{"wait", "(() => { const w = new EventTarget(); const p = m.pause(60, new AbortController().signal, undefined, w); w.dispatchEvent(new Event('online')); return p.then(() => 'woken'); })()", "woken"},
		{"wait", countTrial, "3,2,1"},

		{"photos/memory", "(m.remember({id: 'a', name: 'x'}), m.remember({id: 'b'}), m.remember({id: 'a', name: 'y'}), m.notes().map(n => n.id + (n.name ?? '')))", "ay,b"},
		{"photos/memory", "(m.forget('a'), m.notes().map(n => n.id))", "b"},
		{"photos/memory", "(localStorage.setItem('crumb.photos', '{\"not\": \"a list\"}'), m.notes().length)", "0"},
		{"photos/memory", "(Array.from({length: 80}, (_, i) => m.remember({id: String(i)})), m.notes().map(n => n.id).join(' ').slice(0, 8))", "20 21 22"},
	} {
		script := fmt.Sprintf("import(%q).then(m => %s).then(String)", modulePath(t, api, tc.module), tc.expression)
		if got := browser.Eval[string](page, script); got != tc.want {
			t.Errorf("%s: %s is %s, want %s", tc.module, tc.expression, got, tc.want)
		}
	}
}

// followTrial looks at work in a tab that is hidden after the first look.
const followTrial = `(async () => {
  let hidden = false, asked = [];
  Object.defineProperty(document, 'hidden', {get: () => hidden, configurable: true});
  const answers = [
    new Response('{"state":"running"}', {headers: {'Content-Type': 'application/json', ETag: '"a"', 'Retry-After': '0'}}),
    new Response('{"state":"done"}', {headers: {'Content-Type': 'application/json'}}),
  ];
  const fetched = window.fetch;
  window.fetch = async (path, {headers}) => { asked.push(headers['If-None-Match']); return answers.shift(); };
  const end = m.follow('/jobs/a', {
    signal: new AbortController().signal, persist: (send) => send(), onLook: ({state}) => { hidden = state === 'running'; },
  });
  await new Promise((next) => setTimeout(next, 50));
  const meanwhile = asked.length;
  hidden = false;
  document.dispatchEvent(new Event('visibilitychange'));
  const {state} = await end;
  window.fetch = fetched;
  return asked.length + ' looks, ' + meanwhile + ' while hidden, If-None-Match ' + asked[1] + ', ends with ' + state;
})()`

// countTrial waits under a clock that goes on by what timers wait for.
const countTrial = `(async () => {
  let now = 0;
  const [clock, timer, seen] = [performance.now, window.setTimeout, []];
  performance.now = () => now;
  window.setTimeout = (then, ms) => timer(() => { now += ms; then(); });
  await m.pause(2.05, new AbortController().signal, (seconds) => seen.push(seconds));
  performance.now = clock;
  window.setTimeout = timer;
  return seen;
})()`

// gateTrial sends four through a gate of two; the third gives up while waiting.
const gateTrial = `(async () => {
  const gate = new m.Gate(2), order = [], go = [];
  let inside = 0, most = 0;
  const work = (n) => () => new Promise((end) => {
    order.push(n); most = Math.max(most, ++inside);
    go.push(() => { inside--; end(); });
  });
  const never = new AbortController().signal, third = new AbortController();
  const runs = [gate.through(never, work(1)), gate.through(never, work(2)),
    gate.through(third.signal, work(3)).catch(() => '3 left'), gate.through(never, work(4))];
  third.abort();
  const turn = () => new Promise((next) => setTimeout(next));
  for (let i = 0; i < 3; i++) { await turn(); go.shift()(); }
  const answers = await Promise.all(runs);
  return most + ' at most, in order ' + order.join(' ') + ', ' + answers[2];
})()`

var versionPath = regexp.MustCompile(`/static/[A-Za-z0-9_-]+/js/`)

func modulePath(t *testing.T, api *fakeAPI, name string) string {
	t.Helper()
	return versionPath.FindString(ask(t, api.site, "GET", "/", nil).Body) + name + ".js"
}
