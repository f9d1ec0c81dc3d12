package main

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/pkg/scaling"
)

// knows lets the function that moves workers have run.
func (d *deadStack) knows(known string) {
	d.t.Helper()
	if ok, err := d.jobs.SetMark(d.t.Context(), "scaling#known", "", known); err != nil || !ok {
		d.t.Fatal(ok, err)
	}
}

func TestLendingInARunningStack(t *testing.T) {
	d := startDeadStack(t)
	d.want(d.run("queues", "lend", "--list"), 0, "", "nothing was lent")
	d.want(d.run("queues", "lend", "newsletter", "photos"), 1, "", "the function that moves workers has not run yet")
	d.knows(`{"newsletter":{"least":20,"most":20,"side_by_side":1},"photos":{"least":90,"most":200,"side_by_side":1},"videos":{"least":1,"most":1,"side_by_side":1,"polled":true}}`)

	d.want(d.run("queues", "lend", "newsletter", "photos", "--for", "10m", "--share", "0.5"), 0, "asked: lent  newsletter to photos  within a minute, until ", "")
	listed := d.run("queues", "lend", "--list")
	for _, want := range []string{"FROM        TO      STATE  FREED  GAINED  UNTIL", "newsletter  photos  asked  0      0"} {
		d.want(listed, 0, want, "")
	}
	var loan scaling.Loan
	asJSON := d.run("queues", "lend", "--list", "--json")
	if err := json.Unmarshal([]byte(asJSON.out), &loan); err != nil || loan.Share != 0.5 || loan.Until.Sub(loan.Asked) != 10*time.Minute {
		t.Errorf("%v: %s", err, asJSON.out)
	}

	d.want(d.run("queues", "lend", "newsletter", "photos"), 1, "", "newsletter can't lend to photos: newsletter lends to photos until")
	d.want(d.run("queues", "lend", "photos", "newsletter"), 1, "", "photos can't lend to newsletter while it borrows: newsletter lends to photos until")
	d.want(d.run("queues", "lend", "photos", "photos"), 1, "", "photos can't lend to itself")
	d.want(d.run("queues", "lend", "newsleter", "photos"), 1, "", `there is no such queue: "newsleter": use one of newsletter, photos, videos`)
	d.want(d.run("queues", "pause", "videos"), 1, "", "videos can't be paused: processes of its own poll the queue videos")
	d.want(d.run("queues", "lend", "newsletter", "--give-back"), 0, "asked: given back  newsletter  it goes on within a minute", "")
	d.want(d.run("queues", "lend", "newsletter", "--give-back"), 1, "", "newsletter goes on within a minute")
	d.want(d.run("queues", "lend", "--list"), 0, "ending", "")

	d.want(d.run("queues", "pause", "newsletter", "--for", "100h"), 1, "", "at most 72h0m0s")
	d.want(d.run("queues", "pause", "newsletter"), 0, "asked: paused  newsletter  within a minute, until ", "")
	d.want(d.run("queues", "pause", "newsletter"), 1, "", "newsletter can't be paused: newsletter is paused until")
	d.want(d.run("queues", "resume", "newsletter"), 0, "asked: given back  newsletter", "")
	d.want(d.run("queues", "resume", "photos"), 1, "", `"photos" is not paused and lends nothing`)
}

func TestMisuseOfLending(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"lend", "it takes two queues"},
		{"lend a", "it takes two queues"},
		{"lend a b c", "it takes two queues"},
		{"lend --list a", "--list takes no queue"},
		{"lend --list --give-back", "two commands"},
		{"lend --give-back", "takes the queue that lends"},
		{"lend a b --share 1.5", "--share 1.5"},
		{"lend a b --share 0", "--share 0"},
		{"lend a b --for -5m", "--for -5m"},
		{"pause a --for 0s", "--for 0s"},
		{"pause a --for 30s", "--for 30s: want a minute at least"},
		{"pause", "it takes one queue"},
		{"resume a b", "it takes one queue"},
	} {
		d := &deadStack{t: t, data: t.TempDir()}
		d.want(d.run(append([]string{"queues"}, strings.Fields(c.args)...)...), 2, "", c.want)
	}
}
