// A map on the real OpenCode, as a user starts it, with a scripted model: killed twice, resumed, and counted.
import { beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { type ModelServer, modelServer } from "@atomic/testing/model-server";
import { opencodeConfig } from "@atomic/testing/opencode/config";
import type { OwnedProcess } from "@atomic/testing/owned-process";
import { type Project, tmpProject } from "@atomic/testing/project";
import { buildAtomic } from "./atomic.ts";

setDefaultTimeout(3_600_000);
beforeAll(buildAtomic);

const items = process.env.SWEEP === "full" ? 1000 : 24;
const bin = join(import.meta.dirname, "../../packages/atomic/bin/atomic.js");

const workflow = `import { agentNode, append, defineGraph, mapNode, toolNode } from "@atomic/workflows";
export default defineGraph({ name: "check", state: { said: append<string>() } }, (graph) =>
  graph
    .start(mapNode({
      id: "each",
      over: () => Array.from({ length: ${items} }, (_, at) => ({ file: \`src/part-\${at}.ts\` })),
      as: "part",
      nodes: (each) => each.then(agentNode({ id: "ask", prompt: ({ part }) => \`Check the file \${part.file}.\` })),
      into: "said",
    }))
    .then(toolNode({ id: "count", run: ({ said }) => said.map((text) => text.replace(/\\D/g, "")).join(" ") })));
`;

async function projectFor(model: ModelServer): Promise<Project> {
  const project = await tmpProject({
    files: { ".atomic/workflows/check.ts": workflow, "~/.config/opencode/opencode.json": opencodeConfig(model) },
  });
  await project.skipPluginInstall();
  return project;
}

interface Event {
  readonly type: string;
  readonly runId: string;
  readonly key?: string;
  readonly index?: number;
  readonly progress?: { readonly done: number; readonly total: number };
}

function eventsOf(run: OwnedProcess): readonly Event[] {
  const whole = run.stdout.slice(0, run.stdout.lastIndexOf("\n") + 1);
  return whole.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as Event]));
}

test("every item is done once and merged in order, although the run is killed twice", async () => {
  await using model = await modelServer();
  await using project = await projectFor(model);
  model
    .expect("Check the file")
    .reply(({ user }) => `${/part-\d+/.exec(user)?.[0]} is fine.`)
    .always();
  const start = (...args: readonly string[]): Promise<OwnedProcess> =>
    project.start(["node", bin, ...args, "--max-prompts", "6", "--json"]);
  const killAt = async (run: OwnedProcess, done: number): Promise<readonly Event[]> => {
    await run.printed(new RegExp(`"progress":\\{"done":${done},`), 1_800_000);
    process.kill(run.pid, "SIGKILL");
    await run.exited;
    return eventsOf(run);
  };
  const first = await killAt(await start("run", "check"), Math.floor(items * 0.3));
  const runId = first[0]?.runId ?? "";
  const second = await killAt(await start("resume", runId), Math.floor(items * 0.7));
  const last = await start("resume", runId);
  expect({ ...(await last.exited), stderr: last.stderr }).toMatchObject({ code: 0, stderr: "" });

  const lives = [first, second, eventsOf(last)];
  const result = lives[2]?.at(-1) as unknown as { status: { kind: string } };
  expect(JSON.stringify(result)).toContain(Array.from({ length: items }, (_, at) => at).join(" "));
  const journal = (await project.read(`.atomic/runs/${runId}/journal.jsonl`)).split("\n");
  const ends = (type: string): readonly string[] =>
    journal
      .filter((line) => line.includes(`"type":"${type}"`))
      .flatMap((line) => /"key":"each[^"]*ask"|"index":\d+/.exec(line) ?? []);
  expect(new Set(ends("branch-ended")).size).toBe(items);
  expect(ends("branch-ended")).toHaveLength(items);
  expect(ends("step-finished")).toHaveLength(items);
  expect(new Set(ends("step-finished")).size).toBe(items);

  // The count goes on where it was: what was printed in one life is not printed again in the next.
  const counted = lives.flatMap((events) =>
    events.flatMap(({ progress }) => (progress === undefined ? [] : [progress])),
  );
  expect(counted.every(({ total }) => total === items)).toBe(true);
  const numbers = counted.map(({ done }) => done);
  expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
  expect(numbers.at(-1)).toBe(items);

  // Only what was under way when the process died can have been asked again.
  const asked = model.prompts.length;
  console.log(`${items} items: ${asked} prompts, ${counted.length} of ${items} progress events printed`);
  expect(asked).toBeGreaterThanOrEqual(items);
  expect(asked).toBeLessThanOrEqual(items + 2 * 6);
});
