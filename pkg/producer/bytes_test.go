package producer_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/payload"
	"github.com/nightshift-go/nightshift/pkg/producer"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/store/memstore"
)

type blob struct {
	Data []byte `json:"data"`
	Text string `json:"text"`
}

// SQS takes no such bytes, nor does JSON; as arguments they are fine. Text that
// is none is refused, once and for all.
func TestBytesComeBackAsTheyWere(t *testing.T) {
	jobs, err := store.New(store.Config{Driver: memstore.New(memstore.Config{})})
	if err != nil {
		t.Fatal(err)
	}
	keep := job.Define[blob]("blob.keep", job.Policy{Queue: load("blobs")})
	p, err := producer.New(producer.Config{Jobs: jobs}, keep)
	if err != nil {
		t.Fatal(err)
	}
	sent := blob{Data: []byte("\x00\x07\x0b\x1f\xff\x89PNG\r\n\x1a\n"), Text: "\uffff\x00😀"}
	id, err := p.Enqueue(t.Context(), keep.With(sent))
	if err != nil {
		t.Fatal(err)
	}
	rec, err := jobs.Get(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := payload.Decode[blob](rec.Args); err != nil || !bytes.Equal(got.Data, sent.Data) || got.Text != sent.Text {
		t.Errorf("%q came back as %q: %v", sent, got, err)
	}
	for _, text := range []string{"\xff", "\xed\xa0\x80", "a\xc3"} {
		if _, err := p.Enqueue(t.Context(), keep.With(blob{Text: text})); !errors.Is(err, producer.ErrArguments) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
