package telemetry_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/nightshift-go/nightshift/pkg/telemetry"
)

const (
	w3c  = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	root = "1-5759e988-bd862e3fe1be46a994272793"
	xray = "Root=" + root + ";Parent=53995c3f42cd8ad8;Sampled=1"
)

func headers(pairs ...string) func(string) string {
	h := http.Header{}
	for i := 0; i < len(pairs); i += 2 {
		h.Add(pairs[i], pairs[i+1])
	}
	return func(name string) string { return strings.Join(h.Values(name), ",") }
}

// What is taken of a traceparent. The cases follow the standard's sections 3.2 and 4.
func TestTraceparent(t *testing.T) {
	const id, span = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
	for given, want := range map[string]string{
		w3c:                                                   w3c,
		" " + w3c + "\t":                                      w3c,
		"00-" + id + "-" + span + "-00":                       "00-" + id + "-" + span + "-00",
		"00-" + id + "-" + span + "-ff":                       "00-" + id + "-" + span + "-03", // only what is known is handed on
		"cc-" + id + "-" + span + "-01":                       w3c,                             // a version to come
		"cc-" + id + "-" + span + "-01-":                      w3c,
		"cc-" + id + "-" + span + "-01-what-the-future":       w3c,
		"cc-" + id + "-" + span + "-01.what":                  "",
		"00-" + id + "-" + span + "-01-what":                  "", // this version has no more
		"00-" + id + "-" + span + "-01-":                      "",
		"ff-" + id + "-" + span + "-01":                       "",
		"00-" + strings.ToUpper(id) + "-" + span + "-01":      "",
		"00-" + id + "-" + strings.ToUpper(span) + "-01":      "",
		"0A-" + id + "-" + span + "-01":                       "",
		"00-" + id + "-" + span + "-0G":                       "",
		"00-" + strings.Repeat("0", 32) + "-" + span + "-01":  "",
		"00-" + id + "-" + strings.Repeat("0", 16) + "-01":    "",
		"00-" + id[1:] + "-" + span + "-01":                   "",
		"00-" + id + "-" + span + "-1":                        "",
		"00_" + id + "_" + span + "_01":                       "",
		w3c + "," + w3c:                                       "", // came twice
		"":                                                    "",
		"00-.bf92f3577b34da6a3ce929d0e0e4736-" + span + "-01": "",
	} {
		trace := telemetry.FromHeaders(headers("traceparent", given, "tracestate", "a=1"))
		if got := trace.Traceparent(); got != want {
			t.Errorf("%q: %q, want %q", given, got, want)
		}
		if state := trace.Tracestate(); (state == "a=1") != (want != "") {
			t.Errorf("%q: the state is %q", given, state)
		}
	}
}

func TestTracestate(t *testing.T) {
	many := func(n int) string {
		var members []string
		for i := range n {
			members = append(members, fmt.Sprintf("k%d=v", i))
		}
		return strings.Join(members, ",")
	}
	long := "long=" + strings.Repeat("v", 200)
	for given, want := range map[string]string{
		"foo=1":                         "foo=1",
		"foo=1,bar=2":                   "foo=1,bar=2",
		" foo=1 \t,\tbar=2 ":            "foo=1,bar=2",
		"foo=1,,bar=2,":                 "foo=1,bar=2",
		"foo= a b":                      "foo= a b", // a value may begin with a blank
		"fw529a3039@dt=x":               "fw529a3039@dt=x",
		"0tenant@sys=x":                 "0tenant@sys=x",
		"a_-*/@b=x":                     "a_-*/@b=x",
		"foo=1,foo=2":                   "",
		"Foo=1":                         "",
		"foo":                           "",
		"=1":                            "",
		"foo=":                          "",
		"foo=a=b":                       "",
		"@foo=1":                        "",
		"foo=\x01":                      "",
		"foo=é":                         "",
		strings.Repeat("k", 257) + "=1": "",
		"k=" + strings.Repeat("v", 257): "",
		many(32):                        many(32),
		many(33):                        "",
		// What is long goes first, and then what is last.
		"a=1," + long + ",b=2," + strings.ReplaceAll(long, "long", "l2") + "," + strings.ReplaceAll(long, "long", "l3"): "a=1," + long + ",b=2," + strings.ReplaceAll(long, "long", "l2"),
		strings.Repeat("x", 9000): "",
	} {
		if got := telemetry.FromHeaders(headers("traceparent", w3c, "tracestate", given)).Tracestate(); got != want {
			t.Errorf("%.80q: %q, want %q", given, got, want)
		}
	}
	short := make([]string, 32)
	for i := range short {
		short[i] = fmt.Sprintf("k%02d=%s", i, strings.Repeat("v", 20))
	}
	got := telemetry.FromHeaders(headers("traceparent", w3c, "tracestate", strings.Join(short, ","))).Tracestate()
	if got != strings.Join(short[:20], ",") {
		t.Errorf("%d bytes: %q", len(got), got)
	}
	// A header may come in several lines.
	if got := telemetry.FromHeaders(headers("traceparent", w3c, "tracestate", "a=1", "tracestate", "b=2")).Tracestate(); got != "a=1,b=2" {
		t.Errorf("of two: %q", got)
	}
}

func TestXRay(t *testing.T) {
	for given, want := range map[string]string{
		xray:           xray,
		"Root=" + root: "Root=" + root,
		"Self=1-67891234-12456789abcdef012345678;Root=" + root + ";Lineage=a87bd80c:1|68fd508a:5": "Root=" + root,
		"Sampled=?; Parent=53995C3F42CD8AD8 ; Root=" + strings.ToUpper(root):                      "Root=" + root + ";Parent=53995c3f42cd8ad8;Sampled=?",
		"Root=" + root + ";Sampled=0":                 "Root=" + root + ";Sampled=0",
		"Root=" + root + ";Sampled=2":                 "",
		"Root=" + root + ";Parent=53995c3f42cd8ad":    "",
		"Root=" + root + ";Parent=":                   "",
		"Root=2" + root[1:]:                           "",
		"Root=" + root[:34]:                           "",
		"Root=" + root[:34] + "x":                     "",
		"Root=" + root + "\n":                         "",
		"Parent=53995c3f42cd8ad8":                     "",
		"":                                            "",
		"Root=" + root + strings.Repeat(";a=b", 1000): "",
		"Root=1-2-3":                                  "",
	} {
		trace := telemetry.FromHeaders(headers("X-Amzn-Trace-Id", given))
		if got := trace.XRay(); got != want {
			t.Errorf("%.120q: %q, want %q", given, got, want)
		}
	}
}

func TestTracesAreCarried(t *testing.T) {
	for name, test := range map[string]struct {
		headers  []string
		text, id string
	}{
		"none":              {nil, "", ""},
		"W3C":               {[]string{"traceparent", w3c}, w3c, w3c[3:35]},
		"W3C with a state":  {[]string{"traceparent", w3c, "tracestate", "a=b c,d=e"}, w3c + " a=b c,d=e", w3c[3:35]},
		"X-Ray":             {[]string{"X-Amzn-Trace-Id", xray}, xray, "5759e988bd862e3fe1be46a994272793"},
		"both":              {[]string{"traceparent", w3c, "X-Amzn-Trace-Id", xray}, w3c + " " + xray, w3c[3:35]},
		"all":               {[]string{"traceparent", w3c, "tracestate", "a=b", "X-Amzn-Trace-Id", xray}, w3c + " " + xray + " a=b", w3c[3:35]},
		"a state by itself": {[]string{"tracestate", "a=b"}, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			trace := telemetry.FromHeaders(headers(test.headers...))
			if trace.String() != test.text || trace.ID() != test.id || trace.IsZero() != (test.text == "") {
				t.Errorf("%q, id %q", trace.String(), trace.ID())
			}
			header := trace.AWSTraceHeader()
			if xrayOf, ok := telemetry.ParseTrace(header); ok != (test.text != "") || ok && trace.XRay() == "" && xrayOf.ID() != test.id || trace.XRay() != "" && header != trace.XRay() {
				t.Errorf("for SQS: %q", header)
			}
			again, ok := telemetry.ParseTrace(trace.String())
			if again != trace || ok != (test.text != "") {
				t.Errorf("read again: %+v, %v", again, ok)
			}
			sent := http.Header{}
			again.SetHeaders(sent.Set)
			if got := telemetry.FromHeaders(sent.Get); got != trace {
				t.Errorf("handed on: %v", sent)
			}
		})
	}
}

func TestSpanContext(t *testing.T) {
	for text, want := range map[string]string{
		w3c:                           w3c,
		xray:                          "00-5759e988bd862e3fe1be46a994272793-53995c3f42cd8ad8-01",
		"Root=" + root:                "00-5759e988bd862e3fe1be46a994272793-made-01",
		"Root=" + root + ";Sampled=0": "00-5759e988bd862e3fe1be46a994272793-made-00",
	} {
		trace, _ := telemetry.ParseTrace(text)
		traceID, span, flags, ok := trace.SpanContext()
		of := telemetry.Trace{}.Of(traceID, span, flags, "").Traceparent()
		if len(of) > 52 {
			want = strings.Replace(want, "made", of[36:52], 1)
		}
		if !ok || of != want {
			t.Errorf("%s: %s, %v; want %s", text, of, ok, want)
		}
	}
	if _, _, _, ok := (telemetry.Trace{}).SpanContext(); ok {
		t.Error("no trace has a span")
	}
	if zero, _ := telemetry.ParseTrace("Root=1-00000000-" + strings.Repeat("0", 24)); !zero.IsZero() {
		if _, _, _, ok := zero.SpanContext(); ok {
			t.Error("a root of zeros is a trace")
		}
	}
}

func TestNewTrace(t *testing.T) {
	a, again, b := telemetry.NewTrace("a"), telemetry.NewTrace("a"), telemetry.NewTrace("b")
	if a != again || a.ID() == b.ID() || len(a.ID()) != 32 || a.String() != "" {
		t.Errorf("%q, %q, %q", a.ID(), again.ID(), b.ID())
	}
	traceID, span, flags, ok := a.SpanContext()
	if spanned := a.Of(traceID, span, flags, ""); !ok || flags != 1 || spanned.ID() != a.ID() || spanned.Traceparent() == "" {
		t.Errorf("its span: %q", spanned.Traceparent())
	}
}

func TestCarried(t *testing.T) {
	trace, _ := telemetry.ParseTrace(w3c)
	with := telemetry.WithTrace(context.Background(), trace)
	for name, test := range map[string]struct {
		ctx         context.Context
		given, want string
	}{
		"nothing":                     {context.Background(), "", ""},
		"the context's":               {with, "", w3c},
		"what was given goes before":  {with, xray, xray},
		"and what is wrong is none":   {with, "a trace", ""},
		"a trace of another's making": {telemetry.WithTrace(with, telemetry.Trace{}), "", w3c},
	} {
		if got := telemetry.Carried(test.ctx, test.given); got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}

func FuzzTrace(f *testing.F) {
	f.Add(w3c, "a=b", xray)
	f.Add("00-"+strings.Repeat("0", 32)+"-00f067aa0ba902b7-01", "a=b,a=c", "Root="+root)
	f.Add("", strings.Repeat("a=1,", 40), "Root=1-2-3")
	f.Add("0", "0", "Parent=0000000000000000")
	f.Fuzz(func(t *testing.T, traceparent, tracestate, amzn string) {
		trace := telemetry.FromHeaders(headers("traceparent", traceparent, "tracestate", tracestate, "X-Amzn-Trace-Id", amzn))
		text := trace.String()
		if again, ok := telemetry.ParseTrace(text); again != trace || ok != (text != "") {
			t.Errorf("%q was read as %q", text, again.String())
		}
		if len(text) > telemetry.MaxTrace {
			t.Errorf("%d bytes: %q", len(text), text)
		}
		for i := range len(text) {
			if text[i] < ' ' || text[i] > '~' {
				t.Fatalf("not for a header: %q", text)
			}
		}
		if p := trace.Traceparent(); p != "" && (len(p) != 55 || !strings.HasPrefix(p, "00-")) {
			t.Errorf("traceparent %q", p)
		}
		if other, ok := telemetry.ParseTrace(tracestate); ok && other.IsZero() {
			t.Errorf("%q is a trace, and none", tracestate)
		}
	})
}
