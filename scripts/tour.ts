// `npm start`: the product shown on the real programs, in a temporary project, without an account and without a network.
import { join } from "node:path";
import { modelServer } from "@atomic/testing/model-server";
import { npmRegistry } from "@atomic/testing/npm-registry";
import { opencodeRun } from "@atomic/testing/opencode";
import { type Project, tmpProject } from "@atomic/testing/project";
import { publishFolder } from "@atomic/testing/publish-folder";
import { ralphPart } from "./tour/ralph.ts";
import { Interruption, interrupted, say, step } from "./tour/telling.ts";

const root = join(import.meta.dirname, "..");
const question = "What do you write down?";
const answer = "One risk a line, in reports/review.md, and I change nothing else.";

async function tour(): Promise<void> {
  say("The real OpenCode, on a scripted model and a private npm registry: no account, no key, no network.");

  await using registry = await npmRegistry();
  await using project = await step("project", "a temporary git project with its own home", () =>
    tmpProject({ registry }),
  );
  await using model = await step("model", "a scripted model on loopback", () => modelServer());
  await step("registry", "an npm registry on loopback, with examples/code-review in it", async () => {
    const folders = ["node_modules/yaml", "packages/durable-files", "packages/workflows", "examples/code-review"];
    for (const folder of folders) await publishFolder(registry, project, join(root, folder));
  });

  await hugo(project, "install", "@example/code-review", "--yes");
  await hugo(project, "list");
  await hugo(project, "health");

  // Only this workflow's agent has such a prompt: without it, nobody would answer.
  model.expect({ user: question, system: /one risk a line/ }).reply(answer);
  say(`$ opencode run --agent reviewer "${question}"`);
  const reply = await Promise.race([
    opencodeRun(project, { model, prompt: question, agent: "reviewer", timeout: 120_000 }),
    interrupted,
  ]);
  if (reply.code !== 0) throw new Error(`opencode run ended with ${reply.code}:\n${reply.stderr}`);
  process.stdout.write(`${reply.text}\n`);
  if (reply.text !== answer) throw new Error("OpenCode answered something that the script did not say.");

  say("Now a workflow that runs: Ralph, over three small tasks. It is killed once, on purpose.");
  await ralphPart(project, model);
  say("Everything above ran on this machine, and the temporary project is gone. Next: README.md, then npm test.");
}

/** As a person types it, with what a person reads. */
async function hugo(project: Project, ...words: string[]): Promise<void> {
  say(`$ hugo ${words.join(" ")}`);
  const argv = ["node", join(root, "packages/hugo/bin/hugo.js"), ...words];
  const { code, stdout, stderr } = await Promise.race([project.run(argv), interrupted]);
  if (code !== 0) throw new Error(`hugo ${words[0]} ended with ${code}:\n${stderr}`);
  process.stdout.write(stdout);
}

try {
  await tour();
} catch (error) {
  process.stderr.write(`\n${(error as Error).message}\n`);
  process.exitCode = error instanceof Interruption ? 130 : 1;
}
