package openai

import (
	"context"
	"errors"
	"net/http"
	"strings"

	sdk "github.com/openai/openai-go/v3"

	"sluice/internal/model"
)

// errEndedEarly is a stream without its end: the connection closed as if all had been said.
var errEndedEarly = errors.New("the stream ended before the reply did")

// stream asks for the reply in pieces and puts them together, as if it had come whole.
func stream(ctx context.Context, chat sdk.ChatCompletionService, body sdk.ChatCompletionNewParams, watch func(int)) (*sdk.ChatCompletion, error) {
	body.StreamOptions.IncludeUsage = sdk.Bool(true)
	pieces := chat.NewStreaming(ctx, body)
	defer func() { _ = pieces.Close() }()
	var text, refusal strings.Builder
	whole := &sdk.ChatCompletion{}
	finish := ""
	for pieces.Next() {
		piece := pieces.Current()
		if piece.Model != "" {
			whole.Model = piece.Model
		}
		if piece.Usage.PromptTokens > 0 || piece.Usage.CompletionTokens > 0 {
			whole.Usage = piece.Usage
		}
		if len(piece.Choices) == 0 {
			continue
		}
		choice := piece.Choices[0]
		text.WriteString(choice.Delta.Content)
		refusal.WriteString(choice.Delta.Refusal)
		if choice.FinishReason != "" {
			finish = choice.FinishReason
		}
		if choice.Delta.Content != "" {
			watch(text.Len())
		}
	}
	if err := pieces.Err(); err != nil {
		return nil, err
	}
	if finish == "" {
		return nil, errEndedEarly
	}
	whole.Choices = []sdk.ChatCompletionChoice{{FinishReason: finish,
		Message: sdk.ChatCompletionMessage{Content: text.String(), Refusal: refusal.String()}}}
	return whole, nil
}

// refusesStream tells a server that sends replies only whole.
func refusesStream(err error) bool {
	e, ok := errors.AsType[*model.Error](err)
	return ok && (e.Status == http.StatusBadRequest || e.Status == http.StatusUnprocessableEntity) &&
		strings.Contains(strings.ToLower(e.Error()), "stream")
}
