// Package feishu publishes specs as records of a Feishu table (bitable) through the official SDK.
//
// It owns the words of that interface: tokens and their renewal, codes and what they mean, how texts come back. It decides
// nothing: publish says whether to create or to update. The package must not know stores, settings or workspaces.
package feishu
