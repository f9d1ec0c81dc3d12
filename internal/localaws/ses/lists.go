package ses

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// UnsubscribePath is where the links go that SES puts into mail to lists.
const UnsubscribePath = "/_nightshift/unsubscribe"

// unsubscribePlaceholder is replaced by the link.
// https://docs.aws.amazon.com/ses/latest/dg/sending-email-subscription-management.html
const unsubscribePlaceholder = "{{amazonSESUnsubscribeUrl}}"

// contact is a person of a list who wants no more of some topics, or of anything.
type contact struct {
	Topics []string `json:"topics,omitempty"`
	All    bool     `json:"all,omitempty"`
}

func (db *DB) createList(c call) (any, error) {
	var in struct {
		ContactListName, Description string
		Topics, Tags                 []any
	}
	if err := c.decode(&in); err != nil {
		return nil, err
	}
	return nil, db.create(listsBucket, in.ContactListName, "Contact list")
}

func (db *DB) getList(c call) (any, error) {
	return map[string]any{"ContactListName": c.name}, db.mustHave(listsBucket, c.name, "List with name: %s doesn't exist.")
}

func (db *DB) deleteList(c call) (any, error) {
	return db.remove(listsBucket, c.name, "List with name: %s doesn't exist.", c.name)
}

// getContact tells what an address of a list wants. Sending makes it a contact.
func (db *DB) getContact(c call) (any, error) {
	list, address, _ := strings.Cut(c.name, "\n")
	if err := db.mustHave(listsBucket, list, "List with name: %s doesn't exist."); err != nil {
		return nil, err
	}
	found, err := db.contact(list, address)
	preferences := []any{}
	for _, topic := range found.Topics {
		preferences = append(preferences, map[string]any{"TopicName": topic, "SubscriptionStatus": "OPT_OUT"})
	}
	return map[string]any{"ContactListName": list, "EmailAddress": address, "UnsubscribeAll": found.All, "TopicPreferences": preferences}, err
}

func contactKey(list, address string) string { return list + "\x00" + strings.ToLower(address) }

func (db *DB) contact(list, address string) (found contact, err error) {
	_, err = db.get(contactsBucket, contactKey(list, address), &found)
	return found, err
}

// unwanted tells whether an address has unsubscribed.
func (db *DB) unwanted(l *listOptions, address string) (bool, error) {
	if l == nil {
		return false, nil
	}
	found, err := db.contact(l.ContactListName, address)
	return found.All || slices.Contains(found.Topics, l.TopicName), err
}

// link is where an address unsubscribes.
func (l *listOptions) link(base, address string) string {
	return base + UnsubscribePath + "?" + url.Values{"list": {l.ContactListName}, "topic": {l.TopicName}, "address": {address}}.Encode()
}

// Unsubscribe serves the links: POST is the one-click of RFC 8058, GET asks first.
func (db *DB) Unsubscribe(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	list, topic, address := query.Get("list"), query.Get("topic"), query.Get("address")
	if r.Method != http.MethodPost {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte(`<!doctype html><title>Unsubscribe</title><form method="post"><button>Unsubscribe</button></form>`)) // the client may be gone
		return
	}
	db.mu.Lock()
	defer db.mu.Unlock()
	err := db.mustHave(listsBucket, list, "List with name: %s doesn't exist.")
	var found contact
	if err == nil {
		found, err = db.contact(list, address)
	}
	if topic == "" {
		found.All = true
	} else if !slices.Contains(found.Topics, topic) {
		found.Topics = append(found.Topics, topic)
	}
	if err == nil {
		err = db.put(contactsBucket, contactKey(list, address), found)
	}
	if err != nil {
		Refuse(w, err)
		return
	}
	w.WriteHeader(http.StatusOK)
}
