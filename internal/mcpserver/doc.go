// Package mcpserver owns the MCP door: tools, resources and questions to the person at the client, over stdio and
// streamable HTTP. Every tool is a verb of app; the package decides nothing and must not know a store, a file tree or a
// model.
package mcpserver
