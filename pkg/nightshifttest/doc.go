// Package nightshifttest is the test kit: it runs an application's background work
// in its unit tests, without a network, without sleeping, and the same way each time.
//
// # One handler
//
// Run and RunResult run a handler once and tell its verdict, what it committed, its
// progress and its cursor:
//
//	ran := nightshifttest.RunResult(t, tasks.Resize, tasks.ResizePhoto{Key: "soup"}, resizer.Resize)
//	if ran.State != lifecycle.Done || ran.Result.Width != 320 { … }
//
// # A stack
//
// A Kit is a whole stack in memory: the table, its stream and the relay, queues that
// behave like SQS, workers, the backstop, and one clock that stands still until the
// test moves it.
//
//	kit := nightshifttest.New(t, nightshifttest.Config{}, tasks.Resize, tasks.Welcome)
//	site := web.New(kit.Producer)                                    // the code under test
//	kit.Serve(worker.HandleResult(tasks.Resize, resizer.Resize))     // its workers
//
//	nightshifttest.WantEnqueued(kit, tasks.Resize, tasks.ResizePhoto{Key: "soup"})
//	kit.Drain(ctx)                       // everything that is due now
//	kit.Advance(ctx, time.Hour)          // and what comes due in the hour: retries, delays, schedules
//	kit.RunAll(ctx)                      // until every job has ended
//	sizes := nightshifttest.Result[tasks.Sizes](kit, id)
//
// Events are for whoever is subscribed: code under test writes them with Kit.Outbox, a
// test asks for them with WantPublished, and the handlers that worker.On made get them.
//
// What is amiss ends the test, with the histories of the jobs that it is about.
//
// # Once more, and in any order
//
// Config.Duplicates has the process of each job's first run die after the handler
// returned: the job runs again, as it would in earnest, and a handler whose effect is
// not idempotent shows it. Config.Shuffle delivers messages in any order that their
// queues permit; run such a test for several Seeds.
//
// # Time
//
// The clock under test is Kit.Now: hand it to the code under test. Deadlines of
// contexts are the machine's, since they are made by package context; in a bubble of
// testing/synctest they cost no time. There, Config.Now = time.Now lets the kit's
// clock go on while a handler sleeps.
package nightshifttest
