// What OpenCode fetched for itself, compared with what Hugo installed.
import { expect, setDefaultTimeout, test } from "bun:test";
import { npmRegistry } from "@atomic/testing/npm-registry";
import { debugConfig } from "@atomic/testing/opencode";
import { tmpProject } from "@atomic/testing/project";
import { install } from "../../src/commands/install.ts";
import { remove } from "../../src/commands/remove.ts";
import { verify } from "../../src/commands/verify.ts";
import { contextOf, input } from "./workspace.ts";

setDefaultTimeout(120_000);

const config = '{\n  "$schema": "https://opencode.ai/config.json" // mine\n}\n';

test("verify looks into the copy that OpenCode has fetched and runs", async () => {
  await using registry = await npmRegistry();
  registry.publish({
    name: "@org/review",
    version: "1.0.0",
    time: "2026-01-01T00:00:00.000Z",
    manifest: { type: "module", main: "index.js", keywords: ["opencode-workflow"], bin: { review: "run.sh" } },
    files: {
      "workflow.json": '{ "agents": ["reviewer"] }\n',
      "agents/reviewer.md": "---\ndescription: Reviews\n---\nReview.\n",
      "run.sh": "#!/bin/sh\n",
      "index.js": `export default { id: "@org/review", server: async () => ({
        config: async (config) => { config.agent = { reviewer: { description: "Reviews" }, ...config.agent }; },
      }) };\n`,
    },
  });
  await using project = await tmpProject({ registry, files: { "opencode.json": config } });
  const context = contextOf(project, { user: { approve: async () => "approved", progress: () => undefined } });
  const options = { force: false, allowNew: false, select: undefined };
  await install.run(context, { ...input, ...options, spec: ["@org/review"], yes: true });
  const all = { ...input, name: undefined };
  const before = await verify.run(context, all);
  expect(before.workflows).toMatchObject([{ name: "review", differences: [] }]);

  expect((await debugConfig(project)).agent).toHaveProperty("reviewer");
  const fetched = await verify.run(context, all);
  expect(fetched.workflows).toMatchObject([{ name: "review", differences: [] }]);
  expect(fetched.workflows[0]!.hashed).toBe(2 * before.workflows[0]!.hashed);

  const code = "~/.cache/opencode/packages/@org/review@1.0.0/node_modules/@org/review/index.js";
  await project.write(code, `${await project.read(code)}// something else\n`);
  const tampered = await verify.run(context, all);
  expect(tampered.workflows).toMatchObject([{ differences: [{ kind: "cache-changed", at: project.path(code) }] }]);

  await remove.run(context, { ...input, name: ["review"] });
  expect(await project.read("opencode.json")).toBe(config);
});
