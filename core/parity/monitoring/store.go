package monitoring

import (
	"slices"
	"strconv"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/storage"
	"github.com/prometheus/prometheus/util/annotations"
)

// store keeps series in memory.
type store struct {
	series map[string]*promql.Series // by their labels as text
}

func newStore() *store { return &store{series: map[string]*promql.Series{}} }

// append adds a sample. Those of a series come in the order of time.
func (s *store) append(at time.Time, value float64, of labels.Labels) {
	key := of.String()
	series := s.series[key]
	if series == nil {
		series = &promql.Series{Metric: of}
		s.series[key] = series
	}
	series.Floats = append(series.Floats, promql.FPoint{T: at.UnixMilli(), F: value})
}

// scrape appends what a registry gathered, as Prometheus does from its text, with the labels of the target.
func (s *store) scrape(at time.Time, families []*dto.MetricFamily, target ...string) {
	for _, f := range families {
		for _, m := range f.Metric {
			add := func(suffix string, value float64, more ...string) {
				pairs := append(append([]string{labels.MetricName, f.GetName() + suffix}, target...), more...)
				for _, l := range m.Label {
					pairs = append(pairs, l.GetName(), l.GetValue())
				}
				s.append(at, value, labels.FromStrings(pairs...))
			}
			switch f.GetType() {
			case dto.MetricType_COUNTER:
				add("", m.Counter.GetValue())
			case dto.MetricType_GAUGE:
				add("", m.Gauge.GetValue())
			case dto.MetricType_HISTOGRAM:
				for _, b := range m.Histogram.Bucket {
					add("_bucket", float64(b.GetCumulativeCount()), labels.BucketLabel, strconv.FormatFloat(b.GetUpperBound(), 'g', -1, 64))
				}
				add("_bucket", float64(m.Histogram.GetSampleCount()), labels.BucketLabel, "+Inf")
				add("_sum", m.Histogram.GetSampleSum())
				add("_count", float64(m.Histogram.GetSampleCount()))
			}
		}
	}
}

// Querier implements storage.Queryable.
func (s *store) Querier(_, _ int64) (storage.Querier, error) {
	return &storage.MockQuerier{SelectMockFunction: func(_ bool, _ *storage.SelectHints, matchers ...*labels.Matcher) storage.SeriesSet {
		return &seriesSet{left: s.matching(matchers)}
	}}, nil
}

// matching returns the series that all matchers match, in the order of their labels.
func (s *store) matching(matchers []*labels.Matcher) (found []*promql.Series) {
	for _, series := range s.series {
		if !slices.ContainsFunc(matchers, func(m *labels.Matcher) bool { return !m.Matches(series.Metric.Get(m.Name)) }) {
			found = append(found, series)
		}
	}
	slices.SortFunc(found, func(a, b *promql.Series) int { return labels.Compare(a.Metric, b.Metric) })
	return found
}

// seriesSet implements storage.SeriesSet.
type seriesSet struct {
	left []*promql.Series
	at   *promql.Series
}

func (s *seriesSet) Next() bool {
	if len(s.left) == 0 {
		return false
	}
	s.at, s.left = s.left[0], s.left[1:]
	return true
}

func (s *seriesSet) At() storage.Series                { return promql.NewStorageSeries(*s.at) }
func (s *seriesSet) Err() error                        { return nil }
func (s *seriesSet) Warnings() annotations.Annotations { return nil }
