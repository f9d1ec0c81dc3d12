package newsletter_test

import (
	"encoding/json"
	"log/slog"
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/events"

	"github.com/nightshift-go/nightshift/internal/crumb/newsletter"
	"github.com/nightshift-go/nightshift/internal/crumb/readers"
	"github.com/nightshift-go/nightshift/pkg/nightshifttest"
)

// told has Feedback take events, and gives how many failed.
func (w *world) told(bodies ...string) int {
	w.t.Helper()
	var batch events.SQSEvent
	for i, body := range bodies {
		batch.Records = append(batch.Records, events.SQSMessage{MessageId: string(rune('a' + i)), Body: body})
	}
	answer, err := newsletter.NewFeedback(w.table, slog.New(slog.DiscardHandler)).Handle(w.t.Context(), batch)
	if err != nil {
		w.t.Fatal(err)
	}
	return len(answer.BatchItemFailures)
}

type object = map[string]any

func event(kind, reader, issue string, more object) string {
	tags := object{"ses:configuration-set": []string{"mails"}}
	if reader != "" {
		tags["reader"] = []string{reader}
	}
	if issue != "" {
		tags["issue"] = []string{issue}
	}
	document := object{"eventType": kind, "mail": object{"messageId": "m1", "tags": tags, "source": "crumb@crumb.example"}}
	for name, value := range more {
		document[name] = value
	}
	text, err := json.Marshal(document)
	if err != nil {
		panic(err)
	}
	return string(text)
}

func bounce(reader, issue, to, kind string) string {
	return event("Bounce", reader, issue, object{"bounce": object{"bounceType": kind, "bounceSubType": "General",
		"bouncedRecipients": []object{{"emailAddress": to, "status": "5.1.1", "diagnosticCode": "smtp; 550 5.1.1 user unknown"}}}})
}

func complaint(reader, kind string) string {
	return event("Complaint", reader, "", object{"complaint": object{"complaintFeedbackType": kind, "complainedRecipients": []object{{"emailAddress": address(reader)}}}})
}

func TestWhatIsMadeOfFeedback(t *testing.T) {
	for name, c := range map[string]struct {
		body       string
		bounced    string
		subscribed bool
		failed     int
	}{
		"a permanent bounce":      {bounce("ada", "", "ada@example.org", "Permanent"), "General: smtp; 550 5.1.1 user unknown", false, 0},
		"told at length":          {event("Bounce", "ada", "", object{"bounce": object{"bounceType": "Permanent", "bouncedRecipients": []object{{"emailAddress": "ada@example.org", "diagnosticCode": strings.Repeat("é", 300)}}}}), strings.Repeat("é", 200), false, 0},
		"in other letters":        {bounce("ada", "", "Ada@Example.org", "Permanent"), "General: smtp; 550 5.1.1 user unknown", false, 0},
		"a full mailbox":          {bounce("ada", "", "ada@example.org", "Transient"), "", true, 0},
		"nobody knows":            {bounce("ada", "", "ada@example.org", "Undetermined"), "", true, 0},
		"an address of before":    {bounce("ada", "", "old@example.org", "Permanent"), "", true, 0},
		"a reader who is gone":    {bounce("gone", "", "gone@example.org", "Permanent"), "", true, 0},
		"of no reader":            {bounce("", "", "ada@example.org", "Permanent"), "", true, 0},
		"a complaint":             {complaint("ada", "abuse"), "", false, 0},
		"a complaint, no more":    {complaint("ada", ""), "", false, 0},
		"no spam after all":       {complaint("ada", "not-spam"), "", true, 0},
		"a complaint of the gone": {complaint("gone", "abuse"), "", true, 0},
		"a delivery":              {event("Delivery", "ada", "", nil), "", true, 0},
		"no JSON":                 {"bounce", "", true, 1},
		"something else":          {`{"hello":"world"}`, "", true, 1},
		"empty":                   {"", "", true, 1},
	} {
		w := newWorld(t, nightshifttest.Config{})
		w.join("ada")
		w.join("bob")
		for range 2 { // SNS delivers twice
			if failed := w.told(c.body); failed != c.failed {
				t.Errorf("%s: %d failed", name, failed)
			}
		}
		r := w.reader("ada")
		want := 1
		if c.subscribed {
			want = 2
		}
		if r.Bounced != c.bounced || r.Newsletter != c.subscribed || w.subscribers() != want {
			t.Errorf("%s: %+v, and %d subscribers", name, r, w.subscribers())
		}
	}
}

func TestOneBadEventFailsAlone(t *testing.T) {
	w := newWorld(t, nightshifttest.Config{})
	w.join("ada")
	if failed := w.told("garbage", bounce("ada", "", "ada@example.org", "Permanent"), "{}"); failed != 2 {
		t.Errorf("%d failed, want 2", failed)
	}
	if w.reader("ada").Bounced == "" {
		t.Error("the good one was not taken")
	}
}

// The bounce of a copy may be here before its receipt. It is counted once.
func TestBouncesOfAnIssueAreCounted(t *testing.T) {
	w := newWorld(t, nightshifttest.Config{})
	w.join("ada")
	w.join("bob")
	came := bounce("ada", monday, "ada@example.org", "Permanent")
	if failed := w.told(came); failed != 1 {
		t.Error("a bounce without a receipt is to come again")
	}
	w.apply(w.table.Change().Update(readers.Key("ada"), "SET #bounced = :none", "", map[string]any{":none": ""}))
	if err := newsletter.Subscribe(t.Context(), w.table, "ada"); err != nil {
		t.Fatal(err)
	}
	w.begin()
	w.RunAll(t.Context())
	for range 3 {
		if failed := w.told(came); failed != 0 {
			t.Errorf("%d failed", failed)
		}
	}
	if p, want := w.progress(monday), (newsletter.Progress{Total: 2, Complete: true, Sent: 2, Bounced: 1}); p != want {
		t.Errorf("%+v, want %+v", p, want)
	}
}
