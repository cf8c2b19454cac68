package wire

import (
	"context"

	"sluice/internal/app"
	"sluice/internal/fault"
	"sluice/internal/workspace"
)

// ledgerFile lets the doctor hold the file of the ledger against the store.
type ledgerFile struct {
	app  *app.App
	tree *workspace.Tree
}

func (ledgerFile) Path() string                               { return app.LedgerPath }
func (f ledgerFile) Want(ctx context.Context) ([]byte, error) { return f.app.LedgerFile(ctx) }
func (f ledgerFile) Put(ctx context.Context) error            { return f.app.WriteLedger(ctx) }
func (f ledgerFile) Have(context.Context) ([]byte, error) {
	body, err := f.tree.Read(app.LedgerPath)
	if fault.CodeOf(err) == fault.NotFound {
		return nil, nil
	}
	return body, err
}
