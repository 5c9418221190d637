// Runs that you resume on the page, and a page whose server is gone.
import { expect } from "bun:test";
import { readFileSync, watch, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tmpProject } from "@atomic/testing/project";
import { agentNode, waitNode } from "@atomic/workflows/internal/graph/action-nodes";
import { graph } from "@atomic/workflows/internal/graph/builder";
import { atomic } from "../atomic.ts";
import { begin, newGraph, projectWith } from "../runs/begun.ts";
import { runIds } from "../runs/running.ts";
import { browserTests } from "./browser-tests.ts";
import { startDemo } from "./demo-runs.ts";
import { serveUi, show } from "./opened.ts";

const { inBrowser, browser } = browserTests("resumed runs in a browser");

inBrowser("a run that its budget stopped continues with a higher one", async () => {
  const counting = `{ name: "counting" }, (graph) => graph
    .start(toolNode({ id: "one", run: () => "1" }))
    .then(toolNode({ id: "two", run: () => "2" }))
    .then(toolNode({ id: "three", run: () => "3" }))`;
  await using project = await projectWith({ counting });
  expect((await atomic(project, ["run", "counting", "--host", "scripted", "--max-steps", "2"])).code).toBe(5);
  const [runId = ""] = runIds(project);
  const ui = await serveUi(project, runId);
  const { page } = await browser.open(ui.link);
  await page.locator(".status", { hasText: "stopped: 2 of 2 steps used" }).waitFor();
  await page.getByRole("textbox", { name: "Steps" }).fill("10");
  await page.getByRole("textbox", { name: "Minutes of work" }).fill("1.1");
  await page.getByRole("button", { name: "Set and resume" }).click();
  await page.locator(".status", { hasText: /^done$/ }).waitFor();
  const { budget } = JSON.parse((await atomic(project, ["show", runId, "--json"])).stdout);
  expect(budget).toEqual({ steps: 10, wallMs: 66_000 });
});

inBrowser("a failed run is retried, and the notice names it if you look at another one by then", async () => {
  const failing = `{ name: "failing" }, (graph) => graph.start(toolNode({ id: "look", run: () => {
    if (!existsSync("boat.md")) throw new Error("there is no boat");
    return "a boat";
  } }))`;
  await using project = await projectWith({ failing });
  expect((await atomic(project, ["run", "failing", "--host", "scripted"])).code).toBe(1);
  const [runId = ""] = runIds(project);
  await begin(project, newGraph().start(waitNode({ id: "approval", prompt: "Ship it?" })));
  await project.write("boat.md", "");
  const ui = await serveUi(project, runId);
  const { page } = await browser.open(ui.link);
  await page.locator(".problems", { hasText: "there is no boat" }).waitFor();
  await page.getByRole("button", { name: "Retry what failed" }).click();
  // Starting a process takes longer than a click.
  await show(page, "#/calm-otter/graph");
  await page.locator(".notice", { hasText: `${runId}: You resumed the run.` }).waitFor();
  await show(page, `#/${runId}/graph`);
  await page.locator(".status", { hasText: /^done$/ }).waitFor();
  expect(await page.locator(".notice").count()).toBe(0);
});

inBrowser("why you deny something stays in its field while the run cannot be read", async () => {
  await using project = await tmpProject();
  const run = await startDemo(project, {
    runId: "calm-otter",
    script: async function* () {
      yield { tool: "bash", detail: "rm -r src", run: () => "" };
    },
    graph: graph({ name: "tidy", state: {} }).start(agentNode({ id: "tidy", prompt: "Tidy up." })),
  });
  const ui = await serveUi(project, "calm-otter");
  const { page } = await browser.open(ui.link);
  const field = page.getByLabel("Why you deny it");
  await field.fill("We need src.");
  const journal = project.path(".atomic/runs/calm-otter/journal.jsonl");
  const whole = readFileSync(journal, "utf8");
  writeFileSync(journal, whole.replace(/\n.*\n/, "\nnot a record\n"));
  await field.waitFor({ state: "detached" });
  writeFileSync(journal, whole);
  await field.waitFor();
  expect(await field.inputValue()).toBe("We need src.");
  await run.release();
});

inBrowser("a page whose server has ended says how to get another one", async () => {
  await using project = await tmpProject({ git: false });
  const ui = await serveUi(project);
  const { page } = await browser.open(ui.link);
  await page.locator(".connection.live").waitFor();
  expect(await page.locator(".notice").count()).toBe(0);
  await ui.stop();
  await page.locator(".notice.bad", { hasText: "start it again and open the link that it prints" }).waitFor();
});

inBrowser("a page notices that its server is silent, and follows it again when it is back", async () => {
  await using project = await tmpProject({ git: false });
  await begin(project, newGraph().start(waitNode({ id: "approval", prompt: "Ship it?" })));
  const ui = await serveUi(project, "calm-otter");
  const { page } = await browser.open(ui.link);
  await page.clock.install();
  await page.reload();
  await page.getByRole("button", { name: "Yes" }).waitFor();
  process.kill(ui.pid, "SIGSTOP");
  try {
    await page.clock.fastForward(60_000);
    await page.locator(".connection.lost").waitFor();
  } finally {
    process.kill(ui.pid, "SIGCONT");
  }
  await page.locator(".connection.live").waitFor();
  await page.getByRole("button", { name: "Yes" }).click();
  await page.locator(".notice.good").waitFor();
});

inBrowser("a run that was resumed on the page is released even when `atomic ui` is killed", async () => {
  const asking = `{ name: "asking" }, (graph) => graph.start(waitNode({ id: "ship", prompt: "Ship it?" }))`;
  await using project = await projectWith({ asking });
  await atomic(project, ["run", "asking", "--host", "scripted", "--no-wait"]);
  const [runId = ""] = runIds(project);
  const ui = await serveUi(project, runId);
  const { page } = await browser.open(ui.link);
  await page.getByRole("button", { name: "Resume" }).click();
  await page.locator(".status", { hasText: "waiting for an answer" }).waitFor();
  const journal = join(project.path(".atomic/runs"), runId, "journal.jsonl");
  const released = new Promise<void>((resolve) => {
    const watcher = watch(journal, () => {
      if (!readFileSync(journal, "utf8").trimEnd().split("\n").at(-1)?.includes('"run-released"')) return;
      watcher.close();
      resolve();
    });
  });
  process.kill(ui.pid, "SIGKILL");
  await released;
  const { stdout } = await atomic(project, ["show", runId, "--json"]);
  expect(JSON.parse(stdout)).toMatchObject({ status: { kind: "pending" }, claims: 2 });
});
