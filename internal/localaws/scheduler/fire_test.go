package scheduler

import (
	"testing"
	"time"
)

func TestFiresOnceAndGoes(t *testing.T) {
	w := newWorld(t)
	w.want("", "POST", "/schedules/once", body("ActionAfterCompletion", `"DELETE"`))
	w.want("", "POST", "/schedules/kept", body())
	w.move("2026-11-23T08:00:01Z")
	for range 2 {
		w.await("work  hello 2026-11-23T08:00:00Z")
	}
	w.gone("once")
	w.want("", "GET", "/schedules/kept", "")
	w.close()
	w.open() // it does not fire again
	w.move("2026-11-23T09:00:00Z")
	w.want("", "POST", "/schedules/next", body("ScheduleExpression", `"at(2026-11-23T09:00:01)"`))
	w.move("2026-11-23T09:00:02Z")
	w.await("work  hello 2026-11-23T09:00:01Z")
	w.quiet()
}

// gone waits until a schedule has been deleted by its own completion.
func (w *world) gone(name string) {
	w.t.Helper()
	w.db.mu.Lock()
	_, fires := w.db.running[keyOf("default", name)]
	w.db.mu.Unlock()
	for deadline := time.Now().Add(20 * time.Second); fires && w.call("GET", "/schedules/"+name, "")["code"] == ""; {
		if time.Now().After(deadline) {
			w.t.Fatalf("%s stays", name)
		}
	}
	w.want("ResourceNotFoundException", "GET", "/schedules/"+name, "")
}

// quiet holds that nothing more has arrived.
func (w *world) quiet() {
	w.t.Helper()
	select {
	case got := <-w.sent:
		w.t.Fatalf("%q arrived", got)
	default:
	}
}

func TestFIFOAndLambda(t *testing.T) {
	w := newWorld(t)
	w.want("", "POST", "/schedules/fifo", body("Target", `{"Arn":"`+queueARN+`.fifo","RoleArn":"`+roleARN+`","Input":"x","SqsParameters":{"MessageGroupId":"g"}}`))
	w.move("2026-11-23T08:00:00Z")
	w.await("work.fifo g x")
	w.want("", "POST", "/schedules/lambda", body("ScheduleExpression", `"at(2026-11-23T08:00:01)"`, "Target", `{"Arn":"`+lambdaARN+`","RoleArn":"`+roleARN+`","Input":"{\"a\":1}"}`))
	w.move("2026-11-23T08:00:01Z")
	w.await(`f  {"a":1}`)
}

// What was made and not fired when the process died fires after the next start,
// although nothing had been noted of it.
func TestSurvivesARestart(t *testing.T) {
	w := newWorld(t)
	w.want("", "POST", "/schedules/s", body())
	w.close()
	w.move("2026-11-23T08:30:00Z")
	w.open()
	w.await("work  hello 2026-11-23T08:00:00Z")
	w.close()
	w.open()
	w.quiet()
}

func TestChangesBeginAnew(t *testing.T) {
	w := newWorld(t)
	w.want("", "POST", "/schedules/moved", body())
	w.want("", "PUT", "/schedules/moved", body("ScheduleExpression", `"at(2026-11-23T09:00:00)"`))
	w.want("", "POST", "/schedules/deleted", body())
	w.want("", "DELETE", "/schedules/deleted", "")
	w.want("", "POST", "/schedules/paused", body("State", `"DISABLED"`, "ScheduleExpression", `"cron(0 8,10 * * ? *)"`))
	w.want("", "POST", "/schedules/past", body("ScheduleExpression", `"at(2026-11-23T06:59:59)"`))
	w.move("2026-11-23T09:30:00Z")
	w.await("work  hello 2026-11-23T09:00:00Z")
	w.want("", "PUT", "/schedules/paused", body("ScheduleExpression", `"cron(0 8,10 * * ? *)"`)) // 08:00 was not missed
	w.move("2026-11-23T10:00:00Z")
	w.await("work  hello 2026-11-23T10:00:00Z")
	w.quiet()
}

func TestMissingQueueBecomesALetter(t *testing.T) {
	w := newWorld(t)
	w.missing = true
	w.want("", "POST", "/schedules/s", body("Target", `{"Arn":"`+queueARN+`","RoleArn":"`+roleARN+`","DeadLetterConfig":{"Arn":"arn:aws:sqs:us-east-1:000000000000:letters"}}`))
	w.move("2026-11-23T08:00:00Z")
	select {
	case letter := <-w.letters:
		if letter["RETRY_ATTEMPTS"] != "0" || letter["SCHEDULE_ARN"] != "arn:aws:scheduler:us-east-1:000000000000:schedule/default/s" || letter["TARGET_ARN"] != queueARN {
			t.Error(letter)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("no letter")
	}
}
