// Drives every tool of the MCP door with the client of the TypeScript SDK, which checks structured content against the
// published output schemas.
//
//   node drive.mjs stdio SESSION COMMAND ARG…
//   node drive.mjs http SESSION URL TOKEN-FILE
//
// The workspace holds the blueprint of scene 0204. Prints one JSON document: the tools that were called.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";

const [kind, session, ...rest] = process.argv.slice(2);
const transport =
  kind === "stdio"
    ? new StdioClientTransport({ command: rest[0], args: rest.slice(1), env: process.env, stderr: "inherit" })
    : new StreamableHTTPClientTransport(new URL(rest[0]), {
        requestInit: { headers: { Authorization: `Bearer ${readFileSync(rest[1], "utf8").trim()}` } },
      });

const client = new Client({ name: "typescript", version: "1.0.0" }, { capabilities: { elicitation: {} } });
const asked = [];
client.setRequestHandler(ElicitRequestSchema, async (request) => {
  asked.push(request.params.message);
  const variants = request.params.requestedSchema.properties.selected_variant?.enum;
  return { action: "accept", content: variants ? { selected_variant: variants[0] } : {} };
});
await client.connect(transport);

const called = new Set();

// ok calls a tool that must succeed and gives its document.
async function ok(name, args = {}) {
  called.add(name);
  const result = await client.callTool({ name, arguments: args });
  assert.ok(!result.isError, `${name} ${JSON.stringify(args)}: ${result.content[0]?.text}`);
  assert.deepEqual(JSON.parse(result.content[0].text), result.structuredContent, `${name}: text and structured content`);
  return result.structuredContent;
}

// refused calls a tool that must refuse with a code.
async function refused(code, name, args = {}) {
  const result = await client.callTool({ name, arguments: args });
  assert.ok(result.isError, `${name} ${JSON.stringify(args)} succeeded: ${result.content[0]?.text}`);
  const { error } = JSON.parse(result.content[0].text);
  assert.equal(error.code, code, `${name}: ${error.message}`);
  assert.ok(Array.isArray(error.next_actions) && error.message && "subject" in error);
  return error;
}

async function until(workflow_id, test) {
  for (let i = 0; i < 600; i++) {
    const status = await ok("get_workflow_status", { workflow_id });
    assert.notEqual(status.drive?.state, "failed", JSON.stringify(status));
    if (test(status)) return status;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  assert.fail(`${workflow_id} does not get there`);
}

// Tools of books and features name their line; those of scenes have the names that scene workflows gave them.
function isOfScenes(tool) {
  return !/^(novel_|spec_|chapter\.|scene\.)/.test(tool.name);
}

const { tools } = await client.listTools();
for (const tool of tools) {
  assert.equal(tool.inputSchema.additionalProperties, false, `${tool.name} takes unknown fields`);
  if (isOfScenes(tool)) assert.ok("session_name" in tool.inputSchema.properties, `${tool.name} takes no session_name`);
  assert.ok(tool.outputSchema && tool.description, `${tool.name} says nothing of its output`);
  for (const hint of ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"])
    assert.equal(typeof tool.annotations[hint], "boolean", `${tool.name} has no ${hint}`);
}

await ok("create_session", { session_name: session });
await ok("switch_session", { session_name: session });
assert.equal((await ok("list_sessions")).current, session);

// A generation whose steps are done here and reported.
const generation = await ok("start_generation", { scene_id: "0204" });
const workflow_id = generation.workflow_id;
assert.match(workflow_id, /^generation-scene-0204-\d{8}-\d{6}/);
assert.equal(generation.session_name, session);
const state = JSON.parse((await client.readResource({ uri: `workflow://${workflow_id}/state` })).contents[0].text);
assert.equal(state.workflow_id, workflow_id);
const dir = state.generation.artifacts.working_dir;
const made = (file, text) => {
  const path = `${dir}/${file}`;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
};
await refused("bad_value", "get_workflow_status", { workflow_id, verbose: true });
await refused("bad_value", "get_workflow_status", { workflow_id: "../../etc/passwd" });
await refused("unknown_run", "get_workflow_status", { workflow_id: "generation-scene-9999" });
const early = await ok("validate_prerequisites", { workflow_id, step: 4 });
assert.deepEqual(early.required_steps, [1, 2, 3]);
assert.equal(early.can_start_step, false);
const skipping = await client.callTool({ name: "update_workflow_state", arguments: { workflow_id, step: 4, status: "in_progress" } });
assert.ok(skipping.isError, "step 4 was begun before step 3");
await ok("update_workflow_state", { workflow_id, step: 1, status: "completed" });
await ok("update_workflow_state", { workflow_id, step: 2, status: "in_progress" });
await ok("update_workflow_state", {
  workflow_id, step: 2, status: "completed", artifacts: { constraints_list: made("constraints-list.json", "{}\n") },
});
await ok("update_workflow_state", {
  workflow_id, step: 3, status: "waiting_approval", artifacts: { verification_plan: made("verification-plan.md", "# Plan\n") },
});
const next = await ok("get_next_step", { workflow_id });
assert.equal(next.can_proceed, false);
assert.equal(next.next_step, 4);
assert.ok((await ok("get_inbox", { workflow_id })).asks.length === 1);
assert.equal((await ok("list_workflows", { status: "waiting_approval" })).total, 1);
const plan = await client.readResource({ uri: `workflow://${workflow_id}/artifacts/verification_plan` });
assert.equal(plan.contents[0].text, "# Plan\n");
const approved = await ok("approve_step", { workflow_id, step: 3, approved: true, modifications: { emotional_tone: "detached" } });
assert.equal(approved.next_step, 4);
assert.equal(asked.length, 1);
const again = await client.callTool({ name: "approve_step", arguments: { workflow_id, step: 3, approved: true } });
assert.ok(again.isError, "approved twice");
await ok("cancel_workflow", { workflow_id, reason: "enough" });
assert.equal((await ok("list_workflows", { status: "cancelled" })).total, 1);
await ok("resume_workflow", { workflow_id, from_step: 4 });
assert.equal((await ok("get_metrics", { workflow_id })).workflow_metrics.workflow_id, workflow_id);

// A planning that the server performs in the background.
const planning = await ok("start_planning", { level: "scene", act: 1, chapter: 2, scene: 4, drive: true });
await until(planning.workflow_id, (s) => s.waiting_for_approval);
await ok("approve_step", { workflow_id: planning.workflow_id, phase: 2, approved: true });
assert.equal(asked.length, 2);
await until(planning.workflow_id, (s) => s.status === "completed");
assert.equal((await ok("list_workflows", { workflow_type: "planning" })).total, 1);

const blueprint = "acts/act-1/chapters/chapter-02/scenes/scene-0204-blueprint.md";
const copy = await ok("resolve_path", { path: blueprint, write: true });
assert.equal(copy.session_name, session);
await refused("bad_path", "resolve_path", { path: "../secret" });
const preview = await ok("commit_session");
assert.equal(preview.preview, true);
const uris = (await client.listResources()).resources.map((r) => r.uri);
assert.ok(uris.includes("inbox://") && uris.includes("definition://generation"));
assert.equal((await client.listResourceTemplates()).resourceTemplates.length, 2);
await ok("cancel_session");
await refused("not_found", "switch_session", { session_name: session });

// A book from its premise to a file.
const book = { project: `book-${session}` };
await ok("novel_new", { ...book, premise: "Anna Berg keeps the lighthouse of Skerry.", target_chapters: 2 });
await ok("novel_run", book);
for (let i = 0; ; i++) {
  const status = await ok("novel_status", book);
  if (status.chapters.length === 2 && status.chapters.every((c) => c.written)) break;
  assert.ok(i < 600, `the book does not end: ${JSON.stringify(status)}`);
  await new Promise((resolve) => setTimeout(resolve, 50));
}
await ok("novel_export", { ...book, format: "md" });
await refused("unknown_chapter", "chapter.text.generate", { ...book, chapter_number: 9 });

// A feature from a sentence to a decision, and where its goal came from.
const { feature_id } = await ok("spec_new", { text: "Users can reset their password by email." });
for (let i = 0; ; i++) {
  const { features } = await ok("spec_list");
  if (features.find((f) => f.feature_id === feature_id)?.status === "executable_ready") break;
  assert.ok(i < 600, `the feature is not ready: ${JSON.stringify(features)}`);
  await new Promise((resolve) => setTimeout(resolve, 50));
}
assert.equal((await ok("spec_trace", { feature_id, path: "spec.goal" })).path, "spec.goal");
await ok("spec_review", { feature_id, decision: "go", reason: "it is what we need" });
const written = await ok("spec_publish", { feature_id, target: "file" });
assert.ok(JSON.stringify(written).includes('"created"'), JSON.stringify(written));

await client.close();
const ofScenes = tools.filter(isOfScenes).map((t) => t.name);
console.log(JSON.stringify({ called: [...called].filter((n) => ofScenes.includes(n)).sort(), tools: ofScenes.sort(), asked: asked.length }));
process.exit(0);
