package publish

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"time"

	"sluice/internal/line/spec"
	"sluice/internal/line/spec/ledger"
)

// RetryOptions bound how long a call is fought for.
type RetryOptions struct {
	Retries  int           // after the first try
	Base     time.Duration // the first wait, doubled each time
	Cap      time.Duration // no wait of ours is longer
	AfterCap time.Duration // no wait that a server asks for is longer
}

// DefaultRetry is three retries, as the error policy of the spec line says.
func DefaultRetry() RetryOptions {
	return RetryOptions{Retries: 3, Base: 500 * time.Millisecond, Cap: 20 * time.Second, AfterCap: time.Minute}
}

func (o RetryOptions) wait(n int, asked time.Duration) time.Duration {
	if asked > 0 {
		return min(asked, o.AfterCap)
	}
	full := min(float64(o.Base)*math.Pow(2, float64(n)), float64(o.Cap))
	return time.Duration(full * (0.5 + 0.5*rand.Float64()))
}

// outcome is what became of a plan.
type outcome struct {
	ledger.Plan
	failures []spec.StepFailure
	retries  int
	err      *CallError // nil if it succeeded
}

// perform carries a plan out. Every try begins by looking: what an earlier one did without hearing so is found.
func (d *Desk) perform(ctx context.Context, t Target, p Payload, plan ledger.Plan) outcome {
	done := outcome{Plan: plan, failures: []spec.StepFailure{}}
	for {
		err := done.try(ctx, t, &p)
		if err == nil {
			done.note(nil)
			return done
		}
		again := err.Code.IsRetryable() && done.retries < d.o.Retry.Retries && ctx.Err() == nil
		done.add(err, again)
		if again && sleep(ctx, d.o.Retry.wait(done.retries, err.RetryAfter)) {
			done.retries++
			continue
		}
		if again { // the caller no longer waits
			err = &CallError{Code: Stopped, Message: "publishing was interrupted; " + err.Message}
		}
		done.note(err)
		return done
	}
}

// try does what is left to do, once.
func (o *outcome) try(ctx context.Context, t Target, p *Payload) *CallError {
	if o.Operation == ledger.Updated {
		err := callError(ctx, t.Update(ctx, o.ExternalID, *p))
		if err == nil || err.Code != Gone {
			return err
		}
		// Somebody removed the record outside. It is made anew.
		o.Operation, p.Lost, o.ExternalID = ledger.Created, o.ExternalID, ""
	}
	if f, ok := t.(Finder); ok {
		id, found, err := f.Find(ctx, *p)
		if err != nil {
			return callError(ctx, err)
		}
		if found {
			o.ExternalID = id
			return callError(ctx, t.Update(ctx, id, *p))
		}
	}
	id, err := t.Create(ctx, *p)
	if err == nil {
		o.ExternalID = id
	}
	return callError(ctx, err)
}

func callError(ctx context.Context, err error) *CallError {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*CallError](err); ok {
		return e
	}
	if ctx.Err() != nil {
		return &CallError{Code: Stopped, Message: "publishing was interrupted"}
	}
	return &CallError{Code: Rejected, Message: err.Error()}
}

// add records an error; a repeated one is one record with a count.
func (o *outcome) add(err *CallError, again bool) {
	f := spec.StepFailure{ErrorCode: string(err.Code), Message: err.Message, Retryable: err.Code.IsRetryable(), Final: spec.GaveUp}
	if last := len(o.failures) - 1; last >= 0 && o.failures[last].ErrorCode == f.ErrorCode {
		f.RetryCount = o.failures[last].RetryCount
		o.failures = o.failures[:last]
	}
	if again {
		f.RetryCount++
	}
	o.failures = append(o.failures, f)
}

// note closes the account: errors before a success, or before another error, were got over.
func (o *outcome) note(err *CallError) {
	o.err = err
	for i := range o.failures {
		if err == nil || i < len(o.failures)-1 {
			o.failures[i].Final = spec.Recovered
		}
	}
}

func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// innermost is the cause of an error, without the addresses that those around it name.
func innermost(err error) error {
	for {
		next := errors.Unwrap(err)
		if next == nil {
			return err
		}
		err = next
	}
}
