package app

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"octavo/internal/database"
)

// metrics of the server, of the Go runtime and of the database connections.
type metrics struct {
	registry *prometheus.Registry
	requests *prometheus.HistogramVec
}

func newMetrics(opened *database.Database) *metrics {
	made := &metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "octavo_http_request_duration_seconds", Help: "How long requests took.", Buckets: prometheus.DefBuckets,
		}, []string{"method", "route", "status"}),
	}
	made.registry.MustRegister(made.requests,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		collectors.NewDBStatsCollector(opened.Pool(), "octavo"))
	return made
}

func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}
