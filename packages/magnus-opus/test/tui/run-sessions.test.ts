import { expect, test } from "bun:test";
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

test("a run from another machine, whose session is not here, is not shown", async () => {
  const sessions = new RunSessions(async () => false);
  expect(await sessions.withSession([run, { ...run, state: { ...run.state, sessions: {} } }])).toEqual([]);
});
