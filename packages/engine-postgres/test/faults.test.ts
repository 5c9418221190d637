// The store while its connections break: nothing is lost, nothing happens twice.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { lossyProxy } from "@atomic/testing/lossy-proxy";
import type { Postgres } from "@atomic/testing/postgres";
import { type Random, seededRandom } from "@atomic/testing/simulation/random";
import type { LocalEngine } from "@atomic/workflows/internal/run/engine";
import type { Json } from "@atomic/workflows/internal/run/json";
import type { RunCtx } from "@atomic/workflows/internal/run/run-ctx";
import { Database, isAway } from "../src/database.ts";
import { Dispatch } from "../src/dispatch.ts";
import { parseEngineUrl } from "../src/engine-url.ts";
import { postgresEngine } from "../src/postgres-engine.ts";
import { isSkipped, newSchema, serverForTests } from "./postgres-harness.ts";

setDefaultTimeout(600_000);

const steps = ["a", "b", "c"];

/** Does three things and waits for one answer. `during` happens inside of each step. */
function program(effects: Map<string, number>, during: (key: string) => Promise<void> | void = () => undefined) {
  return async (ctx: RunCtx): Promise<Json> => {
    const done: Json[] = [];
    for (const key of steps) {
      const effect = async ({ idemKey }: { readonly idemKey: string }): Promise<string> => {
        effects.set(idemKey, (effects.get(idemKey) ?? 0) + 1);
        await during(key);
        return key;
      };
      done.push(await ctx.step(key, effect));
    }
    const answer = await ctx.wait<string>("ask");
    return [...done, answer.ok ? answer.value : null];
  };
}

async function finishedSteps(engine: LocalEngine, runId: string): Promise<string[]> {
  const keys: string[] = [];
  let last = 0;
  for await (const { n, event } of engine.journal(runId)) {
    expect(n).toBe(++last);
    if (event.type === "step-finished") keys.push(event.key);
  }
  await engine.state(runId); // a fold that refuses what cannot have happened
  return keys;
}

describe.skipIf(isSkipped)("while connections break", () => {
  let server: Postgres;
  beforeAll(async () => {
    server = await serverForTests();
  });
  afterAll(async () => await server?.[Symbol.asyncDispose]());

  test.each(["request", "answer"] as const)("every statement that loses its %s counts once", async (what) => {
    await using proxy = await lossyProxy(await newSchema(server));
    const effects = new Map<string, number>();
    const interpret = program(effects, () => proxy.lose(what, /update \S+run set last_n/));
    const engine = await postgresEngine(proxy.url, { interpret });
    proxy.lose(what, /create_run/);
    expect(await engine.start({ runId: "run", graph: null, input: null })).toBe("started");
    expect(await engine.start({ runId: "run", graph: null, input: null })).toBe("exists");
    proxy.lose(what, /post/);
    expect(await engine.signal("run", "ask", "yes")).toBe("kept");
    expect(await engine.signal("run", "ask", "no")).toBe("ignored");
    proxy.lose(what, /set owner/);
    const status = await (await engine.run("run")).ended;
    expect(status).toMatchObject({ kind: "done", result: { value: [...steps, "yes"] } });
    expect(await finishedSteps(engine, "run")).toEqual(steps);
    expect([...effects.values()]).toEqual([1, 1, 1]);
    await engine.close();
  });

  test.each(["ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH"])(
    "a network that answers %s may come back",
    (code) => {
      expect(isAway(Object.assign(new Error(code), { code }))).toBe(true);
    },
  );

  test("a host that was never found is not waited for", async () => {
    const database = new Database(parseEngineUrl("postgres://ada@host.invalid/atomic"), { patienceMs: 600_000 });
    await expect(database.query("select 1")).rejects.toMatchObject({ code: "unreachable" });
    await database.close();
  });

  test("connections that fall silent are replaced, and the run continues where it was", async () => {
    await using proxy = await lossyProxy(await newSchema(server));
    const effects = new Map<string, number>();
    const interpret = program(effects, (key) => {
      if (key === "b") proxy.silence(/./);
    });
    const engine = await postgresEngine(proxy.url, { interpret, statementMs: 1000 });
    await engine.start({ runId: "run", graph: null, input: null });
    await engine.signal("run", "ask", "yes");
    const status = await (await engine.run("run")).ended;
    expect(status).toMatchObject({ kind: "done", result: { value: [...steps, "yes"] } });
    expect(await finishedSteps(engine, "run")).toEqual(steps);
    expect([...effects.values()]).toEqual([1, 1, 1]);
    proxy.silence(/./);
    await engine.close();
  });

  test("a worker whose connections fall silent finds the next run, and ends", async () => {
    const url = await newSchema(server);
    await using proxy = await lossyProxy(url);
    const engine = await postgresEngine(url, { interpret: async () => null });
    const woken = Promise.withResolvers<void>();
    const options = { hosts: undefined, limits: {}, failed: woken.reject };
    const dispatch = await Dispatch.open(proxy.url, { ...options, wake: woken.resolve });
    expect(await dispatch.take([])).toBeUndefined();
    proxy.silence(/./);
    await engine.start({ runId: "run", graph: null, input: null });
    expect(await dispatch.take([])).toMatchObject({ runId: "run" });
    proxy.silence(/./);
    await dispatch.close();
    await engine.close();
  });

  test("a crash of the server in the middle of a run loses nothing, and the run continues", async () => {
    if (server.crash === undefined) return; // a server that is not ours
    const effects = new Map<string, number>();
    const interpret = program(effects, async (key) => {
      if (key !== "b") return;
      await server.crash?.();
      await server.restart?.();
    });
    const engine = await postgresEngine(await newSchema(server), { interpret });
    await engine.start({ runId: "run", graph: null, input: null });
    await engine.signal("run", "ask", "yes");
    const status = await (await engine.run("run")).ended;
    expect(status).toMatchObject({ kind: "done", result: { value: [...steps, "yes"] } });
    expect(await finishedSteps(engine, "run")).toEqual(steps);
    expect([...effects.values()]).toEqual([1, 1, 1]);
    await engine.close();
  });

  test("a thousand seeded schedules of broken connections and rivals all end the same", async () => {
    const url = await newSchema(server);
    const { pathname: schema } = new URL(url.replace(/^.*schema=/, "x:/"));
    await using proxy = await lossyProxy(url);
    const runs = new Map<string, { readonly random: Random; readonly effects: Map<string, number> }>();
    /** Set by the schedule that is under way: another process believes that this one is dead. */
    let rob: () => Promise<void> = async () => undefined;
    const interpret = async (ctx: RunCtx): Promise<Json> => {
      const { random, effects } = runs.get(ctx.runId)!;
      return await program(effects, async () => {
        if (random.chance(0.3)) proxy.lose(random.chance(0.5) ? "request" : "answer", /run set/);
        if (random.chance(0.05)) proxy.cut();
        if (random.chance(0.15)) await rob();
      })(ctx);
    };
    const engines = [await postgresEngine(proxy.url, { interpret }), await postgresEngine(proxy.url, { interpret })];
    const admin = await postgresEngine(url, { interpret });
    const database = new Database(parseEngineUrl(url));
    for (let seed = 1; seed <= 1000; seed++) {
      const random = seededRandom(seed);
      const effects = new Map<string, number>();
      const runId = `s${seed}`;
      runs.set(runId, { random, effects });
      const [one, other] = random.chance(0.5) ? [engines[0]!, engines[1]!] : [engines[1]!, engines[0]!];
      const rivals: Promise<unknown>[] = [];
      rob = async () => {
        await database.query(`update ${schema.slice(1)}.run set owner = null where id = $1`, [runId]);
        rivals.push(
          other
            .run(runId)
            .then((run) => run.ended)
            .catch(ignoreTaken),
        );
      };
      if (random.chance(0.2)) proxy.lose(random.chance(0.5) ? "request" : "answer", /create_run/);
      expect(await one.start({ runId, graph: null, input: null })).toBe("started");
      if (random.chance(0.2)) proxy.lose(random.chance(0.5) ? "request" : "answer", /post/);
      expect(await other.signal(runId, "ask", "yes")).toBe("kept");
      expect(await one.signal(runId, "ask", "no")).toBe("ignored");
      for (let tries = 0; (await admin.status(runId)).kind !== "done"; tries++) {
        expect(tries).toBeLessThan(20);
        await (tries % 2 === 0 ? one : other)
          .run(runId)
          .then((run) => run.ended)
          .catch(ignoreTaken);
        await Promise.all(rivals);
      }
      const status = await admin.status(runId);
      expect({ seed, status }).toMatchObject({ seed, status: { result: { value: [...steps, "yes"] } } });
      expect({ seed, keys: await finishedSteps(admin, runId) }).toEqual({ seed, keys: steps });
      expect({ seed, effects: [...effects.keys()] }).toEqual({ seed, effects: steps.map((key) => `${runId}/${key}`) });
      runs.delete(runId);
    }
    await database.close();
    for (const engine of [...engines, admin]) await engine.close();
  });
});

/** Of two that claim a run, one is refused or loses it. */
function ignoreTaken(error: unknown): void {
  const { code } = error as { code?: string };
  if (code !== "run-held" && code !== "lost") throw error;
}
