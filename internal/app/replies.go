package app

import "context"

// RepliesDoc says what a file of replies holds.
type RepliesDoc struct {
	File    string   `json:"file"`
	Runs    []string `json:"runs"`
	Replies int      `json:"replies"`
	Tokens  int      `json:"tokens"` // that they cost, in and out
	Missing int      `json:"missing,omitempty"`
}

// ExportReplies writes the replies that models gave to runs into a file that another machine can use.
func (a *App) ExportReplies(ctx context.Context, runs []string, file string) (RepliesDoc, error) {
	seen := map[string]bool{}
	var ids []string
	for _, r := range runs {
		id, err := a.resolve(ctx, r)
		if err != nil {
			return RepliesDoc{}, err
		}
		if !seen[string(id)] {
			seen[string(id)] = true
			ids = append(ids, string(id))
		}
	}
	return a.Keeper.ExportReplies(ctx, ids, file)
}
