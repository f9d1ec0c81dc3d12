package moderation

// A phrase is something that spam says.
type phrase struct {
	text  string
	score int
}

// known are phrases in lower case, with single spaces.
var known = []phrase{
	{"buy now", 4},
	{"click here", 4},
	{"limited offer", 4},
	{"act now", 4},
	{"100% free", 4},
	{"money back", 4},
	{"work from home", 6},
	{"earn money", 6},
	{"extra income", 6},
	{"crypto investment", 8},
	{"double your money", 10},
	{"online casino", 10},
	{"miracle weight loss", 10},
	{"cheap pills", 10},
	{"replica watches", 10},
}
