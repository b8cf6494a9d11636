package main

// merge returns the lines of a template that is one text where a value is true, and another one where it is not.
func merge(value string, yes, no []string) []string {
	var merged, onlyYes, onlyNo []string
	flush := func() {
		switch {
		case onlyYes != nil && onlyNo != nil:
			merged = append(append(merged, "{{- if "+value+" }}"), onlyYes...)
			merged = append(append(append(merged, "{{- else }}"), onlyNo...), "{{- end }}")
		case onlyYes != nil:
			merged = append(append(append(merged, "{{- if "+value+" }}"), onlyYes...), "{{- end }}")
		case onlyNo != nil:
			merged = append(append(append(merged, "{{- if not "+value+" }}"), onlyNo...), "{{- end }}")
		}
		onlyYes, onlyNo = nil, nil
	}
	common := commonLines(yes, no)
	for i, j := 0, 0; i < len(yes) || j < len(no); {
		switch {
		case i < len(yes) && j < len(no) && yes[i] == no[j]:
			flush()
			merged = append(merged, yes[i])
			i, j = i+1, j+1
		case j == len(no) || i < len(yes) && common[i+1][j] >= common[i][j+1]:
			onlyYes = append(onlyYes, yes[i])
			i++
		default:
			onlyNo = append(onlyNo, no[j])
			j++
		}
	}
	flush()
	return merged
}

// commonLines says how many lines two texts have in common, in the same order, from each line of either on.
func commonLines(a, b []string) [][]int {
	common := make([][]int, len(a)+1)
	for i := range common {
		common[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				common[i][j] = common[i+1][j+1] + 1
			} else {
				common[i][j] = max(common[i+1][j], common[i][j+1])
			}
		}
	}
	return common
}
