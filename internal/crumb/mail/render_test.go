package mail_test

import (
	"errors"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/internal/crumb/mail"
	"github.com/nightshift-go/nightshift/internal/crumb/mail/mailtest"
	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
)

// urgent are all mails that can be asked for, with names that want to be more.
func urgent() []tasks.SendMail {
	const evil = "<script>alert(1)</script>\r\nBcc: bob@example.org"
	return []tasks.SendMail{
		tasks.PasswordChanged{Name: evil}.To("r1"),
		tasks.PasswordReset{Name: evil, Link: "/reset/abc"}.To("r1"),
		tasks.PasswordChanged{Name: evil}.To("r1"),
		tasks.ExportReady{Link: "https://bucket.example/key?a=1&b=2", Expires: time.Date(2026, 1, 6, 9, 0, 0, 0, time.UTC)}.To("r1"),
		tasks.ReminderDue{Title: evil, Link: "/recipes/17"}.To("r1"),
		tasks.DraftWaiting{Title: evil, Link: "/recipes/17"}.To("r1"),
		tasks.RecipeHeld{Title: evil, Link: "/recipes/17"}.To("r1"),
	}
}

func TestEveryMailIsWholeAndHarmless(t *testing.T) {
	m := mailtest.Mailer(t, &mailtest.SES{})
	for _, ask := range urgent() {
		if err := ask.Validate(); err != nil {
			t.Errorf("%s: %v", ask.Template, err)
		}
		body, err := m.Render(ask.Template, ask.Data)
		if err != nil {
			t.Errorf("%s: %v", ask.Template, err)
			continue
		}
		if body.Subject == "" || strings.ContainsAny(body.Subject, "\r\n") || strings.TrimSpace(body.Text) == "" {
			t.Errorf("%s: the subject %q, the text %q", ask.Template, body.Subject, body.Text)
		}
		if strings.Contains(body.HTML, "<script>") || strings.Contains(body.HTML, "ZgotmplZ") || !strings.Contains(body.HTML, "</html>") {
			t.Errorf("%s: the page\n%s", ask.Template, body.HTML)
		}
		if link := ask.Data["link"]; strings.HasPrefix(link, "/") && (!strings.Contains(body.Text, mailtest.URL+link) || !strings.Contains(body.HTML, `"`+mailtest.URL+link+`"`)) {
			t.Errorf("%s: the link is not in both parts\n%s\n%s", ask.Template, body.Text, body.HTML)
		}
	}
}

func TestMissingDataIsAnError(t *testing.T) {
	m := mailtest.Mailer(t, &mailtest.SES{})
	for _, ask := range urgent() {
		for missing := range ask.Data {
			data := maps.Clone(ask.Data)
			delete(data, missing)
			if _, err := m.Render(ask.Template, data); err == nil {
				t.Errorf("%s without %s is rendered", ask.Template, missing)
			}
		}
	}
	if _, err := m.Render("no-such", nil); !errors.Is(err, mail.ErrNoTemplate) {
		t.Errorf("an unknown template: %v", err)
	}
}

func TestLinksToNowhere(t *testing.T) {
	m := mailtest.Mailer(t, &mailtest.SES{})
	for _, link := range []string{"", "recipes/17", "javascript:alert(1)", "//evil.example/x", "mailto:a@b", "data:text/html,x", "https://", "/a\r\nb", "https:evil"} {
		if _, err := m.Render("draft", map[string]string{"title": "Soup", "link": link}); err == nil {
			t.Errorf("%q is a link", link)
		}
	}
}

func TestEveryTemplateIsAsked(t *testing.T) {
	entries, err := os.ReadDir("templates")
	if err != nil {
		t.Fatal(err)
	}
	known := []string{"layout.html", "issue.txt", "issue.html"}
	for _, ask := range urgent() {
		known = append(known, ask.Template+".txt", ask.Template+".html")
	}
	for _, e := range entries {
		if !slices.Contains(known, e.Name()) {
			t.Errorf("nobody sends %s", e.Name())
		}
	}
}
