// `npm start`: the product shown on the real programs, in a temporary project, without an account and without a network.
import { join } from "node:path";
import { modelServer } from "@atomic/testing/model-server";
import { npmRegistry } from "@atomic/testing/npm-registry";
import { opencodeRun } from "@atomic/testing/opencode";
import { type Project, tmpProject } from "@atomic/testing/project";
import { publishFolder } from "@atomic/testing/publish-folder";
import { magnusPart } from "./tour/magnus.ts";
import { Interruption, interrupted, say, step } from "./tour/output.ts";
import { ralphPart } from "./tour/ralph.ts";

const root = join(import.meta.dirname, "..");
const published = [
  ...["node_modules/yaml", "node_modules/@swc/wasm-typescript", ".build/packages/workflows"],
  ...["examples/code-review", "packages/magnus-opus"],
];
const question = "What do you write down?";
const answer = "One risk a line, in reports/review.md, and I change nothing else.";

async function tour(): Promise<void> {
  say("The real OpenCode, on a scripted model and a private npm registry: no account, no key, no network.");

  await using registry = await npmRegistry();
  await using project = await step("project", "a temporary git project with its own home", () =>
    tmpProject({ registry }),
  );
  await using model = await step("model", "a scripted model on loopback", () => modelServer());
  await step("registry", "an npm registry on loopback, with examples/code-review and magnus-opus in it", async () => {
    for (const folder of published) await publishFolder(registry, project, join(root, folder));
  });

  await hugo(project, ["install", "@example/code-review", "--yes"]);
  await hugo(project, ["list"]);
  await hugo(project, ["health"]);

  // Only this workflow's agent has such a prompt: without the agent, nothing would answer.
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

  say("Now Magnus Opus, which writes no code before a person has approved the plan. An agent tries it all the same.");
  await hugo(project, ["install", "magnus-opus", "--yes"], { lines: 3 });
  // Both have an agent called reviewer.
  await hugo(project, ["switch", "magnus-opus"]);
  const page = await magnusPart(project, model);
  say(`Everything above ran on this machine, and the temporary project is gone; the timeline stays: ${page}`);
  say("Next: README.md, then npm test.");
}

interface Shown {
  /** Show this many lines and count the rest. */
  readonly lines?: number;
}

/** Runs a command as a user would and prints its output. */
async function hugo(
  project: Project,
  words: readonly string[],
  { lines = Number.POSITIVE_INFINITY }: Shown = {},
): Promise<void> {
  say(`$ hugo ${words.join(" ")}`);
  const argv = ["node", join(root, "packages/hugo/bin/hugo.js"), ...words];
  const { code, stdout, stderr } = await Promise.race([project.run(argv), interrupted]);
  if (code !== 0) throw new Error(`hugo ${words[0]} ended with ${code}:\n${stderr}`);
  const all = stdout.trimEnd().split("\n");
  const more = all.length - lines;
  const rest = more > 0 ? [`  (and ${more} lines more: what its code can do, and what each of its agents may)`] : [];
  process.stdout.write([...all.slice(0, lines), ...rest].map((line) => `${line}\n`).join(""));
}

try {
  await tour();
} catch (error) {
  process.stderr.write(`\n${(error as Error).message}\n`);
  process.exitCode = error instanceof Interruption ? 130 : 1;
}
