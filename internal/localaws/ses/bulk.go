package ses

import (
	"errors"

	"github.com/nightshift-go/nightshift/internal/localaws/restjson"
)

// maxBulk is how many entries a call may have.
// https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_SendBulkEmail.html
const maxBulk = 50

type bulkInput struct {
	common
	DefaultContent   struct{ Template *templateUse }
	DefaultEmailTags []header
	BulkEmailEntries []bulkEntry
}

type bulkEntry struct {
	Destination             destination
	ReplacementEmailContent *struct {
		ReplacementTemplate *struct{ ReplacementTemplateData string }
	}
	ReplacementHeaders []header
	ReplacementTags    []header
}

type bulkResult struct {
	Status    string
	Error     string `json:",omitempty"`
	MessageID string `json:"MessageId,omitempty"`
}

// sendBulk sends a template to several destinations, each for itself. What is wrong
// with the template or the sender refuses the call.
func (db *DB) sendBulk(c call) (any, error) {
	var in bulkInput
	if err := c.decode(&in); err != nil {
		return nil, err
	}
	if in.DefaultContent.Template == nil {
		return nil, badRequest("DefaultContent must have a Template.")
	}
	if n := len(in.BulkEmailEntries); n == 0 || n > maxBulk {
		return nil, badRequest("A call has 1 to %d entries, not %d.", maxBulk, n)
	}
	results := make([]bulkResult, len(in.BulkEmailEntries))
	var mails []*mail
	for i, e := range in.BulkEmailEntries {
		m, err := db.bulkMail(c, in, e)
		var refused *restjson.Error
		switch {
		case err == nil:
			mails = append(mails, m)
			results[i] = bulkResult{Status: "SUCCESS", MessageID: m.ID}
		case errors.As(err, &refused) && refused.Code == "BadRequestException":
			results[i] = bulkResult{Status: "INVALID_PARAMETER", Error: refused.Message}
		default:
			return nil, err
		}
	}
	return map[string]any{"BulkEmailEntryResults": results}, db.keep(mails)
}

func (db *DB) bulkMail(c call, in bulkInput, e bulkEntry) (*mail, error) {
	m := db.newMail(in.common, &e.Destination, append(append([]header{}, in.DefaultEmailTags...), e.ReplacementTags...))
	replacement := ""
	if r := e.ReplacementEmailContent; r != nil && r.ReplacementTemplate != nil {
		replacement = r.ReplacementTemplate.ReplacementTemplateData
	}
	use := *in.DefaultContent.Template
	use.Headers = replaceHeaders(use.Headers, e.ReplacementHeaders)
	p, err := db.readTemplate(m, use, replacement)
	if err != nil {
		return nil, err
	}
	if err := db.allowed(in.common, nil, m); err != nil {
		return nil, err
	}
	return m, db.settle(c, m, p, nil)
}

// replaceHeaders puts an entry's headers in the place of those of the same name.
func replaceHeaders(all, own []header) []header {
	merged := append([]header{}, own...)
	for _, h := range all {
		if !hasHeader(own, h.Name) {
			merged = append(merged, h)
		}
	}
	return merged
}
