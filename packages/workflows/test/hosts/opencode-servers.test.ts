// Tools of a server on the real OpenCode, which calls them `server_tool`.
import { expect, setDefaultTimeout, test } from "bun:test";
import { fileURLToPath } from "node:url";
import type { PromptRequest } from "../../src/graph/services.ts";
import { nodeHostOf } from "../../src/hosts/node-host-of.ts";
import type { PermissionPolicy } from "../../src/hosts/permission-policy.ts";
import type { StepInfo } from "../../src/run/run-ctx.ts";
import { opencodeFixture } from "./opencode-fixture.ts";

setDefaultTimeout(180_000);

test("the policy applies to a server's tool by its name on all hosts", async () => {
  await using fixture = await opencodeFixture();
  const { model, project } = fixture;
  const command = [
    "node",
    fileURLToPath(import.meta.resolve("./scenario/push-server.mjs")),
    project.path("pushed.txt"),
  ];
  await project.write("opencode.json", JSON.stringify({ mcp: { github: { type: "local", command } } }));
  const opencode = await fixture.host();
  const found: object[] = [];
  const policies: PermissionPolicy[] = [
    { "*": "allow", "github/*": "ask" },
    { "*": "allow", "github/*": "deny" },
    { "*": "allow", "gitlab/*": "ask" },
  ];
  for (const [i, permissions] of policies.entries()) {
    const asked: string[] = [];
    const prompt = `push, attempt ${i}`;
    model.expect(prompt).tool("github_push", {}).then.reply("tried");
    const hosts = { opencode: async () => opencode };
    const host = nodeHostOf({ hosts, default: "opencode", folder: project.dir, permissions });
    const info: StepInfo = {
      folder: project.dir,
      attempt: 1,
      countedBefore: { usd: 0, tokens: 0 },
      idemKey: prompt,
      signal: new AbortController().signal,
      note: () => undefined,
      spend: () => undefined,
      ask: async (about) => {
        asked.push((about as { tool: string }).tool);
        return false;
      },
    };
    const request: PromptRequest = { prompt, runId: "r", path: "p", keep: false };
    await host.send(request, await host.open(request, info), info);
    found.push({ asked, isDone: await project.exists("pushed.txt") });
  }
  expect(found).toEqual([
    { asked: ["github_push"], isDone: false },
    { asked: [], isDone: false },
    { asked: [], isDone: true },
  ]);
});
