// Runs that are removed, damaged or out of reach while a page shows them.
import { expect, test } from "bun:test";
import { readFileSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { postgresAvailability, startPostgres } from "@atomic/testing/postgres";
import { tmpProject } from "@atomic/testing/project";
import { within } from "@atomic/testing/waiting";
import { askUserNode, waitNode } from "@atomic/workflows/internal/graph/action-nodes";
import { embeddedEngine } from "@atomic/workflows/internal/run/embedded/embedded-engine";
import { RunFeed } from "../../src/page/run-feed.ts";
import { atomic } from "../atomic.ts";
import { begin, newGraph, projectWith } from "../runs/begun.ts";
import { browserTests } from "./browser-tests.ts";
import { atomicBin, serveUi, show } from "./opened.ts";

const { inBrowser, browser } = browserTests("lost runs in a browser");
const postgres = postgresAvailability();
if (!postgres.available) console.warn(`skipped: a database that is away: ${postgres.reason}`);

const asking = (name: string, prompt: string) => newGraph(name).start(waitNode({ id: "approval", prompt }));

inBrowser(
  "a removed run leaves the page; another one with its name is shown alone, not mixed with the first",
  async () => {
    await using project = await tmpProject({ git: false });
    await begin(project, asking("first", "Ship it?"));
    const ui = await serveUi(project, "calm-otter");
    const { page } = await browser.open(ui.link);
    await page.locator(".asked", { hasText: "Ship it?" }).waitFor();
    rmSync(project.path(".atomic/runs/calm-otter"), { recursive: true });
    await page.locator(".notice.bad", { hasText: "There is no run calm-otter" }).waitFor();
    await page.locator(".runs li").waitFor({ state: "detached" });
    expect(await page.locator("main button").count()).toBe(0);
    await begin(project, asking("second", "Sink it?"));
    await page.locator(".asked", { hasText: "Sink it?" }).waitFor();
    expect(await page.locator("h1").textContent()).toBe("second calm-otter");
    expect(await page.locator(".notice").count()).toBe(0);
    // The same for a page that does not see the moment in between.
    await page.evaluate("Object.defineProperty(document, 'hidden', { value: true, configurable: true })");
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
    rmSync(project.path(".atomic/runs/calm-otter"), { recursive: true });
    await begin(project, asking("third", "Sell it?"));
    await page.evaluate("delete document.hidden; document.dispatchEvent(new Event('visibilitychange'))");
    await page.locator(".asked", { hasText: "Sell it?" }).waitFor();
    expect(await page.locator("h1").textContent()).toBe("third calm-otter");
    await page.getByRole("link", { name: /^third/ }).waitFor();
    // Nor can you answer a question that you were not shown, because it came in the place of another one.
    await page.evaluate("Object.defineProperty(document, 'hidden', { value: true, configurable: true })");
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
    rmSync(project.path(".atomic/runs/calm-otter"), { recursive: true });
    await begin(project, asking("fourth", "Sink it?"));
    await page.getByRole("button", { name: "Yes" }).click();
    await page.locator(".notice.bad", { hasText: "Another run is called calm-otter now." }).waitFor();
    await page.evaluate("delete document.hidden; document.dispatchEvent(new Event('visibilitychange'))");
    await page.locator(".asked", { hasText: "Sink it?" }).waitFor();
    expect(await page.locator(".question").count()).toBe(1);
  },
);

test("a run that is back before the next look is shown again", async () => {
  await using project = await tmpProject({ git: false });
  await begin(project, asking("release", "Ship it?"));
  const [there, away] = [project.path(".atomic/runs/calm-otter"), project.path("away")];
  const engine = embeddedEngine(project.path(".atomic/runs"), { interpret: async () => null });
  const state = engine.state.bind(engine);
  engine.state = async (runId) => {
    engine.state = state;
    renameSync(there, away);
    return await state(runId).finally(() => renameSync(away, there));
  };
  const { promise, resolve } = Promise.withResolvers<void>();
  const heard: string[] = [];
  const leave = new RunFeed(engine, "calm-otter", Date.now).listen((message) => {
    heard.push(message.type === "problem" ? message.message : message.type);
    if (message.type === "entries") resolve();
  });
  await within(20_000, promise);
  leave();
  expect(heard).toEqual([expect.stringContaining("There is no run calm-otter"), "entries"]);
});

inBrowser(
  "a run that the file system refuses to read is one run's problem, in the list and when it is open",
  async () => {
    await using project = await tmpProject({ git: false });
    await begin(project, asking("release", "Ship it?"));
    await begin(project, asking("other", "Sink it?"), { runId: "bold-fox" });
    const ui = await serveUi(project, "bold-fox");
    const { page } = await browser.open(ui.link);
    await page.locator(".asked", { hasText: "Sink it?" }).waitFor();
    const folder = project.path(".atomic/runs/bold-fox");
    renameSync(folder, project.path("kept"));
    symlinkSync("bold-fox", folder);
    await page.locator("main .notice.bad", { hasText: "The run bold-fox cannot be read: ELOOP" }).waitFor();
    await page.getByRole("link", { name: /bold-fox.*damaged/ }).waitFor();
    expect((await atomic(project, ["runs", "--all"])).stdout).toMatch(/calm-otter/);
    await show(page, "#/calm-otter/graph");
    await page.getByRole("button", { name: "Yes" }).click();
    await page.locator(".notice.good").waitFor();
    unlinkSync(folder);
    renameSync(project.path("kept"), folder);
    await show(page, "#/bold-fox/graph");
    await page.getByRole("button", { name: "Yes" }).waitFor();
    // Only what was sent to a run cannot be read.
    const inbox = project.path(".atomic/runs/calm-otter/inbox.jsonl");
    renameSync(inbox, project.path("inbox"));
    symlinkSync("inbox.jsonl", inbox);
    await page.getByRole("link", { name: /calm-otter.*damaged/ }).waitFor();
    await show(page, "#/calm-otter/graph");
    await page.locator("main .notice.bad", { hasText: "ELOOP" }).waitFor();
    unlinkSync(inbox);
    renameSync(project.path("inbox"), inbox);
    await page.locator("main .notice.bad").waitFor({ state: "detached" });
  },
);

inBrowser("a damaged run is not shown as it was, and is followed again once it is repaired", async () => {
  await using project = await tmpProject({ git: false });
  await begin(project, asking("release", "Ship it?"));
  const ui = await serveUi(project, "calm-otter");
  const { page } = await browser.open(ui.link);
  await page.getByRole("button", { name: "Yes" }).waitFor();
  const journal = project.path(".atomic/runs/calm-otter/journal.jsonl");
  const whole = readFileSync(journal, "utf8");
  writeFileSync(journal, whole.replace(/\n.*\n/, "\nnot a record\n"));
  await page.locator("main .notice.bad", { hasText: "is damaged" }).waitFor();
  expect(await page.locator("main button").count()).toBe(0);
  writeFileSync(journal, whole);
  await page.getByRole("button", { name: "Yes" }).click();
  await page.locator(".notice.good").waitFor();
  expect(await page.locator(".notice.bad").count()).toBe(0);
});

inBrowser("what you have typed stays with its question, while the run is away or another one is shown", async () => {
  await using project = await tmpProject({ git: false });
  const noting = (question: string) => newGraph("notes").start(askUserNode({ id: "notes", question }));
  await begin(project, noting("What is new?"));
  await begin(project, noting("What is old?"), { runId: "bold-fox" });
  const ui = await serveUi(project, "calm-otter");
  const { page } = await browser.open(ui.link);
  const field = page.getByPlaceholder("Your answer");
  await field.fill("Dark mode\n\n  and a fix");
  const journal = project.path(".atomic/runs/calm-otter/journal.jsonl");
  const whole = readFileSync(journal, "utf8");
  writeFileSync(journal, whole.replace(/\n.*\n/, "\nnot a record\n"));
  await page.locator("main .notice.bad", { hasText: "is damaged" }).waitFor();
  writeFileSync(journal, whole);
  await field.waitFor();
  expect(await field.inputValue()).toBe("Dark mode\n\n  and a fix");
  await show(page, "#/bold-fox/graph");
  await page.locator(".asked", { hasText: "What is old?" }).waitFor();
  expect(await field.inputValue()).toBe("");
  await page.goBack();
  await page.locator(".asked", { hasText: "What is new?" }).waitFor();
  expect(await field.inputValue()).toBe("Dark mode\n\n  and a fix");
  // Another run with the same name and the same node is another question.
  await page.evaluate("Object.defineProperty(document, 'hidden', { value: true, configurable: true })");
  await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
  rmSync(project.path(".atomic/runs/calm-otter"), { recursive: true });
  await begin(project, noting("Which password?"));
  await page.evaluate("delete document.hidden; document.dispatchEvent(new Event('visibilitychange'))");
  await page.locator(".asked", { hasText: "Which password?" }).waitFor();
  expect(await field.inputValue()).toBe("");
});

inBrowser.skipIf(!postgres.available)(
  "a database that is away is reported, and its runs are followed again when it is back",
  async () => {
    await using server = await startPostgres();
    if (server.crash === undefined || server.restart === undefined) return;
    const engine = ["--engine", server.url];
    await using project = await projectWith({
      asking: `{ name: "asking" }, (graph) => graph.start(waitNode({ id: "ship", prompt: "Ship it?" }))
        .then(askUserNode({ id: "notes", question: "What is new?" }))`,
    });
    expect((await project.run(["node", atomicBin, "engine", "migrate", ...engine])).code).toBe(0);
    const ui = await serveUi(project, ...engine);
    const { page } = await browser.open(ui.link);
    const run = await project.start(["node", atomicBin, "run", "asking", "--host", "scripted", "--json", ...engine]);
    await page.getByRole("link", { name: /^asking/ }).click();
    await page.getByRole("button", { name: "Yes" }).click();
    await page.getByPlaceholder("Your answer").fill("Dark mode");
    await server.crash();
    await page.locator(".notice.bad", { hasText: "cannot be read at the moment" }).waitFor();
    await server.restart();
    await page.locator(".notice.bad").waitFor({ state: "detached" });
    expect(await page.getByPlaceholder("Your answer").inputValue()).toBe("Dark mode");
    await page.getByRole("button", { name: "Answer" }).click();
    await page.locator(".status", { hasText: /^done$/ }).waitFor();
    expect((await run.exited).code).toBe(0);
  },
);
