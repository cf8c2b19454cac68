package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"mime"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"sluice/internal/fault"
	"sluice/internal/kernel"
	"sluice/internal/line/scene"
)

const (
	inboxURI      = "inbox://"
	definitionURI = "definition://"
	workflowURI   = "workflow://"
	jsonType      = "application/json"

	maxListed   = 200     // workflows that a listing shows; the others are found by their ids
	maxArtifact = 4 << 20 // bytes of an artifact that is sent to a client
)

// addResources offers what can be read: the inbox, the definitions, and by template the state and artifacts of workflows.
func (s *Server) addResources(server *mcp.Server) {
	server.AddResource(&mcp.Resource{URI: inboxURI, Name: "inbox", Title: "Inbox", MIMEType: jsonType,
		Description: "what waits for a person"}, s.read)
	for _, name := range []string{scene.Generation, scene.Planning} {
		server.AddResource(&mcp.Resource{URI: definitionURI + name, Name: "definition " + name, MIMEType: jsonType,
			Description: "the steps of a workflow as data"}, s.read)
	}
	server.AddResourceTemplate(&mcp.ResourceTemplate{URITemplate: workflowURI + "{workflow_id}/state", Name: "workflow state",
		MIMEType: jsonType, Description: "the state document of a workflow"}, s.read)
	server.AddResourceTemplate(&mcp.ResourceTemplate{URITemplate: workflowURI + "{workflow_id}/artifacts/{key}", Name: "workflow artifact",
		Description: "the file of one artifact, by its key in the workflow's status"}, s.read)
}

// listing adds the newest workflows to what resources/list shows.
func (s *Server) listing(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		res, err := next(ctx, method, req)
		list, ok := res.(*mcp.ListResourcesResult)
		if err != nil || !ok || list.NextCursor != "" {
			return res, err
		}
		found, err := s.reader().Workflows(ctx, scene.Query{})
		if err != nil {
			return nil, resourceError(workflowURI, err)
		}
		for _, w := range found.Workflows[:min(len(found.Workflows), maxListed)] {
			list.Resources = append(list.Resources, &mcp.Resource{URI: workflowURI + w.WorkflowID + "/state", Name: w.WorkflowID,
				MIMEType: jsonType, Description: w.WorkflowType + ", " + w.Status})
		}
		return list, nil
	}
}

// reader are the verbs of a client that only reads.
func (s *Server) reader() Verbs { return s.opts.As(kernel.Actor{Kind: kernel.Client, Via: "mcp"}) }

func (s *Server) read(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	body, kind, err := s.content(ctx, req.Params.URI)
	if err != nil {
		return nil, resourceError(req.Params.URI, err)
	}
	c := &mcp.ResourceContents{URI: req.Params.URI, MIMEType: kind}
	if utf8.Valid(body) {
		c.Text = string(body)
	} else {
		c.Blob = body
	}
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{c}}, nil
}

// content finds what a URI names.
func (s *Server) content(ctx context.Context, uri string) (body []byte, kind string, err error) {
	if uri == inboxURI {
		box, err := s.reader().Inbox(ctx, "")
		if err != nil {
			return nil, "", err
		}
		body, err := json.Marshal(box)
		return body, jsonType, err
	}
	if name, ok := strings.CutPrefix(uri, definitionURI); ok {
		body, err := s.definition(ctx, uri, name)
		return body, jsonType, err
	}
	rest, ok := strings.CutPrefix(uri, workflowURI)
	id, part, _ := strings.Cut(rest, "/")
	if !ok || scene.CheckID(id) != nil {
		return nil, "", unknownResource(uri)
	}
	if part == "state" {
		body, err := s.reader().WorkflowState(ctx, id)
		return body, jsonType, err
	}
	if key, ok := strings.CutPrefix(part, "artifacts/"); ok {
		return s.artifact(ctx, uri, id, key)
	}
	return nil, "", unknownResource(uri)
}

// definition gives the steps of a type of workflow: the workspace's own, else those that come with the program.
func (s *Server) definition(ctx context.Context, uri, name string) ([]byte, error) {
	builtin, err := scene.Builtin(name)
	if err != nil {
		return nil, unknownResource(uri)
	}
	own, err := s.opts.Read(ctx, scene.DefinitionPath(name))
	if errors.Is(err, fault.NotFound) {
		return builtin.Raw, nil
	}
	return own, err
}

func (s *Server) artifact(ctx context.Context, uri, id, key string) ([]byte, string, error) {
	status, err := s.reader().WorkflowStatus(ctx, id)
	if err != nil {
		return nil, "", err
	}
	file, ok := status.Artifacts[key]
	if !ok {
		return nil, "", unknownResource(uri)
	}
	body, err := s.opts.Read(ctx, file)
	if err != nil {
		return nil, "", err
	}
	if len(body) > maxArtifact {
		return nil, "", fault.New(fault.BadValue, file, "%s has %d bytes; at most %d are sent", file, len(body), maxArtifact)
	}
	return body, mediaType(file), nil
}

func mediaType(file string) string {
	switch path.Ext(file) {
	case ".md":
		return "text/markdown"
	case ".json":
		return jsonType
	}
	if kind, _, _ := strings.Cut(mime.TypeByExtension(path.Ext(file)), ";"); kind != "" {
		return kind
	}
	return "text/plain"
}

func unknownResource(uri string) error {
	return fault.New(fault.NotFound, clip(uri), "there is no resource %s", clip(uri)).
		With(fault.Action{Action: "resources/list", Why: "it lists what can be read"})
}

// resourceError is a protocol error with the document of every door as its data: reading has no other place for it.
func resourceError(uri string, err error) error {
	f := fault.From(err)
	if errors.Is(err, fault.NotFound) || errors.Is(err, fault.UnknownRun) {
		return mcp.ResourceNotFoundError(uri)
	}
	data, _ := json.Marshal(struct {
		Error *fault.Error `json:"error"`
	}{f})
	return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: f.Error(), Data: data}
}
