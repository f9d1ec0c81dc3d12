package exports

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"time"
)

// Links makes and reads links to archives that work for whoever has them, until
// they end: mails are opened where nobody is signed in. (S3's own links end with
// the credentials that signed them, those of a function within hours.) It may be
// used by many goroutines.
type Links struct{ key []byte }

// NewLinks makes Links of a secret of at least 32 bytes; it may serve other ends
// too, for the key is derived from it.
func NewLinks(secret []byte) (*Links, error) {
	if len(secret) < sha256.Size {
		return nil, errors.New("exports: NewLinks needs a secret of 32 bytes or more")
	}
	return &Links{key: sum(secret, "crumb export link")}, nil
}

// Make gives the path of an export's archive, for as long as until.
func (l *Links) Make(export string, until time.Time) string {
	return fmt.Sprintf("/exports/%s/file?until=%d&signature=%s", export, until.Unix(), l.sign(export, until.Unix()))
}

// Good tells whether until and signature are those of a link to the export that
// works now.
func (l *Links) Good(export, until, signature string, now time.Time) bool {
	end, err := strconv.ParseInt(until, 10, 64)
	return err == nil && hmac.Equal([]byte(signature), []byte(l.sign(export, end))) && now.Unix() < end
}

func (l *Links) sign(export string, until int64) string {
	return base64.RawURLEncoding.EncodeToString(sum(l.key, fmt.Sprintf("%s %d", export, until)))
}

func sum(key []byte, text string) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(text))
	return mac.Sum(nil)
}
