package app

import "sluice/internal/fault"

// cure names what helps against a fault of a model that lasts until a person does something about it. What else there is to
// do, the caller adds: the same work goes on once it is mended.
func cure(code fault.Code) []fault.Action {
	switch code {
	case fault.ModelAuth, fault.ModelUnknown:
		return []fault.Action{{Action: "models", Command: "sluice models --check",
			Why: "it shows server, model and where the key is kept, and whether they answer"}}
	case fault.ModelTruncated, fault.ModelBadRequest:
		return []fault.Action{{Action: "config", Command: "sluice config show", Why: "it shows max_tokens and the rest of the model's settings"}}
	}
	return nil
}
