// The page in a real browser, on runs with journals of their own.
import { expect } from "bun:test";
import { seriousProblems } from "@atomic/testing/axe";
import { tmpProject } from "@atomic/testing/project";
import { agentNode, askUserNode, waitNode } from "@atomic/workflows/internal/graph/action-nodes";
import { graph } from "@atomic/workflows/internal/graph/builder";
import { atomic } from "../atomic.ts";
import { begin, newGraph, projectWith } from "../runs/begun.ts";
import { runIds } from "../runs/running.ts";
import { browserTests } from "./browser-tests.ts";
import { demoRuns, longRun, startDemo } from "./demo-runs.ts";
import { serveUi, show } from "./opened.ts";

const { inBrowser, browser } = browserTests("the page in a browser");

inBrowser("every run is listed with its state, cost and age, those that ask you first", async () => {
  await using project = await tmpProject();
  await using _runs = await demoRuns(project);
  const ui = await serveUi(project);
  const { page, complaints, requests } = await browser.open(ui.link);
  // The names are there first; then what the runs ask and cost is read.
  await page.locator(".runs li:nth-child(4)", { hasText: "$0.07" }).waitFor();
  await page.locator(".runs li:nth-child(3)", { hasText: "no such column" }).waitFor();
  const lines = await page.locator(".runs li").allInnerTexts();
  expect(lines.map((line) => line.replace(/\d+[smh] ago/, "AGE ago").split(/\s*\n\s*/))).toEqual([
    ["release", "calm-otter", "needs you", "AGE ago · $1.05", "… Publish 1.4.0 with these notes?"],
    ["fix-flaky", "brave-lark", "running", "AGE ago · $0.12"],
    ["migrate", "quiet-heron", "failed", "AGE ago", expect.stringMatching(/^rewrite: .*no such column/)],
    ["nightly", "merry-crane", "done", "AGE ago · $0.07"],
  ]);
  expect(complaints).toEqual([]);
  expect(requests.every((url) => url.startsWith(ui.origin) || url.startsWith("data:"))).toBe(true);
  expect(page.url()).toBe(ui.address);
});

inBrowser("a question is answered on the page, and the run continues there", async () => {
  await using project = await tmpProject();
  await using _runs = await demoRuns(project);
  const ui = await serveUi(project, "calm-otter");
  const { page } = await browser.open(ui.link);
  expect(await page.locator(".asked").textContent()).toContain("- Dark mode in the editor\n- No more crash at night");
  await page.getByRole("button", { name: "Yes" }).click();
  await page.getByLabel("GitHub").check();
  await page.getByRole("button", { name: "Answer" }).click();
  await page.waitForSelector(".status.good");
  const { stdout } = await atomic(project, ["show", "calm-otter", "--json"]);
  expect(JSON.parse(stdout)).toMatchObject({ status: { kind: "done" } });
  expect(stdout).toContain('"answer": "GitHub"');
  await show(page, "#/calm-otter/timeline");
  expect(await page.locator(".row", { hasText: "channel" }).textContent()).toContain("answered GitHub");
});

inBrowser("Enter in the field for a reason denies what an agent wants; it never allows it", async () => {
  await using project = await tmpProject();
  const commands: string[] = [];
  const run = await startDemo(project, {
    runId: "calm-otter",
    script: async function* () {
      for (const command of ["rm -r src", "git status"]) {
        yield { tool: "bash", detail: command, run: () => `${commands.push(command)}` };
      }
      yield { text: "ready" };
    },
    graph: graph({ name: "tidy", state: {} }).start(agentNode({ id: "tidy", prompt: "Tidy up." })),
  });
  const ui = await serveUi(project, "calm-otter");
  const { page } = await browser.open(ui.link);
  await page.locator(".asked", { hasText: "rm -r src" }).waitFor();
  await page.getByLabel("Why you deny it").fill("We need src.");
  await page.keyboard.press("Enter");
  await page.locator(".asked", { hasText: "git status" }).waitFor();
  // The focus is still in the page, for the next question.
  expect(await page.evaluate("document.activeElement.id")).toBe("main");
  await page.getByRole("button", { name: "Allow once" }).focus();
  await page.keyboard.press("Enter");
  expect((await run.ended).kind).toBe("done");
  expect(commands).toEqual(["git status"]);
  await show(page, "#/calm-otter/graph/tidy");
  await page.locator(".panel .tool", { hasText: "We need src." }).waitFor({ state: "attached" });
});

inBrowser("a tab that you do not look at says in its title when a run waits for you", async () => {
  await using project = await tmpProject({ git: false });
  const ui = await serveUi(project);
  const { page } = await browser.open(ui.link);
  await page.locator("main", { hasText: "There are no runs yet." }).waitFor();
  expect(await page.title()).toBe("project · atomic");
  await page.evaluate("Object.defineProperty(document, 'hidden', { value: true, configurable: true })");
  await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
  const titled = page.evaluate(`new Promise((done) => {
    const look = () => document.title.startsWith("(") && done(document.title);
    new MutationObserver(look).observe(document.querySelector("title"), { childList: true });
  })`);
  await begin(project, newGraph().start(waitNode({ id: "approval", prompt: "Ship it?" })));
  expect(await titled).toBe("(1) project · atomic");
  expect(await page.locator(".runs li").count()).toBe(0);
  await page.evaluate("delete document.hidden; document.dispatchEvent(new Event('visibilitychange'))");
  await page.getByRole("link", { name: /calm-otter/ }).waitFor();
});

inBrowser("axe finds nothing serious, on light and on dark, on a desk and on a phone", async () => {
  await using project = await tmpProject();
  await using runs = await demoRuns(project);
  const ui = await serveUi(project);
  const { page } = await browser.open(ui.link);
  await page.waitForSelector(".runs li:nth-child(4)");
  const { asking, running, failed } = runs.ids;
  const places = ["#/", `#/${asking}/graph`, `#/${running}/timeline`, `#/${failed}/log`, `#/${asking}/graph/fix`];
  const problems: string[] = [];
  for (const [colorScheme, width] of [
    ["light", 1280],
    ["dark", 1280],
    ["light", 390],
    ["dark", 390],
  ] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await page.setViewportSize({ width, height: 800 });
    for (const place of places) {
      await show(page, place);
      await page.waitForSelector(place.endsWith("fix") ? ".panel .long" : place === "#/" ? ".shows-list" : ".tabs", {
        state: "attached",
      });
      for (const each of await seriousProblems(page)) problems.push(`${colorScheme} ${width} ${place}: ${each}`);
    }
  }
  expect(problems).toEqual([]);
});

inBrowser("two people answer at once: the first counts, and the other sees what it was", async () => {
  await using project = await tmpProject();
  await begin(project, newGraph().start(waitNode({ id: "approval", prompt: "Ship it?" })));
  const ui = await serveUi(project, "calm-otter");
  const { page, context } = await browser.open(ui.link);
  const people = [page, await context.newPage()] as const;
  await people[1].goto(`${ui.address}#/calm-otter/graph`);
  const [yes, no] = [
    people[0].getByRole("button", { name: "Yes" }),
    people[1].getByRole("button", { name: "No", exact: true }),
  ];
  await Promise.all([yes.waitFor(), no.waitFor()]);
  await Promise.all([yes.click(), no.click()]);
  const notices = await Promise.all(people.map((each) => each.locator(".notice .text").textContent()));
  const late = notices.filter((text) => text?.includes("already answered"));
  expect(late).toHaveLength(1);
  const { stdout } = await atomic(project, ["show", "calm-otter", "--json"]);
  const isYes = stdout.includes('"answer": true');
  expect(late[0]).toContain(`This was already answered: “${isYes ? "yes" : "no"}”. Only the first answer counts.`);
  for (const each of people) await each.locator(".question").waitFor({ state: "detached" });
});

inBrowser("what is answered, cancelled or raised elsewhere shows at once, and so does what is done here", async () => {
  await using project = await tmpProject();
  const asking = newGraph()
    .start(waitNode({ id: "approval", prompt: "Ship it?" }))
    .then(askUserNode({ id: "notes", question: "What is new?\n\n1. Features\n2. Fixes" }));
  await begin(project, asking, { budget: { usd: 1 } });
  const ui = await serveUi(project, "calm-otter");
  const { page } = await browser.open(ui.link);
  await page.locator(".question").waitFor();
  expect((await atomic(project, ["approve", "calm-otter"])).code).toBe(0);
  await page.locator(".question").waitFor({ state: "detached" });
  await page.locator(".raise summary").click();
  await page.getByLabel("Dollars").fill("7.5");
  await page.getByLabel("Steps").fill("40");
  await page.getByRole("button", { name: "Set" }).click();
  await page.locator(".notice", { hasText: "The budget is now $7.50 · 40 steps." }).waitFor();
  const shown = JSON.parse((await atomic(project, ["show", "calm-otter", "--json"])).stdout);
  expect(shown.budget).toEqual({ usd: 7.5, steps: 40 });
  expect((await atomic(project, ["cancel", "calm-otter"])).code).toBe(0);
  await page.locator(".status", { hasText: "cancelled" }).waitFor();
  expect(await page.locator(".actions button").count()).toBe(0);
});

inBrowser("a run is cancelled on the page, after a second question", async () => {
  await using project = await tmpProject();
  await using runs = await demoRuns(project);
  const ui = await serveUi(project, runs.ids.running);
  const { page } = await browser.open(ui.link);
  await page.getByRole("button", { name: "Cancel the run…" }).click();
  await page.getByRole("button", { name: "No" }).click();
  await page.getByRole("button", { name: "Cancel the run…" }).click();
  await page.getByRole("button", { name: "Yes, cancel it" }).click();
  await page.locator(".status", { hasText: /^cancelled$/ }).waitFor();
  const { stdout } = await atomic(project, ["show", runs.ids.running, "--json"]);
  expect(JSON.parse(stdout).status.kind).toBe("cancelled");
});

inBrowser("a run is resumed on the page, asks there for text and options, and gets them", async () => {
  const talking = `{ name: "talking" }, (graph) => graph
    .start(askUserNode({ id: "notes", question: "What is new?" }))
    .then(askUserNode({ id: "where", question: "Where?", multiple: true, options: [{ label: "npm, the registry" }, { label: "2" }, { label: "Mail" }] }))
    .then(toolNode({ id: "end", run: ({ outputs }) => JSON.stringify([outputs.notes, outputs.where]) }))`;
  await using project = await projectWith({ talking });
  expect((await atomic(project, ["run", "talking", "--host", "scripted", "--no-wait"])).code).toBe(4);
  const [runId = ""] = runIds(project);
  const ui = await serveUi(project, runId);
  const { page } = await browser.open(ui.link);
  await page.getByRole("button", { name: "Resume" }).click();
  await page.locator(".notice", { hasText: "You resumed the run." }).waitFor();
  await page.getByPlaceholder("Your answer").fill("Dark mode.\n\n  Two fixes.");
  await page.getByRole("button", { name: "Answer" }).click();
  await page.getByLabel("npm, the registry").check();
  await page.getByLabel("2").check();
  await page.getByRole("button", { name: "Answer" }).click();
  await page.locator(".status", { hasText: /^done$/ }).waitFor();
  await show(page, `#/${runId}/graph/end`);
  const output = JSON.parse((await page.locator(".panel .long").first().textContent()) ?? "");
  expect(output).toEqual(["Dark mode.\n\n  Two fixes.", ["npm, the registry", "2"]]);
});

inBrowser(
  "a run that was resumed on the page is released when `atomic ui` ends, and the page says that it is alone",
  async () => {
    const asking = `{ name: "asking" }, (graph) => graph.start(waitNode({ id: "ship", prompt: "Ship it?" }))`;
    await using project = await projectWith({ asking });
    await atomic(project, ["run", "asking", "--host", "scripted", "--no-wait"]);
    const [runId = ""] = runIds(project);
    const ui = await serveUi(project, runId);
    const { page } = await browser.open(ui.link);
    await page.getByRole("button", { name: "Resume" }).click();
    await page.locator(".status", { hasText: "waiting for an answer" }).waitFor();
    expect(await ui.stop()).toBe(130);
    await page.locator(".connection.lost").waitFor();
    const { stdout } = await atomic(project, ["show", runId, "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({ status: { kind: "pending" }, claims: 2 });
  },
);

inBrowser("a run that is not there is a problem on the page, and the others are still shown", async () => {
  await using project = await tmpProject({ git: false });
  await begin(project, newGraph().start(waitNode({ id: "approval", prompt: "Ship it?" })));
  const ui = await serveUi(project);
  const { page } = await browser.open(ui.link);
  for (const [name, problem] of [
    ["nobody", "There is no run nobody"],
    ["..", "This is not a valid run id"],
  ] as const) {
    await show(page, `#/${name}/graph`);
    await page.locator(".notice.bad", { hasText: problem }).waitFor();
  }
  await page.getByRole("link", { name: /calm-otter/ }).click();
  await page.getByRole("button", { name: "Yes" }).waitFor();
});

inBrowser("a reload in the middle keeps the place, and the page follows on", async () => {
  await using project = await tmpProject();
  await using runs = await demoRuns(project);
  const ui = await serveUi(project);
  const { page } = await browser.open(ui.link);
  await page.getByRole("link", { name: "release calm-otter" }).click();
  await page.getByRole("link", { name: "fix", exact: true }).click();
  await page.locator(".panel .diff .added", { hasText: "user.trim()" }).waitFor();
  const address = page.url();
  await page.reload();
  expect(page.url()).toBe(address);
  await page.locator(".panel .diff .added").first().waitFor();
  await page.getByRole("button", { name: "Yes" }).click();
  await page.getByLabel("npm").waitFor();
  expect(runs.ids.asking).toBe("calm-otter");
});

inBrowser("a node shows its prompt, output, tool calls, changes and session; errors come first", async () => {
  await using project = await tmpProject();
  await using _runs = await demoRuns(project);
  const ui = await serveUi(project, "calm-otter");
  const { page } = await browser.open(ui.link);
  expect(await page.locator(".problems li").first().textContent()).toContain("edge.ts:41: the parser expected");
  // Of the twelve items of the map, only the failed one is there until all are asked for.
  expect(await page.locator(".node .inside .title").allTextContents()).toEqual(["edge"]);
  expect(await page.locator(".node .said.bad").count()).toBe(1);
  await page.getByRole("button", { name: "Show all 12" }).click();
  await page.locator(".node .inside .title").nth(11).waitFor();
  expect((await page.locator(".node .inside .title").allTextContents())[0]).toBe("edge");
  await show(page, "#/calm-otter/graph/fix");
  const panel = page.locator(".panel");
  await panel.locator(".talk").waitFor();
  expect(await panel.locator(".session code").textContent()).toMatch(/^opencode --session [\w-]+$/);
  expect(await panel.locator(".talk > li").allTextContents()).toEqual([
    "promptFix what the reviews found in the login.",
    "agentI will look at the login first.\n",
    expect.stringContaining("src/login.ts"),
    expect.stringContaining("edit"),
    "agentAn empty name must not pass. Fixed, and a test shows it.",
  ]);
  expect(await panel.locator(".diff .removed").allTextContents()).toEqual(["-  return user.length > 0;\n"]);
  await page.keyboard.press("Escape");
  await panel.waitFor({ state: "detached" });
});

inBrowser("on a phone nothing is wider than the screen, and all of it can be reached", async () => {
  await using project = await tmpProject();
  await using runs = await demoRuns(project);
  const ui = await serveUi(project);
  const { page } = await browser.open(ui.link, {
    viewport: { width: 360, height: 740 },
    isMobile: true,
    hasTouch: true,
  });
  await page.waitForSelector(".runs li:nth-child(4)");
  const tooWide = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
  for (const place of ["", "/graph", "/timeline", "/log", "/graph/fix"]) {
    await show(page, place === "" ? "#/" : `#/${runs.ids.asking}${place}`);
    await page.waitForSelector(
      place === "" ? ".shows-list .runs" : place.endsWith("fix") ? ".panel .diff" : `.view${place.replace("/", ".")}`,
    );
    expect(`${place}: ${await page.evaluate(tooWide)}`).toBe(`${place}: 0`);
    if (place === "/timeline") await page.locator(".moment").first().getByText("run by process").waitFor();
  }
  await page.getByRole("link", { name: "Close" }).tap();
  await page.getByRole("button", { name: "Yes" }).tap();
  await page.getByLabel("npm").waitFor();
});

inBrowser("the keyboard reaches everything: the list, a run, its tabs, a node and back", async () => {
  await using project = await tmpProject();
  await using _runs = await demoRuns(project);
  const ui = await serveUi(project);
  const { page } = await browser.open(ui.link);
  await page.waitForSelector(".runs li:nth-child(4)");
  const press = async (wanted: string): Promise<void> => {
    for (let times = 0; times < 60; times += 1) {
      await page.keyboard.press("Tab");
      const text = await page.evaluate(
        "document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent",
      );
      if (String(text).startsWith(wanted)) return await page.keyboard.press("Enter");
    }
    throw new Error(`The keyboard does not reach ${wanted}.`);
  };
  await press("releasecalm-otter");
  await page.waitForSelector(".tabs");
  await press("What is inside review");
  await page.locator("[aria-label='What is inside review'][aria-expanded=false]").waitFor();
  await press("fix");
  await page.locator(".panel .diff").waitFor();
  expect(await page.evaluate("document.activeElement.id")).toBe("node-title");
  await page.keyboard.press("Escape");
  await page.locator(".panel").waitFor({ state: "detached" });
  expect(await page.evaluate("document.activeElement.textContent")).toBe("fix");
  await page.keyboard.press("Shift+Tab");
  await press("Yes");
  await page.getByLabel("npm").waitFor();
});

inBrowser(
  "a run of 10,000 steps is a list of as many rows, of which few exist; the last is there when it is looked for",
  async () => {
    await using project = await tmpProject({ git: false });
    await longRun(project, 10_000);
    const ui = await serveUi(project, "lucky-fern");
    const { page, complaints } = await browser.open(ui.link);
    await page.locator(".status", { hasText: /^done$/ }).waitFor();
    expect(await page.locator(".node").count()).toBeLessThan(20);
    await show(page, "#/lucky-fern/timeline");
    await page.locator(".row").first().waitFor();
    expect(Number(await page.locator(".row").first().getAttribute("aria-setsize"))).toBeGreaterThan(10_000);
    await page.keyboard.press("End");
    await page.locator(".row", { hasText: "done" }).last().waitFor();
    await page.locator(".row[aria-posinset='10002']").waitFor();
    expect(await page.locator(".row").count()).toBeLessThan(120);
    await page.getByLabel("Only problems").check();
    await page.locator(".row", { hasText: "line 3 is too long" }).waitFor();
    expect(await page.locator(".row").count()).toBe(1);
    await page.getByLabel("Only problems").uncheck();
    await page.getByPlaceholder("Filter").fill("file-4242/");
    await page.locator(".row", { hasText: "files.file-4242/check" }).waitFor();
    expect(await page.locator(".row").count()).toBe(1);
    expect(complaints).toEqual([]);
  },
);
