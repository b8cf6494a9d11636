package pressure

import "testing"

// Shows NPE-18.
func TestLayoutOf(t *testing.T) {
	fs := func(capacity, available uint64) *FsStats {
		return &FsStats{CapacityBytes: &capacity, AvailableBytes: &available}
	}
	node, other, fuller := fs(100<<30, 40<<30), fs(200<<30, 40<<30), fs(100<<30, 10<<30)
	tests := []struct {
		name               string
		images, containers *FsStats
		want               Layout
	}{
		{"no stats of images", nil, nil, OneFs},
		{"images on nodefs", node, node, OneFs},
		{"measured a moment later", fs(100<<30, 39<<30+512<<20), nil, OneFs},
		{"images and containers elsewhere", other, other, ImageFs},
		{"as large, with less available", fuller, nil, ImageFs},
		{"only images elsewhere", other, node, SplitImageFs},
	}
	for _, tt := range tests {
		s := &Summary{Node: NodeStats{Fs: node, Runtime: &RuntimeStats{ImageFs: tt.images, ContainerFs: tt.containers}}}
		if got := LayoutOf(s); got != tt.want {
			t.Errorf("%s: got %v, want %v", tt.name, got, tt.want)
		}
	}
	if got := LayoutOf(&Summary{}); got != OneFs {
		t.Errorf("no stats: got %v", got)
	}
}
