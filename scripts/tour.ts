// `npm start`: a tour of the product on the real programs, in a temporary project, with no account and no network.
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
const question = "Where do your findings go?";
const answer = "Into reports/review.md, one risk per line. I change nothing else.";

async function tour(): Promise<void> {
  say(
    "This tour runs the real OpenCode with a scripted model and a private npm registry: no account, no key, no network.",
  );

  await using registry = await npmRegistry();
  await using project = await step("project", "a temporary git project with its own home", () =>
    tmpProject({ registry }),
  );
  await using model = await step("model", "a scripted model on loopback", () => modelServer());
  await step("registry", "an npm registry on loopback with examples/code-review and magnus-opus", async () => {
    for (const folder of published) await publishFolder(registry, project, join(root, folder));
  });

  await hugo(project, ["install", "@example/code-review", "--yes"]);
  await hugo(project, ["list"]);
  await hugo(project, ["health"]);

  // Only this workflow's agent has this prompt; without the agent, the model would not answer.
  model.expect({ user: question, system: /one risk per line/ }).reply(answer);
  say(`$ opencode run --agent reviewer "${question}"`);
  const reply = await Promise.race([
    opencodeRun(project, { model, prompt: question, agent: "reviewer", timeout: 120_000 }),
    interrupted,
  ]);
  if (reply.code !== 0) throw new Error(`opencode run exited with ${reply.code}:\n${reply.stderr}`);
  process.stdout.write(`${reply.text}\n`);
  if (reply.text !== answer) throw new Error("OpenCode's answer is not the scripted one.");

  say("Next, a workflow that runs: Ralph works through three small tasks. The tour kills it once, on purpose.");
  await ralphPart(project, model);

  say("Next, Magnus Opus, which writes no code until a person approves the plan. One agent tries to anyway.");
  await hugo(project, ["install", "magnus-opus", "--yes"], { lines: 3 });
  // Both have an agent called reviewer.
  await hugo(project, ["switch", "magnus-opus"]);
  const page = await magnusPart(project, model);
  say(`Everything above ran on this machine. The temporary project has been deleted; the timeline is kept: ${page}`);
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
  if (code !== 0) throw new Error(`hugo ${words[0]} exited with ${code}:\n${stderr}`);
  const all = stdout.trimEnd().split("\n");
  const more = all.length - lines;
  const rest = more > 0 ? [`  (${more} more lines: what its code can do and what each agent is allowed to do)`] : [];
  process.stdout.write([...all.slice(0, lines), ...rest].map((line) => `${line}\n`).join(""));
}

try {
  await tour();
} catch (error) {
  process.stderr.write(`\n${(error as Error).message}\n`);
  process.exitCode = error instanceof Interruption ? 130 : 1;
}
