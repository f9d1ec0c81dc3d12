package ses

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// tell publishes what became of mails to the destinations of their configuration
// sets. What a topic doesn't take is lost, as in AWS.
func (db *DB) tell(mails []*mail) error {
	for _, m := range mails {
		if m.ConfigurationSet == "" || db.cfg.Publish == nil {
			continue
		}
		all, err := db.destinations(m.ConfigurationSet)
		if err != nil {
			return fmt.Errorf("ses: the destinations of %s: %w", m.ConfigurationSet, err)
		}
		for _, d := range all {
			if err := db.tellOne(m, d); err != nil {
				db.cfg.Log(fmt.Sprintf("an event of the mail %s is lost: %v", m.ID, err))
			}
		}
	}
	return nil
}

func (db *DB) tellOne(m *mail, d eventDestination) error {
	if !d.Enabled {
		return nil
	}
	for _, e := range db.events(m) {
		if !slices.Contains(d.MatchingEventTypes, e.kind) {
			continue
		}
		body, err := json.Marshal(e.document)
		if err == nil {
			err = db.cfg.Publish(d.SnsDestination.TopicArn, string(body))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// An event is one document, and its name in MatchingEventTypes.
type event struct {
	kind     string
	document map[string]any
}

// events are what AWS would tell of a mail, one for each recipient after the sending.
// https://docs.aws.amazon.com/ses/latest/dg/event-publishing-retrieving-sns-contents.html
func (db *DB) events(m *mail) []event {
	about := map[string]any{
		"timestamp": stamp(m.At), "source": m.From, "messageId": m.ID, "destination": m.recipients(), "tags": tagLists(m),
		"headersTruncated": false, "commonHeaders": map[string]any{"from": []string{m.From}, "to": m.To, "messageId": m.ID, "subject": m.Subject},
	}
	var all []event
	add := func(kind, name, member string, detail map[string]any) {
		all = append(all, event{kind, map[string]any{"eventType": name, "mail": about, member: detail}})
	}
	if m.RenderingFailure != "" {
		add("RENDERING_FAILURE", "Rendering Failure", "failure", map[string]any{"templateName": m.Template, "errorMessage": m.RenderingFailure})
		return all
	}
	add("SEND", "Send", "send", map[string]any{})
	for i, o := range m.Outcomes {
		feedback := fmt.Sprintf("%s-%d", m.ID, i)
		switch o.Outcome {
		case "delivered", "complained":
			add("DELIVERY", "Delivery", "delivery", map[string]any{"timestamp": stamp(m.At), "recipients": []string{o.Address}, "processingTimeMillis": 1, "smtpResponse": "250 ok"})
		case "bounced":
			add("BOUNCE", "Bounce", "bounce", bounce(m.At, feedback, "General", o.Address))
		case "suppressed":
			add("BOUNCE", "Bounce", "bounce", bounce(m.At, feedback, "OnAccountSuppressionList", o.Address))
		}
		if o.Outcome == "complained" {
			add("COMPLAINT", "Complaint", "complaint", map[string]any{"timestamp": stamp(m.At), "feedbackId": feedback, "complaintFeedbackType": "abuse",
				"complainedRecipients": []any{map[string]string{"emailAddress": o.Address}}})
		}
	}
	return all
}

func bounce(at int64, feedback, subtype, address string) map[string]any {
	return map[string]any{"timestamp": stamp(at), "feedbackId": feedback, "bounceType": "Permanent", "bounceSubType": subtype,
		"bouncedRecipients": []any{map[string]string{"emailAddress": address, "action": "failed", "status": "5.1.1", "diagnosticCode": "smtp; 550 5.1.1 user unknown"}}}
}

func tagLists(m *mail) map[string][]string {
	all := map[string][]string{"ses:configuration-set": {m.ConfigurationSet}}
	for name, value := range m.Tags {
		all[name] = []string{value}
	}
	return all
}

func stamp(ms int64) string { return time.UnixMilli(ms).UTC().Format("2006-01-02T15:04:05.000Z") }
