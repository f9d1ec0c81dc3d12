package ses

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestRender(t *testing.T) {
	for _, c := range []struct{ template, data, want string }{
		{"a{{b}}c", `{"b":1.50}`, "a1.50c"},
		{"{{{b}}}{{! a comment }}{{!-- }} --}}", `{"b":"<"}`, "<"},
		{"{{a.b.c}}", `{"a":{"b":{"c":true}}}`, "true"},
		{"{{#if a}}x{{else}}y{{/if}}", `{"a":""}`, "y"},
		{"{{#if a}}x{{else}}y{{/if}}", `{}`, "y"},
		{"{{#unless a}}x{{/unless}}", `{"a":false}`, "x"},
		{"{{#with a}}{{b}}{{../c}}{{/with}}", `{"a":{"b":1},"c":2}`, "12"},
		{"{{#each a}}{{this}}{{#if @last}}.{{else}},{{/if}}{{/each}}", `{"a":[1,2]}`, "1,2."},
		{"{{#each a}}{{@key}}={{this}} {{else}}none{{/each}}", `{"a":{"y":2,"x":1}}`, "x=1 y=2 "},
		{"{{#each a}}{{else}}none{{/each}}", `{"a":[]}`, "none"},
		{"{{a.1}}", `{"a":["x","y"]}`, "y"},
	} {
		data, err := readData(c.data)
		if err != nil {
			t.Fatal(err)
		}
		got, err := content{Subject: c.template}.render(data)
		if err != nil || got.Subject != c.want {
			t.Errorf("%s of %s: %q, %v, want %q", c.template, c.data, got.Subject, err, c.want)
		}
	}
	for _, bad := range []string{"{{#if a}}", "{{/if}}", "{{else}}", "{{#if a}}{{/each}}", "{{> partial}}", "{{helper a}}", "{{a b}}", "{{}}", "{{#each}}{{/each}}", strings.Repeat("{{#if a}}", 100)} {
		if _, err := parse(bad); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
}

// Whatever a template is: no panic, and without tags it is itself.
func FuzzRender(f *testing.F) {
	f.Add("{{#if a}}{{b}}{{else}}x{{/if}}", `{"a":1,"b":"y"}`)
	f.Add("{{#each a}}{{@index}}{{this.b}}{{../c}}{{/each}}", `{"a":[{"b":1}],"c":null}`)
	f.Fuzz(func(t *testing.T, template, data string) {
		read, err := readData(data)
		if err != nil {
			return
		}
		got, err := content{Subject: template}.render(read)
		if !strings.Contains(template, "{{") && (err != nil || got.Subject != template) {
			t.Errorf("%q became %q, %v", template, got.Subject, err)
		}
	})
}

// Whatever a source is: no panic.
func FuzzOpen(f *testing.F) {
	f.Add([]byte("Subject: x\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: text/html\r\n\r\nx\r\n--b--\r\n"))
	f.Add([]byte("A: =?utf-8?q?x?=\n b\nContent-Transfer-Encoding: base64\n\neA=="))
	f.Fuzz(func(t *testing.T, source []byte) {
		var s shownMail
		if err := s.open(source); err == nil && len(s.Headers) == 0 && len(source) > 0 && source[0] > ' ' {
			t.Errorf("no headers in %q", source)
		}
	})
}

// Only the last mails are kept, and none of an older one is left.
func TestKeep(t *testing.T) {
	db, err := Open(Config{Path: filepath.Join(t.TempDir(), "ses.db"), Keep: 3})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}()
	ids := []string{"1", "2", "3", "4", "5"}
	for _, id := range ids {
		if err := db.keep([]*mail{{ID: id, source: []byte(id)}}); err != nil {
			t.Fatal(err)
		}
	}
	for i, id := range ids {
		m, found, err := db.find(id)
		if err != nil || found != (i >= 2) || found && string(m.source) != id {
			t.Errorf("%s: %t %v", id, found, err)
		}
	}
	for _, bucket := range [][]byte{mailsBucket, sourcesBucket, idsBucket} {
		if names, err := db.names(bucket); err != nil || len(names) != 3 {
			t.Errorf("%s: %d, %v", bucket, len(names), err)
		}
	}
}
