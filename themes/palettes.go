package themes

// palette is the source of a theme: one colour per token, in the order of the tokens, then the heat ramp.
type palette struct {
	name   string
	ground string
	light  bool
	colors [int(Selection) + 1]string
	heat   []string
}

func (p palette) theme() *Theme {
	ground, _ := hex(p.ground).RGB()
	t := &Theme{Name: p.name, Background: ground, Light: p.light, basic: basicSixteen()}
	for token, value := range p.colors {
		t.colors[token] = hex(value)
	}
	t.setHeat(p.heat)
	t.attrs[Title] = Bold
	return t
}

func (t *Theme) setHeat(values []string) {
	anchors := make([]RGB, len(values))
	for i, v := range values {
		anchors[i], _ = hex(v).RGB()
	}
	for i, c := range ramp(anchors) {
		t.colors[Heat0+Token(i)] = c
	}
}

func dark() *Theme {
	return palette{
		name: "dark", ground: "#11131a",
		colors: [...]string{
			Text: "#d3d8e6", Dim: "#8d95aa", Accent: "#8ab0ff", Border: "#646d85", Focus: "#b9cdff", Title: "#eceff8",
			Good: "#8ed49a", Warn: "#efc66f", Bad: "#ff7a85", Active: "#6fd9c8", Backoff: "#f2a65e", Gated: "#9aa3bd",
			InFlight: "#6cc4ff", Terminating: "#ff9db5", Nominated: "#cfa6ff", Selection: "#262c3d",
		},
		heat: []string{"#5277b8", "#4fa3b5", "#6dbf8b", "#d9c75f", "#f0a35a", "#f2706e"},
	}.theme()
}

func light() *Theme {
	return palette{
		name: "light", ground: "#fafafa", light: true,
		colors: [...]string{
			Text: "#262b33", Dim: "#5d6672", Accent: "#2458c5", Border: "#858d99", Focus: "#123f9c", Title: "#0f141c",
			Good: "#1a7f37", Warn: "#855600", Bad: "#bf2430", Active: "#00706a", Backoff: "#a84a00", Gated: "#626b7a",
			InFlight: "#0969b0", Terminating: "#b02a68", Nominated: "#7a3fc4", Selection: "#e4eaf6",
		},
		heat: []string{"#5d7fb9", "#2f8a99", "#3b8a4a", "#8f7a00", "#b35a00", "#b3261e"},
	}.theme()
}

func highContrast() *Theme {
	return palette{
		name: "high-contrast", ground: "#000000",
		colors: [...]string{
			Text: "#ffffff", Dim: "#d4d4d4", Accent: "#9ecbff", Border: "#b8b8b8", Focus: "#ffff66", Title: "#ffffff",
			Good: "#7cff8f", Warn: "#ffe14d", Bad: "#ff9a9a", Active: "#5ffbe6", Backoff: "#ffb45c", Gated: "#c9cfdf",
			InFlight: "#7fd4ff", Terminating: "#ffaad0", Nominated: "#e0b8ff", Selection: "#333a52",
		},
		heat: []string{"#7fa8ff", "#6fe0ff", "#7cff8f", "#ffe14d", "#ffb45c", "#ff8080"},
	}.theme()
}

// colorBlind separates states by blue against orange and by lightness, which every common kind of colour vision can
// tell apart. Its hues start from Okabe and Ito's; the test next to it simulates the three kinds of dichromacy.
func colorBlind() *Theme {
	return palette{
		name: "colour-blind", ground: "#101218",
		colors: [...]string{
			Text: "#dfe3ec", Dim: "#949cb0", Accent: "#7cb8ff", Border: "#687088", Focus: "#ffe680", Title: "#f2f4fa",
			Good: "#57b4e8", Warn: "#f0e442", Bad: "#c95300", Active: "#fff456", Backoff: "#e59d00", Gated: "#a5a5a8",
			InFlight: "#6167b9", Terminating: "#9b5588", Nominated: "#0b8a5f", Selection: "#272d3e",
		},
		heat: []string{"#3f7fc4", "#56b4e9", "#b8cfd8", "#f0e442", "#e69f00", "#e0691a"},
	}.theme()
}

// tritan separates states by red against cyan and by lightness, for users who cannot tell blue from yellow.
func tritan() *Theme {
	return palette{
		name: "tritan", ground: "#101218",
		colors: [...]string{
			Text: "#e3e6ec", Dim: "#9aa2b1", Accent: "#6fd3ea", Border: "#687088", Focus: "#ffc9bf", Title: "#f4f6fa",
			Good: "#b1ded6", Warn: "#f2b5a5", Bad: "#e8333f", Active: "#5ce5ff", Backoff: "#ef989c", Gated: "#989bac",
			InFlight: "#2f8fa8", Terminating: "#bb3f80", Nominated: "#c77df1", Selection: "#272d3e",
		},
		heat: []string{"#2f8fa8", "#4fc3d8", "#b9dcdc", "#f0b8a8", "#ea7373", "#e8333f"},
	}.theme()
}

// basicSixteen are the tokens in the terminal's own sixteen colours. Text keeps the terminal's foreground, which is
// readable on any background.
func basicSixteen() [tokenCount]Color {
	at := func(i uint8) Color { return Indexed(i) }
	return [tokenCount]Color{
		Text: {}, Dim: {}, Accent: at(12), Border: at(8), Focus: at(11), Title: {},
		Good: at(2), Warn: at(3), Bad: at(1), Active: at(10), Backoff: at(11), Gated: at(7),
		InFlight: at(14), Terminating: at(9), Nominated: at(13), Selection: {},
		Heat0: at(4), Heat1: at(12), Heat2: at(6), Heat3: at(2), Heat4: at(10), Heat5: at(3), Heat6: at(9), Heat7: at(1),
	}
}

// ansi16 uses the terminal's own sixteen colours only.
func ansi16() *Theme {
	t := &Theme{Name: "ansi16", colors: basicSixteen(), basic: basicSixteen()}
	t.attrs[Title], t.attrs[Dim] = Bold, Faint
	return t
}

// mono has no colours: weight, slant and reverse video only.
func mono() *Theme {
	t := &Theme{Name: "mono"}
	for _, token := range []Token{Title, Accent, Focus, Bad, Warn, Terminating} {
		t.attrs[token] = Bold
	}
	for _, token := range []Token{Dim, Border, Gated} {
		t.attrs[token] = Faint
	}
	return t
}
