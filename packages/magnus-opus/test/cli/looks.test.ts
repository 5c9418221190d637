import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { displayWidth } from "@atomic/terminal/width";
import { first, ProjectWithRuns, second } from "./project-with-runs.ts";

test("runs are listed newest first, and those waiting for the user are marked", async () => {
  await using project = await ProjectWithRuns.make();
  await project.leftRun(first);
  await project.leftRun(second);
  await project.magnus("cancel", first);
  const { out } = await project.magnus("list");
  const lines = out.trimEnd().split("\n");
  expect(lines.map((line) => line.split(/ {2,}/).slice(0, 3))).toEqual([
    ["run", "state", "phase"],
    [second, "waiting for you", "architecture"],
    [first, "cancelled", "architecture"],
  ]);
  const { runs } = JSON.parse((await project.magnus("list", "--json")).out);
  expect(runs).toMatchObject([
    { run: second, status: { kind: "running" } },
    { run: first, status: { kind: "cancelled" } },
  ]);
});

test("an unreadable journal is in the list, and the other commands name it", async () => {
  await using project = await ProjectWithRuns.make();
  await project.leftRun();
  writeFileSync(project.place().journal, '{"nothing":"of ours"}\n{"more":1}\n');
  expect((await project.magnus("list")).out).toContain("unreadable");
  const { code, err } = await project.magnus("status", first);
  expect([code, err]).toEqual([3, expect.stringContaining("journal.jsonl")]);
});

test("the status shows what the run is waiting for, and which command continues it", async () => {
  await using project = await ProjectWithRuns.make();
  const driver = await project.waitingRun();
  const { code, out } = await project.magnus("status");
  expect(code).toBe(0);
  expect(out).toContain(`${first}: about ${first}\n  status    running, in architecture\n`);
  expect(out).toContain("  ✓ Requirements Gathering\n  ▶ Architecture Planning\n  · Implementation\n");
  expect(out.replaceAll(/\s+/g, " ")).toContain(
    `It is waiting for you: - the user's approval: the user types \`/approve\` (or in a shell \`magnus-opus approve ${first}\`)`,
  );
  expect(JSON.parse((await project.magnus("status", "--json")).out)).toMatchObject({
    run: first,
    waitsForPerson: true,
  });
  await driver.close();
  for (const line of out.split("\n")) expect(displayWidth(line)).toBeLessThanOrEqual(110);
});

test("the status shows how to continue a paused run, and nothing for one that has ended", async () => {
  await using project = await ProjectWithRuns.make();
  const driver = await project.waitingRun();
  await driver.record({ type: "paused", reason: "abort", detail: "Esc" });
  await driver.close();
  expect((await project.magnus("status", first)).out).toContain("It is waiting for you:\n  - abort, Esc.");
  await project.magnus("cancel", first);
  expect((await project.magnus("status", first)).out).not.toContain("waits for");
});

test("the timeline is text, or a page in the session folder or any other file", async () => {
  await using project = await ProjectWithRuns.make();
  await project.leftRun();
  await project.magnus("approve", first);
  expect((await project.magnus("timeline")).out).toContain("anna (shell) approved architecture");
  const page = join(project.dir, "ai-docs/sessions", first, "timeline.html");
  expect((await project.magnus("timeline", "--html")).out).toBe(`Wrote ${page}\n`);
  expect(readFileSync(page, "utf8")).toStartWith("<!doctype html>");
  expect((await project.magnus("timeline", "--html", "out.html", first)).code).toBe(0);
  expect(readFileSync(join(project.dir, "out.html"), "utf8")).toBe(readFileSync(page, "utf8"));
  expect((await project.magnus("timeline", first, "--html", "-")).out).toBe(readFileSync(page, "utf8"));
  const { events } = JSON.parse((await project.magnus("timeline", "--json")).out);
  expect(events[0]).toMatchObject({ type: "run-started", run: first });
});

test("looking changes nothing, and works beside the OpenCode that drives the run", async () => {
  await using project = await ProjectWithRuns.make();
  const driver = await project.waitingRun();
  const { journal } = project.place();
  const before = readFileSync(journal, "utf8");
  for (const words of [["status"], ["timeline"], ["list"], ["status", "--json"]])
    expect((await project.magnus(...words)).code).toBe(0);
  expect(readFileSync(journal, "utf8")).toBe(before);
  expect((await driver.refresh()).status.kind).toBe("running");
  await driver.close();
});

test("a project without runs says how to start one", async () => {
  await using project = await ProjectWithRuns.make();
  expect((await project.magnus("list")).out).toContain("`/implement <feature>` in OpenCode starts one.");
  expect(await project.magnus("status")).toMatchObject({ code: 1, err: expect.stringContaining("there are no runs") });
  expect(await project.magnus("status", "impl-1")).toMatchObject({
    code: 1,
    err: "magnus-opus: there are no runs in this project yet\n`/implement <feature>` in OpenCode starts one.\n",
  });
});

test("the project is the nearest parent folder with sessions, or the named one", async () => {
  await using project = await ProjectWithRuns.make();
  await project.leftRun();
  project.write("src/lib/a.ts", "");
  expect((await project.magnusIn(join(project.dir, "src/lib"), "list")).out).toContain(first);
  expect((await project.magnusIn("/", "list", "--project", project.dir)).out).toContain(first);
  expect(await project.magnusIn("/", "list", "--project", "/nowhere/at/all")).toMatchObject({ code: 2 });
});
