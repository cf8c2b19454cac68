package briefing

// Account says what a prompt holds and what it does not, item by item.
type Account struct {
	Agent   string  `json:"agent"`
	Chapter int     `json:"chapter_number,omitempty"`
	Scene   int     `json:"scene_number,omitempty"`
	Budget  int     `json:"budget_tokens"`
	Used    int     `json:"used_tokens"`    // of the budget, fences included
	Subject int     `json:"subject_tokens"` // the text that is judged, recorded or revised: whole, beside the budget
	Entries []Entry `json:"entries"`
}

// Entry is one item that could go into a prompt.
type Entry struct {
	Piece  string `json:"piece"`
	Item   string `json:"item"`
	Form   Form   `json:"form"`
	Tokens int    `json:"tokens"`
	Whole  int    `json:"whole_tokens"`
	Why    string `json:"why,omitempty"` // it is not whole
}

// Form is how much of an item goes into a prompt. The zero value is invalid.
type Form string

const (
	Whole   Form = "whole"
	Short   Form = "short"
	Line    Form = "line"
	LeftOut Form = "left_out"
)

var formRank = map[Form]int{Whole: 0, Short: 1, Line: 2, LeftOut: 3}
