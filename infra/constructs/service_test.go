package constructs_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-cdk-go/awscdk/v2/awsec2"
	"github.com/aws/jsii-runtime-go"

	"github.com/nightshift-go/nightshift/infra/constructs"
	"github.com/nightshift-go/nightshift/pkg/job"
)

// The shop's own films are cut by processes.
var (
	films = job.Queue{Name: "films", PeakArrivals: job.PerMinute(1), ServiceTime: 5 * time.Minute, LongestWait: time.Hour,
		Batch: 2, Polled: true}
	cutFilm = job.Define[struct{ Key string }]("film.cut", job.Policy{Queue: films, Timeout: 2 * time.Hour})
)

func (s *shop) films() constructs.PolledQueue {
	return constructs.NewPolledQueue(s.stack, "Films", constructs.PolledQueueProps{
		Queue: films, Tasks: []job.Defined{cutFilm}, Backstop: s.standard})
}

// service makes the settings of a service whose program is a stand-in.
func (s *shop) service(t *testing.T) constructs.ServiceProps {
	t.Helper()
	stand := function(t, "films")
	if err := os.WriteFile(filepath.Join(stand.Assets, "films", "Dockerfile"), []byte("FROM scratch\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return constructs.ServiceProps{Queue: s.films(), Name: "films", Assets: stand.Assets}
}

func TestServices(t *testing.T) {
	needNode(t)
	s := newShop(t)
	props := s.service(t)
	s.relay.Publish(props.Queue)
	topic := constructs.NewTopic(s.stack, "Shoots", constructs.TopicProps{Name: "shoots"})
	topic.Subscribe(props.Queue, "film.shot")
	props.CPU, props.MemoryMiB, props.Drain = 2048, 4096, 20*time.Second
	props.VPC = awsec2.NewVpc(s.stack, jsii.String("Office"), &awsec2.VpcProps{RestrictDefaultSecurityGroup: jsii.Bool(false)})
	constructs.NewService(s.stack, "FilmsService", props)

	made := s.synthesised(t)
	if got := made.Resources["FilmsQueue"].Properties["VisibilityTimeout"]; got != 30.0 {
		t.Errorf("the visibility timeout is %v", got)
	}
	// Five films at once, 70 % busy, are eight workers; two pollers with two jobs each
	// make four in a process.
	service := made.text(t, "FilmsServiceFargateService")
	for _, part := range []string{`"DesiredCount":2`, `"AssignPublicIp":"DISABLED"`, `OfficePrivateSubnet1Subnet`, `"CapacityProvider":"FARGATE"`} {
		if !strings.Contains(service, part) {
			t.Errorf("%s is not in %s", part, service)
		}
	}
	task := made.text(t, "FilmsServiceTask")
	for _, part := range []string{`"StopTimeout":30`, `{"Name":"NIGHTSHIFT_DRAIN","Value":"20s"}`, `{"Name":"NIGHTSHIFT_POLLERS","Value":"2"}`, `"Cpu":"2048"`} {
		if !strings.Contains(task, part) {
			t.Errorf("%s is not in %s", part, task)
		}
	}
	for id, want := range map[string]string{
		"RelayFunction": "NIGHTSHIFT_QUEUE_FILMS_URL", "BackstopFunction": "NIGHTSHIFT_QUEUE_FILMS_DLQ_URL",
		"ShootsFilmsSubscription": "film.shot", "FilmsQueueAgeAlarm": `"Threshold":10800`,
	} {
		if !strings.Contains(made.text(t, id), want) {
			t.Errorf("%s says nothing of %s", id, want)
		}
	}
	for id, r := range made.Resources {
		if r.Type == "AWS::Lambda::EventSourceMapping" && strings.Contains(made.text(t, id), "FilmsQueue") {
			t.Errorf("%s polls the queue as well", id)
		}
	}
}

func TestMistakesOfServices(t *testing.T) {
	needNode(t)
	polled := func(change func(*constructs.PolledQueueProps)) func(*testing.T, *shop) {
		return func(_ *testing.T, s *shop) {
			props := constructs.PolledQueueProps{Queue: films, Tasks: []job.Defined{cutFilm}, Backstop: s.standard}
			change(&props)
			constructs.NewPolledQueue(s.stack, "Films", props)
		}
	}
	service := func(change func(*constructs.ServiceProps)) func(*testing.T, *shop) {
		return func(t *testing.T, s *shop) {
			props := s.service(t)
			change(&props)
			constructs.NewService(s.stack, "FilmsService", props)
		}
	}
	for _, c := range []struct {
		name, want string
		make       func(*testing.T, *shop)
	}{
		{"a function's queue", "a function polls the queue",
			polled(func(p *constructs.PolledQueueProps) { p.Queue, p.Tasks = mails, shopTasks })},
		{"no task", `none of Tasks has the queue "films"`, polled(func(p *constructs.PolledQueueProps) { p.Tasks = shopTasks })},
		{"no backstop", "needs a Backstop", polled(func(p *constructs.PolledQueueProps) { p.Backstop = constructs.Backstop{} })},
		{"too short for a heartbeat", "visibility timeout is 15s", polled(func(p *constructs.PolledQueueProps) { p.Visibility = 15 * time.Second })},
		{"half a second", "whole seconds", polled(func(p *constructs.PolledQueueProps) { p.Visibility = 30500 * time.Millisecond })},
		{"longer than a hold", "between 10s and 1h0m0s", polled(func(p *constructs.PolledQueueProps) { p.Visibility = 2 * time.Hour })},
		{"no queue", "it needs a Queue", service(func(p *constructs.ServiceProps) { p.Queue = constructs.PolledQueue{} })},
		{"no Dockerfile", "functions/films has a Dockerfile",
			service(func(p *constructs.ServiceProps) { os.Remove(filepath.Join(p.Assets, "films", "Dockerfile")) })},
		{"not built", "run `make build` first", service(func(p *constructs.ServiceProps) { p.Assets = "nowhere" })},
		{"a drain that Fargate does not wait for", "Fargate kills after 2m0s", service(func(p *constructs.ServiceProps) { p.Drain = 2 * time.Minute })},
		{"too few processes", "needs 8 workers", service(func(p *constructs.ServiceProps) { p.Count = 1 })},
	} {
		t.Run(c.name, func(t *testing.T) {
			mistake := mistakeOf(func() { c.make(t, newShop(t)) })
			if mistake == nil || !strings.Contains(mistake.Error(), c.want) {
				t.Errorf("the mistake is %v, want one that says %q", mistake, c.want)
			}
		})
	}
}
