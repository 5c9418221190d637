import { afterEach, expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { tmpProject } from "@atomic/testing/project";
import { cleanUp } from "../../../src/plugin/commands/cleanup.ts";
import { Magnus } from "../../../src/plugin/live/magnus.ts";
import { cancel } from "../../../src/run/person-actions.ts";
import { folderOf } from "../../../src/sessions/workplace.ts";
import { anna } from "../../run/simulated-run.ts";
import { runId as id, opencodeClient, parents, started } from "./opencode-client.ts";

const { XDG_STATE_HOME } = process.env;
afterEach(() => {
  if (XDG_STATE_HOME === undefined) delete process.env.XDG_STATE_HOME;
  else process.env.XDG_STATE_HOME = XDG_STATE_HOME;
});

test("a session belongs to the run of the nearest session above it that began one", async () => {
  await using project = await tmpProject({ git: false });
  process.env.XDG_STATE_HOME = project.path("~/state");
  const context = opencodeClient(project.dir, parents);
  const magnus = new Magnus(context);
  expect(await magnus.runs.idOf("ses_root")).toBeUndefined();
  expect(context.asked).toEqual([]); // without a run, OpenCode is not asked
  await magnus.runs.start(started(magnus));
  for (const session of ["ses_root", "ses_child", "ses_deep"]) expect(await magnus.runs.idOf(session)).toBe(id);
  for (const session of ["ses_stranger", "ses_other"]) expect(await magnus.runs.idOf(session)).toBeUndefined();
  const before = context.asked.length;
  await magnus.runs.idOf("ses_deep");
  await magnus.runs.idOf("ses_other");
  expect(context.asked.length).toBe(before);
  await magnus.runs.close();
});

test("one process drives a run; the next can when it is closed, and knows its sessions from the disk", async () => {
  await using project = await tmpProject({ git: false });
  process.env.XDG_STATE_HOME = project.path("~/state");
  const first = new Magnus(opencodeClient(project.dir, parents));
  const second = new Magnus(opencodeClient(project.dir, parents));
  const run = await first.runs.start(started(first));
  await run.join({ session: "ses_child", parent: "ses_root", agent: "architect" });
  expect(await second.runs.of("ses_child")).toMatchObject({
    kind: "closed",
    id,
    why: expect.stringContaining("has been held by"),
  });
  expect(second.runs.stateOf(id)?.phase).toBe("requirements");
  await first.runs.close();
  const found = await second.runs.of("ses_deep");
  expect(found?.kind).toBe("driven");
  expect(second.runs.stateOf(id)?.sessions.ses_child?.isOpen).toBe(false); // lost with the process
  await second.runs.close();
});

test("a run that is over is known, but not driven", async () => {
  await using project = await tmpProject({ git: false });
  process.env.XDG_STATE_HOME = project.path("~/state");
  const first = new Magnus(opencodeClient(project.dir, parents));
  const run = await first.runs.start(started(first));
  const acted = cancel(run.state, { by: anna, at: 2 }, "a better idea");
  if (acted.ok) await run.append(acted.event);
  await first.runs.close();
  const second = new Magnus(opencodeClient(project.dir, parents));
  expect(await second.runs.of("ses_child")).toMatchObject({ kind: "over", state: { status: { kind: "cancelled" } } });
  expect(second.runs.driven(id)).toBeUndefined();
});

test("an unreadable run is closed, and the user can remove it", async () => {
  await using project = await tmpProject({ git: false });
  process.env.XDG_STATE_HOME = project.path("~/state");
  const first = new Magnus(opencodeClient(project.dir, parents));
  await first.runs.start(started(first));
  await first.runs.close();
  const journal = `${folderOf(first.workplace, id)}/journal.jsonl`;
  const [line] = (await project.read(journal)).split("\n");
  await project.write(journal, `${line!.replace("a page", "a door")}\n`);
  const second = new Magnus(opencodeClient(project.dir, parents));
  expect(await second.runs.of("ses_root")).toMatchObject({ kind: "closed", id });
  expect(await cleanUp(second, id)).toBe(`Removed the session ${id}.`);
  expect(await second.runs.of("ses_root")).toBeUndefined();
});

const damages: Readonly<Record<string, (line: string) => string>> = {
  "begins with another byte": (line) => `x${line.slice(1)}`,
  "names another session": (line) => line.replace('"ses_root"', '"ses_stranger"'),
  "is empty": () => "",
};

for (const [how, damage] of Object.entries(damages)) {
  test(`a run whose journal ${how} is still the run of its sessions, and closed`, async () => {
    await using project = await tmpProject({ git: false });
    process.env.XDG_STATE_HOME = project.path("~/state");
    const first = new Magnus(opencodeClient(project.dir, parents));
    await first.runs.start(started(first));
    await first.runs.close();
    const journal = `${folderOf(first.workplace, id)}/journal.jsonl`;
    const [line, ...rest] = (await project.read(journal)).split("\n");
    await project.write(journal, [damage(line!), ...rest].join("\n"));
    const { runs } = new Magnus(opencodeClient(project.dir, parents));
    for (const session of ["ses_root", "ses_child"])
      expect(await runs.of(session)).toMatchObject({ kind: "closed", id });
    expect(await runs.of("ses_stranger")).toBeUndefined();
  });
}

test("without a seal, a damaged first line still names its session", async () => {
  await using project = await tmpProject({ git: false });
  process.env.XDG_STATE_HOME = project.path("~/state");
  const first = new Magnus(opencodeClient(project.dir, parents));
  await first.runs.start(started(first));
  await first.runs.close();
  const journal = `${folderOf(first.workplace, id)}/journal.jsonl`;
  await project.write(journal, `x${(await project.read(journal)).slice(1)}`);
  process.env.XDG_STATE_HOME = project.path("~/elsewhere");
  const { runs } = new Magnus(opencodeClient(project.dir, parents));
  expect(await runs.of("ses_root")).toMatchObject({ kind: "closed", id });
});

test("folders without a valid journal are not runs", async () => {
  await using project = await tmpProject({ git: false });
  for (const name of ["impl-20260118-143052-a1b2c4", "archive", ".state"]) {
    mkdirSync(project.path(`ai-docs/sessions/${name}`), { recursive: true });
  }
  await project.write("ai-docs/sessions/impl-20260118-143052-a1b2c5/journal.jsonl", "no journal\n");
  const { runs } = new Magnus(opencodeClient(project.dir, parents));
  expect(runs.ids()).toEqual([]);
  expect(await runs.of("ses_root")).toBeUndefined();
});
