import { expect, test } from "bun:test";
import type { MagnusState } from "../../src/run/state.ts";
import { RunSessions } from "../../src/tui/run-sessions.ts";
import type { WatchedRun } from "../../src/tui/watched-runs.ts";
import { root, started } from "../run/simulated-run.ts";

const run: WatchedRun = { state: started(), refusal: undefined };

test("a run is shown while OpenCode has its session, which is looked up once", async () => {
  const asked: string[] = [];
  const sessions = new RunSessions(async (session) => asked.push(session) > 0);
  for (let times = 0; times < 2; times++) expect(await sessions.withSession([run])).toEqual([run]);
  expect(asked).toEqual([root]);
  sessions.deleted(root);
  expect(await sessions.withSession([run])).toEqual([]);
});

test("a session that is deleted while it is looked up is gone", async () => {
  const sessions: RunSessions = new RunSessions(async (session) => {
    sessions.deleted(session);
    return true;
  });
  expect(await sessions.withSession([run])).toEqual([]);
});

test("OpenCode is asked about all sessions at once, and about few of the runs that are over", async () => {
  const named = (session: string, state: Partial<MagnusState> = {}): WatchedRun => ({
    ...run,
    state: { ...run.state, ...state, sessions: { [session]: Object.values(run.state.sessions)[0]! } },
  });
  const over = Array.from({ length: 30 }, (_, at) => named(`over-${at}`, { status: { kind: "cancelled", why: "" } }));
  const open = [named("one"), named("two")];
  const asked: string[] = [];
  const all = Promise.withResolvers<boolean>();
  const sessions = new RunSessions(async (session) => {
    if (session.startsWith("over")) return asked.push(session) > 0;
    if (asked.push(session) > 0 && asked.includes("one") && asked.includes("two")) all.resolve(true);
    return await all.promise;
  });
  expect(await sessions.withSession([...over, ...open])).toEqual([...over.slice(0, 5), ...open]);
  expect(asked).toHaveLength(7);
});

test("a run is shown if OpenCode does not say whether it has the session, and OpenCode is asked again", async () => {
  let times = 0;
  const sessions = new RunSessions(async () => {
    times += 1;
    throw new Error("not reached");
  });
  for (let at = 0; at < 2; at++) expect(await sessions.withSession([run])).toEqual([run]);
  expect(times).toBe(2);
});

test("a run from another machine, whose session is not here, is not shown", async () => {
  const sessions = new RunSessions(async () => false);
  expect(await sessions.withSession([run, { ...run, state: { ...run.state, sessions: {} } }])).toEqual([]);
});
