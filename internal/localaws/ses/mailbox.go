package ses

import (
	_ "embed"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/nightshift-go/nightshift/internal/localaws/restjson"
)

// MailPath is where the mails are shown: a list in JSON, or a page for a browser;
// below it each mail by its id, and its source at ID/raw.
const MailPath = "/_nightshift/mail"

//go:embed mailbox.html
var page []byte

const defaultLimit = 100

// Mailbox serves MailPath. The list has the newest first; the query parameters to and
// limit (default 100) narrow it.
func (db *DB) Mailbox(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet {
		w.Header().Set("Allow", http.MethodGet)
		http.Error(w, "only GET", http.StatusMethodNotAllowed)
		return
	}
	id, rest, _ := strings.Cut(strings.Trim(strings.TrimPrefix(r.URL.Path, MailPath), "/"), "/")
	w.Header().Set("Cache-Control", "no-store")
	switch {
	case id == "" && strings.Contains(r.Header.Get("Accept"), "text/html"):
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write(page) // the client is gone: nobody is left to tell
	case id == "":
		db.serveList(w, r)
	case rest == "" || rest == "raw":
		db.serveMail(w, id, rest == "raw")
	default:
		http.NotFound(w, r)
	}
}

func (db *DB) serveList(w http.ResponseWriter, r *http.Request) {
	limit, err := strconv.Atoi(r.URL.Query().Get("limit"))
	if err != nil || limit < 1 {
		limit = defaultLimit
	}
	to := strings.ToLower(r.URL.Query().Get("to"))
	all := []mail{}
	err = db.latest(func(m mail) bool {
		if to == "" || slices.ContainsFunc(m.Outcomes, func(o outcome) bool { return strings.ToLower(o.Address) == to }) {
			all = append(all, m)
		}
		return len(all) < limit
	})
	if err != nil {
		Refuse(w, err)
		return
	}
	restjson.Answer(w, http.StatusOK, all)
}

// shownMail is one mail with its parts.
type shownMail struct {
	mail
	Headers     []header `json:"headers"`
	Text        string   `json:"text"`
	HTML        string   `json:"html"`
	Attachments []file   `json:"attachments"`
	Raw         string   `json:"raw"`
	// Unreadable says what of the source can't be read.
	Unreadable string `json:"unreadable,omitempty"`
}

func (db *DB) serveMail(w http.ResponseWriter, id string, raw bool) {
	m, found, err := db.find(id)
	if err == nil && !found {
		err = notFound("There is no mail %s.", id)
	}
	if err != nil {
		Refuse(w, err)
		return
	}
	if raw {
		w.Header().Set("Content-Type", "message/rfc822")
		_, _ = w.Write(m.source) // the client is gone: nobody is left to tell
		return
	}
	shown := shownMail{mail: m, Raw: string(m.source), Attachments: []file{}}
	if err := shown.open(m.source); err != nil {
		shown.Unreadable = err.Error()
	}
	restjson.Answer(w, http.StatusOK, shown)
}
