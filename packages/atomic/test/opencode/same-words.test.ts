// What you type behind a workflow's name is the same input in OpenCode's prompt and in Atomic's own prompt line.
import { beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { readdirSync } from "node:fs";
import type { Project } from "@atomic/testing/project";
import type { TerminalApi } from "@atomic/workflows/internal/view/terminal-api";
import { startRun } from "../../src/opencode/start-run.ts";
import { typedRun } from "../../src/opencode/typed-command.ts";
import { build } from "../program.ts";
import { longWait, opened } from "../prompt/opened.ts";
import { projectWith } from "../runs/begun.ts";

setDefaultTimeout(180_000);
beforeAll(build);

const echo = `{ name: "echo" }, (graph) => graph.start(toolNode({ id: "say", run: ({ input }) => \`said \${input}\` }))`;

const texts = [
  ["/echo don't break what you can't fix", "don't break what you can't fix"],
  ["/echo fix #12 in the parser", "fix #12 in the parser"],
  ["/run echo if the build fails; retry it | twice", "if the build fails; retry it | twice"],
  ["/echo mode=fast please", "mode=fast please"],
  ["/run echo 5 > 3 && a < b", "5 > 3 && a < b"],
  [`/echo "two  words" and 'one "more"'`, `two  words and one "more"`],
  ["/run echo -- --json", "--json"],
  ["/echo -- foo --model x", "foo --model x"],
  ["/run 'echo' $HOME `date` *", "$HOME `date` *"],
] as const;

test("odd texts are the same input through both doors, and the chosen model is the run's", async () => {
  await using project = await projectWith({ echo });
  await using term = await opened(project, undefined, { env: { ATOMIC_HOST: "copilot" } });
  await term.waitFor("Type a task", longWait);
  term.type("/model acme/small\r");
  await term.waitFor("Copilot will use acme/small.", longWait);
  const api = { client: {} } as TerminalApi;
  for (const [line, input] of texts) {
    term.type(`${line}\r`);
    await term.waitFor(`said ${input}`, longWait);
  }
  for (const [line] of texts) await startRun(api, project.dir, typedRun(line, new Map([["echo", "echo"]])) ?? []);
  const lines = Array.from(texts, ([, input]) => input).sort();
  const runs = await createdIn(project);
  const started = (model: string | undefined) => runs.filter((run) => run.model === model);
  expect(
    started("acme/small")
      .map(({ input }) => input)
      .sort(),
  ).toEqual(lines);
  expect(
    started(undefined)
      .map(({ input }) => input)
      .sort(),
  ).toEqual(lines);
});

/** The runs as they were recorded at their beginning. */
async function createdIn(project: Project): Promise<readonly { readonly input: string; readonly model?: string }[]> {
  const runs = readdirSync(project.path(".atomic/runs")).filter((name) => !name.startsWith("."));
  const created = runs.map(async (runId) => {
    const [first = ""] = (await project.read(`.atomic/runs/${runId}/journal.jsonl`)).split("\n");
    const { input, workspace } = JSON.parse(first).event;
    return { input, model: workspace.model };
  });
  return await Promise.all(created);
}
