package anthropic

import (
	"errors"
	"strings"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/packages/ssestream"
)

var errEndedEarly = errors.New("the stream ended before the reply did")

// read puts the events of a reply together. Counts of tokens in later events replace those before: they are totals.
func read(events *ssestream.Stream[sdk.MessageStreamEventUnion], watch func(int)) (answer, error) {
	defer func() { _ = events.Close() }()
	var a answer
	var text strings.Builder
	ended := false
	for events.Next() {
		event := events.Current()
		switch event.Type {
		case "message_start":
			a.model = event.Message.Model
			u := event.Message.Usage
			a.usage.InputTokens = int(u.InputTokens + u.CacheCreationInputTokens + u.CacheReadInputTokens)
			a.usage.OutputTokens = int(u.OutputTokens)
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
			a.stop, a.why = event.Delta.StopReason, event.Delta.StopDetails.Explanation
			a.usage.OutputTokens = int(event.Usage.OutputTokens)
			if u := event.Usage; u.InputTokens > 0 {
				a.usage.InputTokens = int(u.InputTokens + u.CacheCreationInputTokens + u.CacheReadInputTokens)
			}
		case "message_stop":
			ended = true
		}
	}
	if err := events.Err(); err != nil {
		return answer{}, err
	}
	if !ended {
		return answer{}, errEndedEarly
	}
	a.text = text.String()
	return a, nil
}
