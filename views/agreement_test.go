package views_test

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"orrery/views"
	"orrery/views/draw"
)

func sampleAgreement() *views.Agreement {
	g := &views.Agreement{Agreed: 1893, Explained: 99, Differs: 8, Unschedulable: 214, Missed: 3, Predicted: 2}
	g.List = views.List[views.Difference]{Total: 107, Rows: []views.Difference{
		{
			Seq: 107, At: ago(300 * time.Millisecond), Pod: "shop/cart-6b7d54b7c9-8zv4m", Explained: true, Actual: "ip-10-0-3-85.internal", Best: "ip-10-0-1-30.internal, +2",
			ScoreGap: 4, Scored: true, Reason: "it had not seen yet: shop/cart-6b7d54b7c9-5kx2v → ip-10-0-3-85.internal, 12ms before",
			Parts: []views.DifferencePart{{"NodeResourcesFit", 3}, {"NodeResourcesBalancedAllocation", 1}},
		},
		{
			Seq: 106, At: ago(4 * time.Second), Pod: "ml/trainer-large-0", Best: "ip-10-0-7-17.internal",
			Reason:  "declared unschedulable, but 3 of 240 nodes are feasible",
			Details: []string{"its message: 0/240 nodes are available: 240 Insufficient nvidia.com/gpu."},
		},
		{
			Seq: 105, At: ago(9 * time.Second), Pod: "shop/checkout-7d9f6c5b8-x2kqp", Actual: "ip-10-0-0-82.internal", Best: "ip-10-0-4-43.internal",
			ScoreGap: 61, Scored: true, Reason: "NodeResourcesFit scores the other node higher by 79",
			Parts: []views.DifferencePart{{"NodeResourcesFit", 79}, {"PodTopologySpread", -18}},
		},
		{
			Seq: 104, At: ago(12 * time.Second), Pod: "batch/etl-7wq9x", Actual: "ip-10-0-2-56.internal",
			Reason:  "TaintToleration rejects the node: node(s) had untolerated taint(s)",
			Details: []string{"no feasible node"},
		},
	}}
	for i := range 26 {
		g.List.Rows = append(g.List.Rows, views.Difference{
			Seq: uint64(103 - i), At: ago(time.Duration(14+3*i) * time.Second), Pod: fmt.Sprintf("ml/trainer-%d", i), Explained: true,
			Actual: fmt.Sprintf("ip-10-0-2-%d.internal", 3*i+1), Best: fmt.Sprintf("ip-10-0-1-%d.internal", 5*i+2), ScoreGap: int64(i%7 + 1), Scored: true,
			Reason: fmt.Sprintf("it had already seen: ml/trainer-%d → ip-10-0-1-%d.internal, 8ms after", i+1, 5*i+2),
		})
	}
	return g
}

func TestAgreement_Goldens(t *testing.T) {
	whole := sample(312, 240)
	whole.Agreement = &views.Agreement{Agreed: 2000}
	poor := sample(312, 240)
	poor.Agreement.Agreed, poor.Agreement.Differs = 120, 1800
	none := sample(312, 240)
	none.Agreement = nil
	started := sample(312, 240)
	started.Agreement = &views.Agreement{}
	recorded := sample(312, 240)
	recorded.Agreement = &views.Agreement{Differs: 2, Recorded: true, List: views.List[views.Difference]{Total: 2, Rows: []views.Difference{
		{Seq: 9, At: ago(time.Second), Pod: "shop/web-8zv4m", Reason: "unexplained at 1m2.5s: shop/web-8zv4m bound to a-2, and Orrery chooses b-1, which leads by 12 points", Told: true},
		{Seq: 4, At: ago(time.Minute), Pod: "shop/web-5kx2v", Reason: "unexplained at 3.1s: shop/web-5kx2v declared unschedulable, and Orrery chooses b-2", Told: true},
	}}}
	recordedNone := sample(312, 240)
	recordedNone.Agreement = &views.Agreement{Recorded: true}
	shadow := sample(312, 240)
	shadow.Header.Compared, shadow.Header.AgreementRate = 2000, 0.996
	for _, tt := range []struct {
		name   string
		m      *views.Model
		glyphs draw.Glyphs
	}{
		{"all agreed", whole, draw.Braille},
		{"hardly any agreed", poor, draw.Block},
		{"no shadow", none, draw.Braille},
		{"just begun", started, draw.Braille},
		{"ascii", sample(312, 240), draw.ASCII},
		{"the rate in the header", shadow, draw.Braille},
		{"recorded", recorded, draw.Braille},
		{"recorded without a difference", recordedNone, draw.Braille},
	} {
		t.Run(tt.name, func(t *testing.T) {
			golden(t, filepath.Join("agreement", tt.name), screen(tt.m, sampleState(views.AgreementPane), size{120, 30}, tt.glyphs).Plain())
		})
	}
}
