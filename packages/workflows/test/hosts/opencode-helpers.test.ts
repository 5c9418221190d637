// An agent's helpers on the real OpenCode: you are not asked about what they do, so they must not do more than is allowed.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { PromptRequest } from "../../src/graph/services.ts";
import type { Host } from "../../src/hosts/host.ts";
import { nodeHostOf } from "../../src/hosts/node-host-of.ts";
import type { PermissionPolicy } from "../../src/hosts/permission-policy.ts";
import type { StepInfo } from "../../src/run/run-ctx.ts";
import { type OpencodeFixture, opencodeFixture } from "./opencode-fixture.ts";

setDefaultTimeout(180_000);

let fixture: OpencodeFixture;
let opencode: Host;
beforeAll(async () => {
  fixture = await opencodeFixture({});
  opencode = await fixture.host();
});
afterAll(() => fixture[Symbol.asyncDispose]());

const everything = ["read", "bash", "write"];

test.each<[string, PermissionPolicy, readonly string[]]>([
  ["nothing, where only helpers are allowed", { "*": "deny", task: "allow" }, ["read"]],
  ["what is allowed, and no more", { "*": "ask", task: "allow", bash: "allow" }, ["read", "bash"]],
  ["all, where all is allowed", "allow", everything],
])("helpers may do %s", async (name, permissions, expected) => {
  const { model, project } = fixture;
  const [prompt, help, file] = [`delegate: ${name}`, `help: ${name}`, `${expected.length}-${name.length}.txt`];
  model
    .expect(prompt)
    .tool("task", { description: "Look", prompt: help, subagent_type: "general" })
    .then.reply("delegated");
  model
    .expect(help)
    .tool("bash", { command: `echo x > ${project.path(`bash-${file}`)}`, description: "Writes" })
    .tool("write", { filePath: project.path(`write-${file}`), content: "x" })
    .then.reply("helped");
  // Its server serves all tests.
  const shared: Host = {
    name: "opencode",
    create: (options) => opencode.create(options),
    resume: (id, options) => opencode.resume(id, options),
    dispose: async () => undefined,
  };
  const hosts = { opencode: async () => shared };
  const host = nodeHostOf({ hosts, default: "opencode", folder: project.dir, permissions });
  const notes: { readonly type: string; readonly tool?: string; readonly diff?: string }[] = [];
  const info: StepInfo = {
    folder: project.dir,
    attempt: 1,
    countedBefore: { usd: 0, tokens: 0 },
    idemKey: `r/${name}`,
    signal: new AbortController().signal,
    note: (note) => void notes.push(note as (typeof notes)[number]),
    spend: () => undefined,
    ask: async (about) => (about as { tool: string }).tool === "task",
  };
  const request: PromptRequest = { prompt, runId: "r", path: "p", keep: false };
  const { text } = await host.send(request, await host.open(request, info), info);
  await host.dispose();
  expect(text).toBe("delegated");
  const offered = model.prompts.find(({ user }) => user === help)?.tools.map((tool) => tool.name) ?? [];
  expect(everything.filter((tool) => offered.includes(tool))).toEqual([...expected]);
  for (const tool of ["bash", "write"]) {
    expect({ tool, did: await project.exists(`${tool}-${file}`) }).toEqual({ tool, did: expected.includes(tool) });
  }
  // What happened is recorded: the prompt, the call, and the files that the helpers changed.
  expect(notes.map(({ type, tool }) => (tool === undefined ? type : `${type} ${tool}`))).toEqual([
    ...["host-starting", "prompt", "tool-started task", "tool-ended task", "text"],
    ...(expected.includes("bash") ? ["files-changed"] : []),
  ]);
  const changed = notes.find(({ type }) => type === "files-changed")?.diff ?? "";
  expect([...changed.matchAll(/^diff --git a\/(\w+)-/gm)].map(([, tool]) => tool)).toEqual(
    ["bash", "write"].filter((tool) => expected.includes(tool)),
  );
});
