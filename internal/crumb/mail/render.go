package mail

import (
	"embed"
	"errors"
	"fmt"
	html "html/template"
	"io/fs"
	"net/url"
	"strings"
	text "text/template"
)

//go:embed templates
var files embed.FS

// A Body is what a template makes of a mail's data.
type Body struct{ Subject, Text, HTML string }

// ErrNoTemplate: there is no mail of that name.
var ErrNoTemplate = errors.New("mail: no such template")

// A pair is one mail: name.txt, which defines "subject" as well, and name.html, which
// defines the "body" of layout.html.
type pair struct {
	text *text.Template
	html *html.Template
}

type templates map[string]pair

// parse reads all templates; links begin at base.
func parse(base string) (templates, error) {
	names, err := fs.Glob(files, "templates/*.txt")
	if err != nil {
		return nil, fmt.Errorf("mail: listing templates: %w", err)
	}
	functions := map[string]any{"url": func(link string) (string, error) { return absolute(base, link) }}
	all := templates{}
	var problems []error
	for _, file := range names {
		name := strings.TrimSuffix(strings.TrimPrefix(file, "templates/"), ".txt")
		t, err := text.New(name+".txt").Option("missingkey=error").Funcs(functions).ParseFS(files, file)
		h, err2 := html.New("layout.html").Option("missingkey=error").Funcs(functions).
			ParseFS(files, "templates/layout.html", "templates/"+name+".html")
		all[name], problems = pair{t, h}, append(problems, err, err2)
	}
	if err := errors.Join(problems...); err != nil {
		return nil, fmt.Errorf("mail: reading templates: %w", err)
	}
	return all, nil
}

// Render fills a template in. What the template asks for and the data lack is an
// error, so that nobody gets half a mail.
func (m *Mailer) Render(name string, data any) (Body, error) {
	t, ok := m.templates[name]
	if !ok {
		return Body{}, fmt.Errorf("%w: %.80q", ErrNoTemplate, name)
	}
	var subject, plain, page strings.Builder
	err := errors.Join(
		t.text.ExecuteTemplate(&subject, "subject", data),
		t.text.Execute(&plain, data),
		t.html.Execute(&page, data),
	)
	if err != nil {
		return Body{}, fmt.Errorf("mail: the template %s: %w", name, err)
	}
	return Body{Subject: line(subject.String()), Text: strings.TrimSpace(plain.String()) + "\n", HTML: page.String()}, nil
}

// Link gives the URL of a path on the site.
func (m *Mailer) Link(path string) (string, error) { return absolute(m.config.URL, path) }

// line makes one line of a text: what a header may have.
func line(text string) string {
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r <= ' ' || r == 0x7f || r == '\u0085' || r == '\u2028' || r == '\u2029' }), " ")
}

// absolute makes a link of a path on the site. A link to elsewhere stays.
func absolute(base, link string) (string, error) {
	u, err := url.Parse(link)
	switch {
	case err != nil:
		return "", fmt.Errorf("mail: the link %.80q can't be read", link)
	case u.Scheme == "" && u.Host == "" && strings.HasPrefix(link, "/"):
		return base + u.String(), nil
	case (u.Scheme == "https" || u.Scheme == "http") && u.Host != "":
		return u.String(), nil
	}
	return "", fmt.Errorf("mail: the link %.80q is neither a path on the site nor a URL of the web", link)
}
