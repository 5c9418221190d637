// An OpenCode agent whose file says `"git push *": deny`, run on each host with `--allow all`: nothing reaches the remote. In
// OpenCode the rule is also about plain `git push`.
import { beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { type ModelServer, modelServer } from "@atomic/testing/model-server";
import type { Project } from "@atomic/testing/project";
import { buildAtomic } from "./atomic.ts";
import { hosts, type JourneyHost, threeHostsProject, userEnv } from "./three-hosts.ts";

setDefaultTimeout(120_000);
beforeAll(buildAtomic);

const agent = (rules: string): string => `---\ndescription: Pushes\nmode: primary\n${rules}---\nYou push.\n`;
const rules = 'permission:\n  bash:\n    "*": allow\n    "git push *": deny\n';

for (const host of hosts) {
  if (host.missing !== undefined) console.warn(`skipped: git push with ${host.name}: ${host.missing}`);
  describe.skipIf(host.missing !== undefined)(`on ${host.name}`, () => {
    test("a denied git push does not reach the remote, and an allowed one does", async () => {
      await using model = await modelServer();
      await using project = await threeHostsProject(model);
      await prepare(project);

      for (const command of ["git push", "git status && git push", "git push origin HEAD"]) {
        await push(project, model, host, { agent: "pusher", command });
        expect({ command, refs: await remoteRefs(project) }).toEqual({ command, refs: "" });
      }
      // The same, but for the rule: else nothing would be shown by this.
      await push(project, model, host, { agent: "free", command: "git push" });
      expect(await remoteRefs(project)).toContain("refs/heads/");
    });
  });
}

async function prepare(project: Project): Promise<void> {
  await project.write(".opencode/agent/pusher.md", agent(rules));
  await project.write(".opencode/agent/free.md", agent(""));
  for (const by of ["pusher", "free"]) await project.write(`.atomic/workflows/${by}.js`, workflow(by));
  await project.write("push.js", program);
  const remote = project.path("~/remote.git");
  for (const argv of [
    ["git", "init", "--quiet", "--bare", remote],
    ["git", "remote", "add", "origin", remote],
    ["git", "config", "push.default", "current"],
    ["git", "config", "remote.pushDefault", "origin"],
  ]) {
    expect(await project.run(argv)).toMatchObject({ code: 0 });
  }
}

async function push(
  project: Project,
  model: ModelServer,
  { name }: JourneyHost,
  { agent: by, command }: { readonly agent: string; readonly command: string },
): Promise<void> {
  const prompt = `As ${by}, run ${command} now.`;
  const tool = name === "claude" ? "Bash" : "bash";
  model.expect(prompt).tool(tool, { command, description: "Pushes" }).then.reply("I have tried.");
  // `atomic` has Copilot's models from its login alone, so a user's own program runs there instead.
  const argv = name === "copilot" ? ["node", "push.js", by, prompt] : atomicRun(name, by, prompt);
  const run = await project.run(argv, { env: userEnv(project, model), timeout: 100_000 });
  expect({ code: run.code, stderr: run.code === 0 ? "" : run.stderr }).toEqual({ code: 0, stderr: "" });
  const results = model.prompts.flatMap(({ user, toolResults }) => (user.includes(prompt) ? toolResults : []));
  expect(results.length).toBeGreaterThan(0);
}

function atomicRun(host: string, by: string, prompt: string): string[] {
  const bin = join(import.meta.dirname, "../../packages/atomic/bin/atomic.js");
  return ["node", bin, "run", by, prompt, "--host", host, "--allow", "all"];
}

async function remoteRefs(project: Project): Promise<string> {
  const { stdout } = await project.run(["git", "--git-dir", project.path("~/remote.git"), "for-each-ref"]);
  return stdout;
}

const workflow = (by: string): string => `
import { agentNode, defineGraph } from "@atomic/workflows";

export default defineGraph(
  { name: "${by}", description: "Pushes", arguments: { prompt: { type: "rest", required: true, description: "What to do" } } },
  (graph) => graph.then(agentNode({ id: "work", agent: "${by}", prompt: ({ input }) => input.prompt })),
);
`;

const program = `
import { embeddedEngine } from "@atomic/workflows/engine";
import { initializeWorkflowsSDK } from "@atomic/workflows/entities";
import { compileGraph, interpreterOf, interpreterVersion, nodeHostOf } from "@atomic/workflows/graph";
import { copilotHost } from "@atomic/workflows/hosts/copilot";

const [, , name, prompt] = process.argv;
const registry = await initializeWorkflowsSDK({ projectPath: process.cwd() });
const { default: workflow } = await import("./.atomic/workflows/" + name + ".js");
const compiled = compileGraph(workflow, registry);
const provider = { type: "openai", baseUrl: process.env.COPILOT_MODEL_URL, apiKey: "none" };
const host = nodeHostOf({
  hosts: { copilot: () => copilotHost({ provider, sdk: { model: "model-1" } }) },
  default: "copilot",
  folder: process.cwd(),
  permissions: "allow",
});
const engine = embeddedEngine(".atomic/runs", {
  interpret: interpreterOf(compiled, registry, { host }),
  interpreter: interpreterVersion,
});
const runId = "run-" + Date.now();
await engine.start({ runId, name: compiled.json.name, graph: compiled.json, input: { prompt } });
const run = await engine.run(runId);
for await (const event of run) console.log("event", event.type, event.error?.message ?? "");
const ended = await run.ended;
await host.dispose();
if (ended.kind !== "done") throw new Error(JSON.stringify(ended));
`;
