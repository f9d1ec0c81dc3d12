package recipes

import "github.com/nightshift-go/nightshift/internal/crumb/rows"

// AddDraft adds to changes a draft that somebody else made up: its row, if there is
// none of its id, and its card on the author's list of drafts. Nobody is reminded
// of it.
func AddDraft(c *rows.Changes, r Recipe) *rows.Changes {
	return r.show(c.Put(Key(r.ID), r, rows.Absent, nil))
}

// Tidy gives content as it is kept, or says with a *BadContent why it can't be.
func Tidy(c Content) (Content, error) {
	c = c.tidy()
	return c, c.Validate()
}
