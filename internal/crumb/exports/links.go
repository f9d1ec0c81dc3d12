package exports

import (
	"fmt"
	"strconv"
	"time"

	"github.com/nightshift-go/nightshift/internal/crumb/signing"
)

// Links makes and reads links to archives that work for whoever has them, until
// they end: mails are opened where nobody is signed in. (S3's own links end with
// the credentials that signed them, those of a function within hours.) It may be
// used by many goroutines.
type Links struct{ key signing.Key }

// NewLinks makes Links of a secret of at least 32 bytes; it may serve other ends
// too, for the key is derived from it.
func NewLinks(secret []byte) (*Links, error) {
	key, err := signing.New(secret, "crumb export link")
	if err != nil {
		return nil, fmt.Errorf("exports: NewLinks: %w", err)
	}
	return &Links{key: key}, nil
}

// Make gives the path of an export's archive, for as long as until.
func (l *Links) Make(export string, until time.Time) string {
	return fmt.Sprintf("/exports/%s/file?until=%d&signature=%s", export, until.Unix(), l.key.Sign(signed(export, until.Unix())))
}

// Good tells whether until and signature are those of a link to the export that
// works now.
func (l *Links) Good(export, until, signature string, now time.Time) bool {
	end, err := strconv.ParseInt(until, 10, 64)
	return err == nil && l.key.Good(signed(export, end), signature) && now.Unix() < end
}

// signed is what the signature of a link is of.
func signed(export string, until int64) string { return fmt.Sprintf("%s %d", export, until) }
