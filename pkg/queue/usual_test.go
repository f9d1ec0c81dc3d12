package queue_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/payload"
	"github.com/nightshift-go/nightshift/pkg/queue"
)

// Bodies are read without a JSON decoder where they are as Encode writes them:
// every other body, and every mistake, means what the strict decoder says.
func FuzzUsualMessage(f *testing.F) {
	const id = "01hz7vq3k8m5n9p2r4s6t8w0xy"
	for _, m := range []queue.Message{{ID: id, N: 1}, {ID: id, N: 12, Trace: "Root=1-6931a3d0"}, {ID: id, N: 2, Trace: `a\b`}, {ID: id, N: -3, Trace: `"é\`}, {ID: id, Letter: &queue.Letter{Task: "t"}}} {
		body, err := m.Encode()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(body)
		for _, change := range [][2]string{
			{`"n"`, `"N"`}, {`"n"`, `"id"`}, {`}`, `,"n":1}`}, {`}`, `,}`}, {`}`, `} `}, {`}`, `}}`}, {`}`, ``}, {`:1`, `:01`}, {`:1`, `:1.5`}, {`:1`, `:`}, {`:1`, `:99999999999999999999`},
			{`01hz`, `\u0030`}, {`01hz`, "\n"}, {`trace`, `trail`}, {`Root`, "\xff"}, {`Root`, "\x00"}, {`{`, ` {`}, {`"trace":"`, `"trace":`}, {`,"trace"`, ` ,"trace"`},
		} {
			f.Add(strings.Replace(body, change[0], change[1], 1))
		}
	}
	f.Fuzz(func(t *testing.T, body string) {
		got, err := queue.DecodeMessage(body)
		want, wantErr := payload.Decode[queue.Message]([]byte(body))
		if wantErr == nil {
			_, wantErr = job.ParseID(string(want.ID))
		}
		if (err == nil) != (wantErr == nil) || err != nil && !errors.Is(err, queue.ErrUndecodable) {
			t.Fatalf("%q: %v, the strict decoder: %v", body, err, wantErr)
		}
		if err == nil && (got.ID != want.ID || got.N != want.N || got.Trace != want.Trace || (got.Letter == nil) != (want.Letter == nil)) {
			t.Errorf("%q: %+v, the strict decoder: %+v", body, got, want)
		}
	})
}
