// Package cloudwatch is the part of CloudWatch that keeps metrics: it takes them from
// PutMetricData and from log lines in the embedded metric format, and answers
// ListMetrics, GetMetricStatistics and GetMetricData.
//
// It speaks the protocol of the Go SDK (Smithy RPC v2, CBOR) and AWS JSON 1.0. Metrics
// are in memory and gone when the process ends. Where it differs from AWS: there are no
// expressions, no periods below a minute, no alarms; a metric that was recorded in several
// units is one when it is asked for without a unit; and of each only the last MaxMinutes
// minutes are kept in which it was measured.
package cloudwatch

import (
	"sync"
	"time"

	"github.com/nightshift-go/nightshift/internal/localaws/awsjson"
)

// Bounds of what is kept.
const (
	// MaxMetrics is how many metrics there may be, dimensions and units told apart;
	// those beyond are dropped.
	MaxMetrics = 5000
	// MaxMinutes is how many minutes of a metric are kept.
	MaxMinutes = 1440
)

// Config sets a DB up.
type Config struct {
	// Now is the clock; nil means time.Now.
	Now func() time.Time
	// Log takes what is wrong with lines that look like metrics; nil drops it.
	Log func(message string)
}

// A DB keeps metrics. It may be used by many goroutines.
type DB struct {
	config  Config
	service *awsjson.Service

	mu      sync.Mutex
	metrics map[key]*metric
	full    bool // said already
}

// New makes an empty DB.
func New(config Config) *DB {
	if config.Now == nil {
		config.Now = time.Now
	}
	if config.Log == nil {
		config.Log = func(string) {}
	}
	db := &DB{config: config, metrics: map[key]*metric{}}
	db.service = &awsjson.Service{
		Name: "CloudWatch", Prefix: prefix, Namespace: "com.amazonaws.cloudwatch", Version: "1.0",
		Operations: map[string]awsjson.Operation{
			"PutMetricData":       awsjson.Handle(db.putMetricData),
			"ListMetrics":         awsjson.Handle(db.listMetrics),
			"GetMetricStatistics": awsjson.Handle(db.getMetricStatistics),
			"GetMetricData":       awsjson.Handle(db.getMetricData),
		},
	}
	return db
}

// Service is what answers calls in AWS JSON.
func (db *DB) Service() *awsjson.Service { return db.service }

// add keeps values, each as often as its count says.
func (db *DB) add(k key, at time.Time, d data) {
	db.mu.Lock()
	defer db.mu.Unlock()
	m := db.metrics[k]
	if m == nil {
		if len(db.metrics) == MaxMetrics {
			if !db.full {
				db.full = true
				db.config.Log("there are too many metrics: those that are new are dropped")
			}
			return
		}
		m = &metric{}
		db.metrics[k] = m
	}
	m.at(at).add(d)
	m.last = maxTime(m.last, at)
}

func maxTime(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
