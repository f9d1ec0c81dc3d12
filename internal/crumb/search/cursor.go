package search

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"strings"

	"github.com/nightshift-go/nightshift/internal/crumb/rows"
)

// A cursor is a place in a ranking: the next page begins behind it, also where
// recipes came or went before it.
type cursor struct {
	missing, score int
	id             string
}

func (h hit) cursor() cursor { return cursor{h.missing, h.score, h.card.ID} }

// compare orders the better ones first.
func (c cursor) compare(other cursor) int {
	return cmp.Or(cmp.Compare(c.missing, other.missing), cmp.Compare(other.score, c.score), cmp.Compare(c.id, other.id))
}

// String gives the cursor for a URL.
func (c cursor) String() string {
	return base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "%d %d %s", c.missing, c.score, c.id))
}

// parseCursor reads what String gave; rows.ErrCursor wraps anything else. Nothing is
// the place before all others.
func parseCursor(text string) (cursor, error) {
	if text == "" {
		return cursor{missing: -1}, nil
	}
	var c cursor
	data, err := base64.RawURLEncoding.DecodeString(text)
	if err == nil {
		_, err = fmt.Fscanf(strings.NewReader(string(data)), "%d %d %s", &c.missing, &c.score, &c.id)
	}
	if err != nil || c.missing < 0 || c.String() != text {
		return cursor{}, fmt.Errorf("%w: %q", rows.ErrCursor, text)
	}
	return c, nil
}
