package draw

// Glyphs is how rich a terminal's font is. Each level needs fewer glyphs; what is drawn keeps its place and meaning.
type Glyphs uint8

// The levels.
const (
	Braille Glyphs = iota
	Block
	ASCII
)

func (g Glyphs) String() string { return [...]string{"braille", "block", "ascii"}[g] }

// toASCII returns the ASCII replacement of one of the program's own signs. Signs of different shapes stay different.
// Any other character becomes a question mark.
func toASCII(r rune) rune {
	if sign, ok := asciiSigns[r]; ok {
		return sign
	}
	return '?'
}

var asciiSigns = map[rune]rune{
	'●': '*', '◔': '%', '✗': 'x', '◌': 'o', '➤': '}', '✓': '+', '⚑': '^', '▼': 'v', '☠': 'E', '○': '0', '◆': '!', '◇': '"',
	'★': '@', '⊘': '/', '▸': '>', '▾': 'v', '▌': '|', '·': '.', '…': '~', '–': '-', '→': '>', '←': '<', '↑': '^', '↓': 'v',
	'−': '-', '×': 'x', 'µ': 'u', '≥': '>', '≤': '<', 'Σ': 'S', '┆': ':', '╎': ':', '♥': 'h',
	'╭': '+', '╮': '+', '╰': '+', '╯': '+', '─': '-', '│': '|', '├': '+', '┤': '+', '┬': '+', '┴': '+', '┼': '+',
	'━': '=', '╸': '-', '┄': '-', '═': '=', '▏': '|', '▎': '|', '▍': '|', '▋': '#', '▊': '#', '▉': '#', '█': '#', '▓': '%', '▒': '=', '░': '-',
	'∘': 'o', '◑': 'H', '◕': 'Q', '◎': 'O', '•': '+', '◉': '&', '✘': 'X', '⊗': 'D', '⊙': 'c',
	'▁': '_', '▂': '.', '▃': '-', '▄': '=', '▅': '+', '▆': '*', '▇': '%', '■': '#', '□': '.', '▶': '>', '▹': ')', '‖': ';', '▪': '.',
}
