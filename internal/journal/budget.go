package journal

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Money is an amount in billionths of a US dollar: the price of a token is far below a cent.
type Money int64

// Dollar is one US dollar.
const Dollar Money = 1e9

// Dollars makes an amount from a number of dollars, to the nearest billionth. What is more than there can be is the most
// that there can be.
func Dollars(d float64) Money {
	if d < 0 {
		return -Dollars(-d)
	}
	if !(d < float64(math.MaxInt64/Dollar)) {
		return math.MaxInt64
	}
	return Money(d*float64(Dollar) + 0.5)
}

// LimitOf makes a limit from a number of dollars. One that is set stays one, however small: 0 would mean that there is none.
func LimitOf(d float64) Money {
	if d <= 0 {
		return 0
	}
	return max(1, Dollars(d))
}

// Dollars is the amount as people count it.
func (m Money) Dollars() float64 { return float64(m) / float64(Dollar) }

// String writes the amount with as many digits as it needs to tell something: $12.34, $0.0021.
func (m Money) String() string {
	digits := 2
	if m > -Dollar/10 && m < Dollar/10 && m%(Dollar/100) != 0 {
		digits = 4
	}
	return "$" + strconv.FormatFloat(m.Dollars(), 'f', digits, 64)
}

// RunScope names the budget of a run.
func RunScope(run string) string { return "run/" + run }

// DayScope names the budget of a day. Days are those of UTC, as everywhere.
func DayScope(at time.Time) string { return "day/" + at.UTC().Format(time.DateOnly) }

// ScopeName says a scope in words: run r1, day 2026-11-15.
func ScopeName(scope string) string { return strings.Replace(scope, "/", " ", 1) }

// Limit is what may be spent in a scope. Zero sets no limit. What a person raised it to counts instead, unless it is fixed:
// said for this one command.
type Limit struct {
	Scope       string
	Tokens      int64
	Cost        Money
	FixedTokens bool
	FixedCost   bool
}

// Hold reserves what a call may cost at most, as far as that can be known before. It is part of a call that begins: a store
// refuses the call when a limit would be crossed, and releases the hold when the call ends or its process does.
type Hold struct {
	Tokens int64
	Cost   Money
	Limits []Limit
}

// Over is why a call was refused: the limit that it would cross. It is the cause of a fault budget_used_up.
type Over struct {
	Scope                   string
	Money                   bool // the numbers are billionths of a dollar, not tokens
	Limit, Used, Held, Need int64
}

// Error is the fact.
func (o *Over) Error() string {
	text := fmt.Sprintf("%s has spent %s of %s", ScopeName(o.Scope), o.amount(o.Used), o.unit(o.Limit))
	if o.Held > 0 {
		text += fmt.Sprintf(", calls under way may need %s", o.amount(o.Held))
	}
	return text + fmt.Sprintf(", and the next call may need %s", o.amount(o.Need))
}

// FitsLater tells whether the call fits once those that are under way have cost nothing.
func (o *Over) FitsLater() bool { return o.Held > 0 && sum(o.Used, o.Need) <= o.Limit }

func (o *Over) amount(n int64) string {
	if o.Money {
		return Money(n).String()
	}
	return Thousands(n)
}

func (o *Over) unit(n int64) string {
	if o.Money {
		return o.amount(n)
	}
	return o.amount(n) + " tokens"
}

// Thousands writes a number with its thousands apart: 12,345.
func Thousands(n int64) string {
	text := strconv.FormatInt(n, 10)
	for i := len(text) - 3; i > 0 && text[i-1] != '-'; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// Budget is what was spent in a scope, and what a person said about it.
type Budget struct {
	Scope      string
	Tokens     int64 // of calls that ended, in and out
	Cost       Money // of those whose price is known
	Unpriced   int64 // tokens of those whose price is not
	HeldTokens int64 // for calls under way
	HeldCost   Money
	MaxTokens  *int64 // what the limit was raised to; nil is as configured, 0 is none
	MaxCost    *Money
	IsWarned   bool // the soft limit was told of
	IsCheaper  bool // a person wants the cheaper model to go on
}

// Over says which limit a call would cross, or nil.
func (b Budget) Over(l Limit, h Hold) *Over {
	l = b.Effective(l)
	switch {
	case l.Tokens > 0 && sum(b.Tokens, b.HeldTokens, h.Tokens) > l.Tokens:
		return &Over{Scope: b.Scope, Limit: l.Tokens, Used: b.Tokens, Held: b.HeldTokens, Need: h.Tokens}
	case l.Cost > 0 && sum(b.Cost, b.HeldCost, h.Cost) > l.Cost:
		return &Over{Scope: b.Scope, Money: true, Limit: int64(l.Cost), Used: int64(b.Cost), Held: int64(b.HeldCost), Need: int64(h.Cost)}
	}
	return nil
}

// sum adds up what was spent. Rows of a stranger's store are amounts too: none is below zero, and no sum turns negative.
func sum[T ~int64](amounts ...T) (total T) {
	for _, a := range amounts {
		total += min(max(0, a), math.MaxInt64-total)
	}
	return total
}

// Effective is the limit that counts: what it was raised to, or else as configured.
func (b Budget) Effective(l Limit) Limit {
	if !l.FixedTokens && b.MaxTokens != nil {
		l.Tokens = *b.MaxTokens
	}
	if !l.FixedCost && b.MaxCost != nil {
		l.Cost = *b.MaxCost
	}
	return l
}

// BudgetChange is what a person says about a scope. Nil fields leave it as it is.
type BudgetChange struct {
	MaxTokens *int64
	MaxCost   *Money
	Cheaper   *bool
}

// StepCost is what the calls of one step cost together, of those that were answered.
type StepCost struct {
	Step         string
	Nodes        int // for which they were made
	Calls        int
	Unpriced     int // of the calls, those whose price is not known
	InputTokens  int64
	OutputTokens int64
	Cost         Money
	Duration     time.Duration
}
