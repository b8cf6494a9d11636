package draw

// Glyphs is how rich a terminal's font is. Each step down needs less of it; what is drawn stays the same in place and
// meaning.
type Glyphs uint8

// The ladder.
const (
	Braille Glyphs = iota
	Block
	ASCII
)

func (g Glyphs) String() string { return [...]string{"braille", "block", "ascii"}[g] }

// toASCII is what stands for one of the program's own signs where there is nothing but ASCII. Signs that are told apart
// by shape stay apart. What comes from outside, and is not ASCII, becomes a question mark.
func toASCII(r rune) rune {
	if sign, ok := asciiSigns[r]; ok {
		return sign
	}
	return '?'
}

var asciiSigns = map[rune]rune{
	'●': '*', '◔': '%', '✗': 'x', '◌': 'o', '➤': '}', '✓': '+', '⚑': '^', '▼': 'v', '☠': 'X', '○': '0', '◆': '!', '◇': '"',
	'★': '@', '⊘': '/', '▸': '>', '▾': 'v', '▌': '|', '·': '.', '…': '~', '–': '-', '→': '>', '←': '<', '↑': '^', '↓': 'v',
	'−': '-', '×': 'x', 'µ': 'u', '≥': '>', '≤': '<', 'Σ': 'S', '┆': ':', '╎': ':', '♥': 'h',
	'╭': '+', '╮': '+', '╰': '+', '╯': '+', '─': '-', '│': '|', '├': '+', '┤': '+', '┬': '+', '┴': '+', '┼': '+',
	'━': '=', '╸': '-', '┄': '-', '═': '=', '▏': '|', '▎': '|', '▍': '|', '▋': '#', '▊': '#', '▉': '#', '█': '#', '▓': '%', '▒': '=', '░': '-',
	'▁': '_', '▂': '.', '▃': '-', '▄': '=', '▅': '+', '▆': '*', '▇': '%', '■': '#', '□': '.', '▶': '>', '‖': '"', '▪': '.',
}
