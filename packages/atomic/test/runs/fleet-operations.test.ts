// What an administrator of several workers relies on.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { postgresEngine } from "@atomic/engine-postgres/postgres-engine";
import type { OwnedProcess } from "@atomic/testing/owned-process";
import { type Postgres, postgresAvailability, startPostgres } from "@atomic/testing/postgres";
import type { Project } from "@atomic/testing/project";
import type { RunCreated } from "@atomic/workflows/internal/run/events";
import { build, runtimes } from "../program.ts";
import { projectWith } from "./begun.ts";

setDefaultTimeout(180_000);

const availability = postgresAvailability();
if (!availability.available) console.warn(`skipped: ${availability.reason}`);

const [node] = runtimes;
const program = node?.command ?? [];
const plain = `{ name: "plain" }, (graph) => graph.start(toolNode({ id: "say", run: () => effect("said") }))`;
const holding = (name: string, onError: string): string =>
  `{ name: "${name}" }, (graph) => graph.start(toolNode({ id: "hold", run: async () => {
  while (!existsSync("open")) await new Promise((resolve) => setTimeout(resolve, 20));
}, onError: ${onError} }))`;
/** An agent would help it, so it needs a host; the other one does not. */
const helped = holding("helped", `[agentNode({ id: "help", prompt: "Help" })]`);
const alone = holding("alone", `"continue"`);

describe.skipIf(!availability.available)("a fleet", () => {
  let server: Postgres;
  let url: string;
  beforeAll(async () => {
    await build();
    server = await startPostgres();
  });
  afterAll(async () => await server?.[Symbol.asyncDispose]());

  let schemas = 0;
  const newEngine = async (project: Project) => {
    url = `${server.url}?schema=o${process.pid}_${++schemas}`;
    await atomic(project, "engine", "migrate");
    return await postgresEngine(url, { interpret: async () => null });
  };
  const atomic = async (project: Project, ...argv: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await project.run([...program, ...argv], { env: { ATOMIC_ENGINE: url } });
    expect({ argv, code, stderr }).toMatchObject({ argv, code: 0 });
    return stdout.trim();
  };
  const startWorker = async (project: Project, ...argv: readonly string[]): Promise<OwnedProcess> => {
    const worker = await project.start([...program, "worker", ...argv], { env: { ATOMIC_ENGINE: url } });
    await worker.printed(/"event":"ready"/, 60_000);
    return worker;
  };

  test("a run that an older version began is left alone and reported, and others are not kept waiting", async () => {
    await using project = await projectWith({ plain });
    const client = await newEngine(project);
    const current = await atomic(project, "run", "plain", "--detach");
    const [created] = await Array.fromAsync(client.journal(current));
    const { interpreter, ...request } = created!.event as RunCreated & { readonly at: number };
    const older = await postgresEngine(url, {
      interpreter: `older than ${interpreter}`,
      interpret: async (ctx) => await ctx.step("say", () => "said by the older version"),
    });
    expect(await older.start({ ...request, runId: "begun-before" })).toBe("started");
    const worker = await startWorker(project, "--runs", "1");
    const [line] = await worker.printed(/.*"event":"not-ready".*/, 60_000);
    expect(JSON.parse(line)).toMatchObject({ run: "begun-before", problem: expect.stringContaining("version") });
    // It is tried again later, and each time nothing is written.
    await worker.printed(/("event":"not-ready"[\s\S]*){2}/, 60_000);
    await worker.printed(new RegExp(`"run":"${current}","code":0`), 60_000);
    const after = await atomic(project, "run", "plain", "--detach");
    await worker.printed(new RegExp(`"run":"${after}","code":0`), 60_000);
    expect((await client.status("begun-before")).kind).toBe("pending");
    expect(await Array.fromAsync(client.journal("begun-before"))).toHaveLength(1);
    // The worker of the old version that the guide asks for.
    expect(await (await older.run("begun-before")).ended).toMatchObject({ kind: "done" });
    expect((await project.read("effects.txt")).trimEnd().split("\n")).toHaveLength(2);
    await worker.stop();
    await older.close();
    await client.close();
  });

  test("with a limit of one, two workers with free slots never use the host at the same time", async () => {
    await using project = await projectWith({ helped, alone }, { "s.json": "[]" });
    const client = await newEngine(project);
    const scripted = ["--host", "scripted", "--script", "s.json"];
    const started = async () => await atomic(project, "run", "helped", "--detach", ...scripted);
    const limited = [await started(), await started(), await started()];
    const workers = [
      await startWorker(project, "--runs", "2", "--limit", "scripted=1"),
      await startWorker(project, "--runs", "2", "--limit", "scripted=1"),
    ];
    // Younger runs, which a worker takes only if it may not take an older one, fill all the other slots.
    const others = await Promise.all([1, 2, 3].map(() => atomic(project, "run", "alone", "--detach", ...scripted)));
    const begunOf = async (runIds: readonly string[]): Promise<string[]> => {
      const isBegun = async (runId: string): Promise<boolean> =>
        (await Array.fromAsync(client.journal(runId))).some(({ event }) => event.type === "step-started");
      const begun = await Promise.all(runIds.map(isBegun));
      return runIds.filter((_, index) => begun[index]);
    };
    while ((await begunOf([...limited, ...others])).length < 4) await client.stamp(limited[0] ?? "");
    expect(await begunOf(limited)).toHaveLength(1);
    await project.write("open", "");
    for (const runId of [...limited, ...others]) {
      for (;;) {
        for await (const _entry of client.journal(runId, { follow: true })); // until it ends, or no process works on it
        if ((await client.status(runId)).kind === "done") break;
      }
    }
    const spans = await Promise.all(
      limited.map(async (runId) => {
        const events = (await Array.fromAsync(client.journal(runId))).map(({ event }) => event);
        const at = (type: string): number => events.find((event) => event.type === type)?.at ?? Number.NaN;
        return { from: at("run-claimed"), to: at("run-ended") };
      }),
    );
    spans.sort((a, b) => a.from - b.from);
    expect(spans.slice(1).map(({ from }, index) => from >= (spans[index]?.to ?? Number.NaN))).toEqual([true, true]);
    for (const worker of workers) await worker.stop();
    await client.close();
  });
});
