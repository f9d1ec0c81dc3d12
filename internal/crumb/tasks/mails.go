package tasks

import "time"

// The mails that are sent at once, each with what it says. Link is a path on the
// site, "/recipes/17", or a whole URL.

// PasswordReset has the link by which a password is set anew, once, for an hour.
type PasswordReset struct{ Name, Link string }

// PasswordChanged tells that it was.
type PasswordChanged struct{ Name string }

// ExportReady is the receipt of an export: the link ends at Expires.
type ExportReady struct {
	Link    string
	Expires time.Time
}

// ReminderDue reminds a reader of a recipe that they wanted to cook.
type ReminderDue struct{ Title, Link string }

// DraftWaiting reminds an author of a recipe that they did not finish.
type DraftWaiting struct{ Title, Link string }

// RecipeHeld tells an author that a recipe was taken for spam, and what now.
type RecipeHeld struct{ Title, Link string }

func (PasswordReset) name() string   { return "password-reset" }
func (PasswordChanged) name() string { return "password-changed" }
func (ExportReady) name() string     { return "export-ready" }
func (ReminderDue) name() string     { return "reminder" }
func (DraftWaiting) name() string    { return "draft" }
func (RecipeHeld) name() string      { return "recipe-held" }

// To addresses the mail to a reader, by id, or to an address.
func (m PasswordReset) To(to string) SendMail {
	return SendMail{m.name(), to, map[string]string{"name": m.Name, "link": m.Link}}
}

// To addresses the mail to a reader, by id, or to an address.
func (m PasswordChanged) To(to string) SendMail {
	return SendMail{m.name(), to, map[string]string{"name": m.Name}}
}

// To addresses the mail to a reader, by id, or to an address.
func (m ExportReady) To(to string) SendMail {
	expires := m.Expires.UTC().Format("2 January 2006, 15:04 MST")
	return SendMail{m.name(), to, map[string]string{"link": m.Link, "expires": expires}}
}

// To addresses the mail to a reader, by id, or to an address.
func (m ReminderDue) To(to string) SendMail { return recipeMail(m.name(), to, m.Title, m.Link) }

// To addresses the mail to a reader, by id, or to an address.
func (m DraftWaiting) To(to string) SendMail { return recipeMail(m.name(), to, m.Title, m.Link) }

// To addresses the mail to a reader, by id, or to an address.
func (m RecipeHeld) To(to string) SendMail { return recipeMail(m.name(), to, m.Title, m.Link) }

func recipeMail(name, to, title, link string) SendMail {
	return SendMail{name, to, map[string]string{"title": title, "link": link}}
}
