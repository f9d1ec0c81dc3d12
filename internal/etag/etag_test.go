package etag_test

import (
	"testing"

	"github.com/nightshift-go/nightshift/internal/etag"
)

func TestMatches(t *testing.T) {
	tag := etag.Of("soup")
	if tag != etag.Of("soup") || tag == etag.Of("stew") {
		t.Fatalf("the tag is %s", tag)
	}
	for header, want := range map[string]bool{
		tag: true, "W/" + tag: true, `"a", ` + tag: true, "*": true, ` "a" , * `: true,
		"": false, `"a"`: false, tag[1 : len(tag)-1]: false, tag + "x": false,
	} {
		if got := etag.Matches(header, tag); got != want {
			t.Errorf("%q: %v", header, got)
		}
	}
}
