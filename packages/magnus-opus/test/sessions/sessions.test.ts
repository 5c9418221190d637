import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, symlinkSync } from "node:fs";
import { type Project, tmpProject } from "@atomic/testing/project";
import { reduce } from "../../src/run/reduce.ts";
import { sessionId, sessionIdPattern } from "../../src/sessions/session-id.ts";
import type { SessionMeta } from "../../src/sessions/session-meta.ts";
import { metaOf } from "../../src/sessions/session-meta.ts";
import { expiredSessions, SessionError, Sessions } from "../../src/sessions/sessions.ts";
import { plugin, started } from "../run/simulated-run.ts";

const first = "impl-20260118-143052-a1b2c3-user-profile";
const second = "api-20260119-090000-d4e5f6";

function meta(id: string, more: Partial<SessionMeta> = {}): SessionMeta {
  const at = "2026-01-18T14:30:52.000Z";
  return {
    id,
    command: "implement",
    description: "user profile",
    workflowType: "MIXED",
    status: "active",
    createdAt: at,
    updatedAt: at,
    completedPhases: [],
    artifacts: [],
    ...more,
  };
}

async function withSessions(project: Project): Promise<Sessions> {
  const sessions = new Sessions(project.dir);
  await sessions.create(meta(first));
  await sessions.create(meta(second, { status: "completed" }));
  await project.write(`ai-docs/sessions/${first}/implementation-plan.md`, "# Plan\n");
  await project.write(`ai-docs/sessions/${first}/reviews/plan-review/one.md`, "fine\n");
  return sessions;
}

describe("an id", () => {
  const at = new Date(2026, 0, 18, 14, 30, 52);
  test.each([
    ["User profile", "impl-20260118-143052-a1b2c3-user-profile"],
    ["  Größe & Maß: ändern!", "impl-20260118-143052-a1b2c3-gro-e-ma-andern"],
    [
      "a very long description that nobody wants in a path",
      "impl-20260118-143052-a1b2c3-a-very-long-description-that-n",
    ],
    ["../../etc/passwd", "impl-20260118-143052-a1b2c3-etc-passwd"],
    ["日本", "impl-20260118-143052-a1b2c3"],
    ["", "impl-20260118-143052-a1b2c3"],
  ])("of %j is %s", (descriptor, id) => {
    const made = sessionId({ command: "impl", at, random: "a1b2c3", descriptor });
    expect(made).toBe(id);
    expect(made).toMatch(sessionIdPattern);
  });
});

test("a new session has its folders and metadata; the list has the newest first", async () => {
  await using project = await tmpProject();
  const sessions = await withSessions(project);
  expect(readdirSync(project.path(`ai-docs/sessions/${second}/reviews`)).sort()).toEqual([
    "code-review",
    "plan-review",
  ]);
  expect(sessions.list().map(({ id, meta }) => [id, meta?.status])).toEqual([
    [second, "completed"],
    [first, "active"],
  ]);
});

test("a project without sessions has none", async () => {
  await using project = await tmpProject();
  expect(new Sessions(project.dir).list()).toEqual([]);
  expect(() => new Sessions(project.dir).find("x")).toThrow(SessionError);
});

test("a session is found by its id or a unique prefix", async () => {
  await using project = await tmpProject();
  const sessions = await withSessions(project);
  expect(sessions.find("impl-2026").id).toBe(first);
  await sessions.create(meta("api-20260119-090001-d4e5f6"));
  expect(() => sessions.find("api")).toThrow('Several sessions start with "api".');
  expect(() => sessions.find("")).toThrow('There is no session "".');
  const error = await Promise.resolve()
    .then(() => sessions.find(first.replace("user", "usr")))
    .catch((caught) => caught);
  expect(error.hint).toBe(`Did you mean ${first}?`);
});

test("broken metadata does not hide a session", async () => {
  await using project = await tmpProject();
  const sessions = await withSessions(project);
  await project.write(`ai-docs/sessions/${first}/session-meta.json`, '{ "id": 3');
  expect(sessions.list().map(({ id, meta }) => [id, meta?.status])).toEqual([
    [second, "completed"],
    [first, undefined],
  ]);
});

test("a removed session is gone with all its files, and nothing else is", async () => {
  await using project = await tmpProject();
  const sessions = await withSessions(project);
  await project.write("ai-docs/notes.md", "mine");
  await sessions.remove(first);
  expect(existsSync(project.path(`ai-docs/sessions/${first}`))).toBe(false);
  expect(sessions.list().map(({ id }) => id)).toEqual([second]);
  expect(await project.read("ai-docs/notes.md")).toBe("mine");
});

test.each(["../..", "..", ".", "/", "archive", ".state", `../sessions/${first}`, `${first}/reviews`, "src"])(
  "%j is not a session, so nothing is removed",
  async (id) => {
    await using project = await tmpProject({ git: false });
    const sessions = await withSessions(project);
    await project.write("src/app.ts", "mine");
    expect(await sessions.remove(id).catch((error) => error.message)).toBe(`There is no session "${id}".`);
    expect(sessions.list()).toHaveLength(2);
    expect(existsSync(project.path("src/app.ts"))).toBe(true);
  },
);

test("links are not followed, neither in place of a session nor inside one", async () => {
  await using project = await tmpProject();
  const sessions = await withSessions(project);
  await project.write("elsewhere/keep.md", "mine");
  symlinkSync(project.path("elsewhere"), project.path("ai-docs/sessions/impl-20260120-000000-aaaaaa"));
  expect(sessions.list()).toHaveLength(2);
  symlinkSync(project.path("elsewhere"), project.path(`ai-docs/sessions/${first}/plans`));
  expect(await sessions.remove(first).catch((error) => error.message)).toContain("neither a file nor a folder");
  expect(existsSync(project.path(`ai-docs/sessions/${first}/implementation-plan.md`))).toBe(true);
  expect(await project.read("elsewhere/keep.md")).toBe("mine");
});

test("an archived session leaves the list and keeps every byte", async () => {
  await using project = await tmpProject();
  const sessions = await withSessions(project);
  const target = await sessions.archive("impl");
  expect(target).toBe(project.path(`ai-docs/sessions/archive/${first}`));
  expect(sessions.list().map(({ id }) => id)).toEqual([second]);
  expect(await project.read(`ai-docs/sessions/archive/${first}/reviews/plan-review/one.md`)).toBe("fine\n");
  expect(existsSync(project.path(`ai-docs/sessions/${first}`))).toBe(false);
});

describe("old sessions are removed", () => {
  const now = Date.parse("2026-03-01T00:00:00.000Z");
  const lie = { updatedAt: "2020-01-01T00:00:00.000Z", status: "completed" } as const;
  const session = { id: first, folder: "", meta: meta(first, lie) };
  const before = Date.parse("2026-01-01T00:00:00.000Z");
  const on = { autoCleanup: true };
  test.each([
    ["never without the setting", undefined, before, 0],
    ["when the journal says that it ended more than thirty days ago", on, before, 1],
    ["not before its time, whatever its meta file says", { ...on, retentionDays: 90 }, before, 0],
    ["not while it works or waits, whatever its meta file says", on, undefined, 0],
  ] as const)("%s", (_, settings, endedAt, count) => {
    expect(expiredSessions([session], settings, now, () => endedAt)).toHaveLength(count);
  });
});

test.each([
  ["error", "failed"],
  ["abort", "paused"],
  ["stuck", "paused"],
] as const)("a run that is paused for %s is %s in its meta file", (reason, status) => {
  const state = reduce(started(), { type: "paused", at: 1, by: plugin, reason, detail: "x" });
  expect(metaOf(state).status).toBe(status);
});
