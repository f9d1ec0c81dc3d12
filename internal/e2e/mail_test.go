package e2e_test

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/internal/crumb/newsletter"
	"github.com/nightshift-go/nightshift/internal/crumb/readers"
	"github.com/nightshift-go/nightshift/internal/crumb/resets"
)

// A post is a mail as the local mailbox shows it.
type post struct {
	ID      string `json:"id"`
	Subject string `json:"subject"`
	Text    string `json:"text"`
	HTML    string `json:"html"`
	Headers []struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	} `json:"headers"`
	Outcomes []struct {
		Outcome string `json:"outcome"`
	} `json:"outcomes"`
}

func (l post) header(name string) string {
	for _, h := range l.Headers {
		if strings.EqualFold(h.Name, name) {
			return h.Value
		}
	}
	return ""
}

// postTo gives the mails to an address, the newest first.
func postTo(p *person, address string) []post {
	p.t.Helper()
	all := told[[]post](p, http.StatusOK, "GET", "/_nightshift/mail?to="+url.QueryEscape(address), nil)
	for i := range all {
		all[i] = told[post](p, http.StatusOK, "GET", "/_nightshift/mail/"+all[i].ID, nil)
	}
	return all
}

// latest waits for the n-th mail to an address.
func latest(p *person, address string, n int) post {
	p.t.Helper()
	var all []post
	until(p.t, fmt.Sprintf("there are %d mails to %s", n, address), func() bool {
		all = postTo(p, address)
		return len(all) >= n
	})
	if len(all) != n {
		p.t.Fatalf("%d mails to %s, want %d", len(all), address, n)
	}
	return all[0]
}

var resetLink = regexp.MustCompile(`/reset\?token=([A-Za-z0-9_-]+)`)

// TestForgottenPassword gets back in by mail.
func TestForgottenPassword(t *testing.T) {
	ada, stranger := newcomer(t, "Ada"), nobody(t)
	stranger.does(http.StatusAccepted, "POST", "/api/password-resets", resets.Forgotten{Email: strings.ToUpper(ada.reader.Email)})
	stranger.does(http.StatusAccepted, "POST", "/api/password-resets", resets.Forgotten{Email: "nobody." + ada.reader.Email})
	mail := latest(stranger, ada.reader.Email, 1)
	link := resetLink.FindStringSubmatch(mail.Text)
	if link == nil || !strings.Contains(mail.HTML, link[0]) || !strings.Contains(mail.Text, crumb.HTTPURL()+link[0]) {
		t.Fatalf("the mail has no link to this site:\n%s\n%s", mail.Text, mail.HTML)
	}
	const another = "another horse battery"
	path := "/api/password-resets/" + link[1]
	stranger.does(http.StatusNoContent, "POST", path, resets.NewPassword{Password: another})
	stranger.does(http.StatusGone, "POST", path, resets.NewPassword{Password: "a third password"})
	stranger.does(http.StatusUnauthorized, "POST", "/api/sessions", readers.Credentials{Email: ada.reader.Email, Password: password})
	stranger.does(http.StatusOK, "POST", "/api/sessions", readers.Credentials{Email: ada.reader.Email, Password: another})
	if told := latest(stranger, ada.reader.Email, 2); !strings.Contains(told.Subject, "was changed") {
		t.Errorf("the second mail is %q", told.Subject)
	}
	if n := len(postTo(stranger, "nobody."+ada.reader.Email)); n > 0 {
		t.Errorf("%d mails to an address that nobody has", n)
	}
}

// subscriber signs up with an address, and for the newsletter.
func subscriber(t *testing.T, name, address string) *person {
	t.Helper()
	p := nobody(t)
	p.reader = told[readers.Reader](p, http.StatusCreated, "POST", "/api/readers", readers.Newcomer{Name: name, Email: address, Password: password})
	p.does(http.StatusNoContent, "PUT", "/api/me/newsletter", newsletter.Wish{On: true})
	return p
}

func (p *person) me() readers.Me {
	p.t.Helper()
	return told[readers.Me](p, http.StatusOK, "GET", "/api/me", nil)
}

// TestNewsletter sends an issue: its schedule fires twice, one address bounces, and
// one reader has enough of it.
func TestNewsletter(t *testing.T) {
	ada, bob := subscriber(t, "Ada", "ada.newsletter@example.com"), subscriber(t, "Bob", "bob.newsletter@example.com")
	carl := subscriber(t, "Carl", "bounce+newsletter@simulator.amazonses.com")
	ada.published(soup("Soup of the week"))

	event := fmt.Sprintf(`{"periodic":"newsletter","time":%q}`, time.Now().UTC().Format(time.RFC3339))
	for range 2 {
		if result, err := crumb.Invoke(t.Context(), "schedules", []byte(event)); err != nil || result.FunctionError != "" {
			t.Fatalf("the schedule: %v, %s", err, result.Payload)
		}
	}

	copies := map[*person]post{}
	for _, p := range []*person{ada, bob, carl} {
		copies[p] = latest(p, p.reader.Email, 1)
	}
	until(t, "Carl's address is known to bounce", func() bool { return carl.me().Bounced != "" })
	if me := carl.me(); me.Newsletter || copies[carl].Outcomes[0].Outcome != "bounced" {
		t.Errorf("Carl: %+v, the mail %+v", me, copies[carl].Outcomes)
	}
	if me := bob.me(); !me.Newsletter || me.Bounced != "" {
		t.Errorf("Bob has to do with it: %+v", me)
	}

	mail := copies[ada]
	if mail.header("List-Unsubscribe-Post") != "List-Unsubscribe=One-Click" {
		t.Errorf("List-Unsubscribe-Post is %q", mail.header("List-Unsubscribe-Post"))
	}
	link := strings.Trim(mail.header("List-Unsubscribe"), "<>")
	path, ours := strings.CutPrefix(link, crumb.HTTPURL())
	if !ours {
		t.Fatalf("List-Unsubscribe is %q", link)
	}
	nobody(t).does(http.StatusOK, "GET", path, nil) // after the redirect: the page that asks
	if !ada.me().Newsletter {
		t.Error("looking at the link unsubscribed")
	}
	nobody(t).does(http.StatusOK, "POST", path, nil)
	if ada.me().Newsletter {
		t.Error("one click did not unsubscribe")
	}
	for p, mail := range copies {
		if all := postTo(p, p.reader.Email); len(all) != 1 || mail.Subject != copies[ada].Subject {
			t.Errorf("%s has %d copies, of %q", p.reader.Name, len(all), mail.Subject)
		}
	}
}
