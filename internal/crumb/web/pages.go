package web

import (
	"fmt"
	"path"
	"strings"
)

// pages says which page is at which path; a star stands for an id, which the
// page's script reads from the address.
var pages = map[string]string{
	"/":                       "home",
	"/search":                 "search",
	"/recipes/*":              "recipe",
	"/recipes/*/edit":         "publish",
	"/publish":                "publish",
	"/upload":                 "upload",
	"/cooks/*":                "cook",
	"/feed":                   "feed",
	"/inbox":                  "inbox",
	"/account":                "account",
	"/signin":                 "signin",
	"/reset":                  "reset",
	"/newsletter/unsubscribe": "unsubscribe",
}

// pageAt gives the name of the page at a path. No two patterns match one path.
func pageAt(at string) (name string, ok bool) {
	if at != "/" && strings.Contains(at+"/", "//") {
		return "", false // a star takes the empty id, too
	}
	for pattern, name := range pages {
		if ok, err := path.Match(pattern, at); err == nil && ok {
			return name, true
		}
	}
	return "", false
}

// framed puts a page into the frame that all share. Its first line is its title;
// the rest is what stands between header and footer, and templates. The script
// and the style sheet are named like the page.
func framed(frame, name, page string) (string, error) {
	title, rest, ok := strings.Cut(page, "\n")
	title, opens := strings.CutPrefix(title, "<title>")
	title, closes := strings.CutSuffix(title, "</title>")
	if !ok || !opens || !closes {
		return "", fmt.Errorf("%s: the first line is not its <title>", name)
	}
	return strings.NewReplacer("{{title}}", title, "{{name}}", name, "{{page}}", rest).Replace(frame), nil
}
