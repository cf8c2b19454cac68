package openai

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"sluice/internal/model"
)

// stream asks for the reply in pieces and puts them together, as if it had come whole.
func stream(ctx context.Context, chat sdk.ChatCompletionService, body sdk.ChatCompletionNewParams, watch func(int)) (*sdk.ChatCompletion, error) {
	body.StreamOptions.IncludeUsage = sdk.Bool(true)
	var resp *http.Response
	pieces := chat.NewStreaming(ctx, body, option.WithResponseInto(&resp))
	defer func() { _ = pieces.Close() }()
	if pieces.Err() == nil && resp != nil && isJSON(resp.Header) {
		return whole(resp.Body, watch)
	}
	var text, refusal strings.Builder
	answer := &sdk.ChatCompletion{}
	finish := ""
	for pieces.Next() {
		piece := pieces.Current()
		if piece.Model != "" {
			answer.Model = piece.Model
		}
		if piece.Usage.PromptTokens > 0 || piece.Usage.CompletionTokens > 0 {
			answer.Usage = piece.Usage
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
		return nil, model.ErrEndedEarly
	}
	answer.Choices = []sdk.ChatCompletionChoice{{FinishReason: finish,
		Message: sdk.ChatCompletionMessage{Content: text.String(), Refusal: refusal.String()}}}
	return answer, nil
}

// isJSON tells of a server that takes no notice of the wish for a stream.
func isJSON(h http.Header) bool {
	kind, _, err := mime.ParseMediaType(h.Get("Content-Type"))
	return err == nil && kind == "application/json"
}

// whole reads a reply that came in one piece.
func whole(body io.Reader, watch func(int)) (*sdk.ChatCompletion, error) {
	raw, err := io.ReadAll(body)
	if err != nil {
		return nil, err
	}
	var answer sdk.ChatCompletion
	if err := json.Unmarshal(raw, &answer); err != nil {
		return nil, err
	}
	if len(answer.Choices) > 0 {
		watch(len(answer.Choices[0].Message.Content))
	}
	return &answer, nil
}

// refusesStream tells a server that sends replies only whole.
func refusesStream(err error) bool {
	e, ok := errors.AsType[*model.Error](err)
	return ok && (e.Status == http.StatusBadRequest || e.Status == http.StatusUnprocessableEntity) &&
		strings.Contains(strings.ToLower(e.Error()), "stream")
}
