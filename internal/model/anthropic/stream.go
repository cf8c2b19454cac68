package anthropic

import (
	"strings"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/packages/ssestream"

	"sluice/internal/model"
)

// read puts the events of a reply together. Counts of tokens in later events replace those before: they are totals.
func read(events *ssestream.Stream[sdk.MessageStreamEventUnion], watch func(int)) (model.Answer, error) {
	defer func() { _ = events.Close() }()
	var a model.Answer
	var text strings.Builder
	var stop sdk.StopReason
	ended := false
	for events.Next() {
		event := events.Current()
		switch event.Type {
		case "message_start":
			a.Model = event.Message.Model
			u := event.Message.Usage
			a.Usage.InputTokens = int(u.InputTokens + u.CacheCreationInputTokens + u.CacheReadInputTokens)
			a.Usage.OutputTokens = int(u.OutputTokens)
		case "content_block_delta":
			// What the model thinks aloud comes as another kind of delta and is left out.
			if event.Delta.Type != "text_delta" {
				continue
			}
			text.WriteString(event.Delta.Text)
			if watch != nil {
				watch(text.Len())
			}
		case "message_delta":
			stop, a.Why = event.Delta.StopReason, event.Delta.StopDetails.Explanation
			a.Usage.OutputTokens = int(event.Usage.OutputTokens)
			if u := event.Usage; u.InputTokens > 0 {
				a.Usage.InputTokens = int(u.InputTokens + u.CacheCreationInputTokens + u.CacheReadInputTokens)
			}
		case "message_stop":
			ended = true
		}
	}
	if err := events.Err(); err != nil {
		return model.Answer{}, err
	}
	if !ended {
		return model.Answer{}, model.ErrEndedEarly
	}
	a.Text = text.String()
	a.Refused = stop == sdk.StopReasonRefusal
	a.Cut = stop == sdk.StopReasonMaxTokens || stop == sdk.StopReasonModelContextWindowExceeded
	if stop != sdk.StopReasonEndTurn {
		a.Finish = string(stop)
	}
	return a, nil
}
