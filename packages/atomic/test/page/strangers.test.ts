// Who and what the page must not let in: other pages, other names of this machine, and text that wants to be markup.
import { expect, test } from "bun:test";
import { existsSync, readFileSync, statSync } from "node:fs";
import { get, type IncomingMessage } from "node:http";
import { dirname } from "node:path";
import { pathToFileURL } from "node:url";
import type { OpenedPage } from "@atomic/testing/chromium";
import { type Project, tmpProject } from "@atomic/testing/project";
import { terminal } from "@atomic/testing/terminal";
import { agentNode, askUserNode, waitNode } from "@atomic/workflows/internal/graph/action-nodes";
import { graph } from "@atomic/workflows/internal/graph/builder";
import { mapNode } from "@atomic/workflows/internal/graph/map-node";
import { visibleText } from "@atomic/workflows/internal/view/page-element";
import { atomic } from "../atomic.ts";
import { begin, newGraph } from "../runs/begun.ts";
import { browserTests } from "./browser-tests.ts";
import { startDemo, until } from "./demo-runs.ts";
import { injections } from "./injections.ts";
import { atomicBin, serveUi, show } from "./opened.ts";

const { inBrowser, browser } = browserTests("strangers at the page in a browser", 180_000);

const shipping = () => newGraph().start(waitNode({ id: "approval", prompt: "Ship it?" }));

/** What a page sends, so that it does not answer another run with the same name. */
function createdAtOf(project: Project): number {
  const [first = ""] = readFileSync(project.path(".atomic/runs/calm-otter/journal.jsonl"), "utf8").split("\n");
  return JSON.parse(first).event.at;
}

async function questionsOf(project: Project): Promise<readonly unknown[]> {
  return JSON.parse((await atomic(project, ["show", "calm-otter", "--json"])).stdout).questions;
}

inBrowser("a link opens once: a used or a wrong token shows nothing of the runs", async () => {
  await using project = await tmpProject({ git: false });
  await begin(project, shipping());
  const ui = await serveUi(project);
  const link = ui.link;
  const first = await browser.open(link);
  await first.page.waitForSelector(".runs li");
  for (const address of [link, `${ui.address}?token=wrong`, ui.address, `${ui.origin}/`, `${ui.address}events`]) {
    const { page } = await browser.open(address);
    const text = (await page.textContent("body")) ?? "";
    expect(text).toMatch(
      /^(?:This link is wrong, or another browser has used it|Open the link that the terminal shows)/,
    );
  }
  await first.page.reload();
  await first.page.waitForSelector(".runs li");
  await first.page.goto(link);
  await first.page.waitForSelector(".runs li");
  expect(first.page.url()).toBe(ui.address);
});

inBrowser("another browser is let in when you ask for a link, and the page that was open before says so", async () => {
  await using project = await tmpProject({ git: false });
  await begin(project, shipping());
  const size = { cols: 200, rows: 30 };
  await using program = await terminal(["node", atomicBin, "ui"], { cwd: project.dir, env: project.env, ...size });
  const links = (): readonly string[] => program.output.match(/http:\/\/127\S+/g) ?? [];
  await program.waitFor("press Ctrl-C to stop", { deadline: 60_000 });
  const { page } = await browser.open(links()[0] ?? "");
  await page.locator(".connection.live").waitFor();
  await program.waitFor("A browser has used the link. Press Enter for another link.", { deadline: 60_000 });
  expect(links()).toHaveLength(1);
  program.press("enter");
  await program.waitFor(() => links().length === 2, { deadline: 60_000 });
  program.press("enter");
  await program.waitFor(() => links().length === 3, { deadline: 60_000 });
  const replaced = await browser.open(links()[1] ?? "");
  expect(await replaced.page.textContent("body")).toContain("stop atomic ui with Ctrl-C");
  expect(await page.locator(".notice").count()).toBe(0);
  const other = await browser.open(links()[2] ?? "");
  await page.locator(".notice", { hasText: "Another browser has used a link" }).waitFor();
  await other.page.locator(".runs li").waitFor();
  expect(await other.page.locator(".notice").count()).toBe(0);
  await page.getByRole("button", { name: "Dismiss" }).click();
  await page.locator(".notice").waitFor({ state: "detached" });
});

inBrowser(
  "the link is on no command line: the browser opens a private file, which is gone when the link was used",
  async () => {
    await using project = await tmpProject({ git: false });
    await project.run(["mkfifo", "opened"]);
    await project.write("bin/xdg-open", '#!/bin/sh\nprintf "%s\\n" "$@" > "$OPENED"\n');
    await project.run(["chmod", "+x", "bin/xdg-open"]);
    const env = { PATH: `${project.path("bin")}:${project.env.PATH}`, OPENED: project.path("opened") };
    const program = await project.start(["node", atomicBin, "ui", "--json", "--open"], { env });
    const given = (await project.run(["cat", "opened"])).stdout.trim();
    const [, link = ""] = await program.printed(/"link":"([^"]+)"/, 60_000);
    expect(given).toMatch(/\/open\.html$/);
    expect(readFileSync(given, "utf8")).toContain(`url=${link}`);
    expect([statSync(given).mode & 0o777, statSync(dirname(given)).mode & 0o777]).toEqual([0o600, 0o700]);
    const { page } = await browser.open(pathToFileURL(given).href);
    await page.locator(".connection.live").waitFor();
    await program.printed(/"type":"browser"/, 60_000);
    expect(existsSync(dirname(given))).toBe(false);
  },
);

inBrowser(
  "another page in the same browser can neither read runs nor answer, nor show this page inside of it",
  async () => {
    await using project = await tmpProject({ git: false });
    await begin(project, shipping());
    const ui = await serveUi(project);
    const { context, page } = await browser.open(ui.link);
    await page.waitForSelector(".runs li");
    using evil = Bun.serve({
      port: 0,
      fetch: () =>
        new Response("<!doctype html><title>evil</title><iframe id=inner></iframe>", {
          headers: { "content-type": "text/html" },
        }),
    });
    const other = await context.newPage();
    await other.goto(`http://evil.test:${evil.port}/`);
    const answer = JSON.stringify({ do: "answer", key: "approval", createdAt: createdAtOf(project) });
    const tried = (await other.evaluate(`(async () => {
    const ui = ${JSON.stringify(ui.address)};
    const outcome = (promise) => promise.then(() => "done", (error) => error.name);
    const body = ${JSON.stringify(answer)};
    const frame = document.getElementById("inner");
    const shown = new Promise((resolve) => { frame.onload = () => resolve(frame.contentDocument === null); });
    frame.src = ui;
    return {
      read: await outcome(fetch(ui + "runs/calm-otter/node?path=approval", { credentials: "include" })),
      post: await outcome(fetch(ui + "runs/calm-otter", { method: "POST", credentials: "include", body })),
      blind: await outcome(fetch(ui + "runs/calm-otter", { method: "POST", mode: "no-cors", credentials: "include", body })),
      listen: await new Promise((resolve) => {
        const source = new EventSource(ui + "events", { withCredentials: true });
        source.onopen = () => resolve("open");
        source.onerror = () => resolve("refused");
      }),
      framed: await shown,
    };
  })()`)) as object;
    expect(tried).toMatchObject({ read: "TypeError", post: "TypeError", listen: "refused", framed: true });
    expect(await questionsOf(project)).toHaveLength(1);
  },
);

inBrowser(
  "a server on another port of this machine gets no cookie, and cannot lock the page out with its own",
  async () => {
    await using project = await tmpProject({ git: false });
    await begin(project, shipping());
    const ui = await serveUi(project);
    const { context, page } = await browser.open(ui.link);
    await page.waitForSelector(".runs li");
    const heard: (string | null)[] = [];
    const name = `atomic-ui-${new URL(ui.origin).port}`;
    using other = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: ({ headers }) => {
        heard.push(headers.get("cookie"));
        // Only a site that knows the page's address could set the last one.
        const cookies = ["/", "/events", `${new URL(ui.address).pathname}events`];
        return new Response("", { headers: cookies.map((path) => ["set-cookie", `${name}=theirs; Path=${path}`]) });
      },
    });
    const visitor = await context.newPage();
    await visitor.goto(`http://127.0.0.1:${other.port}/`);
    await visitor.goto(`http://127.0.0.1:${other.port}/events`);
    expect([...new Set(heard.join("; ").split("; "))]).toEqual(["", `${name}=theirs`]);
    await page.reload();
    await page.locator(".connection.live").waitFor();
  },
);

inBrowser("a name that was rebound to this machine gets nothing", async () => {
  await using project = await tmpProject({ git: false });
  await begin(project, shipping());
  const ui = await serveUi(project);
  const { port, pathname, search } = new URL(ui.link);
  const { page } = await browser.open(`http://rebound.test:${port}${pathname}${search}`);
  expect(await page.textContent("body")).toContain(`This server only accepts requests to 127.0.0.1:${port}.`);
  const headers = { host: `rebound.test:${port}`, origin: `http://rebound.test:${port}` };
  const { status } = await fetch(`${ui.address}runs/calm-otter`, { method: "POST", headers, body: "{}" });
  expect(status).toBe(421);
  // The link was not used up.
  const real = await browser.open(ui.link);
  await real.page.waitForSelector(".runs li");
});

test("without a browser's headers, nothing is changed, and what is not ours is not understood", async () => {
  await using project = await tmpProject({ git: false });
  await begin(project, shipping());
  const ui = await serveUi(project);
  const admitted = await fetch(ui.link);
  const cookie = admitted.headers.get("set-cookie")?.split(";")[0] ?? "";
  expect(admitted.headers.get("content-security-policy")).toMatch(
    /^default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-[^']+'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'$/,
  );
  const post = async (path: string, body: string, more: Record<string, string> = { origin: ui.origin }) => {
    const response = await fetch(ui.address + path, { method: "POST", headers: { cookie, ...more }, body });
    return { status: response.status, text: await response.text() };
  };
  const createdAt = createdAtOf(project);
  const known = `"createdAt":${createdAt}`;
  expect(await post("runs/calm-otter", `{${known},"do":"cancel"}`, {})).toMatchObject({ status: 403 });
  expect(await post("runs/calm-otter", `{${known},"do":"cancel"}`, { origin: "http://evil.test" })).toMatchObject({
    status: 403,
  });
  for (const body of [
    "",
    "null",
    "7",
    `{"do":"cancel"}`,
    `{"do":"cancel","createdAt":"${createdAt}"}`,
    `{"do":"cancel","createdAt":${createdAt - 1}}`,
    `{${known},"do":"prune"}`,
    `{${known},"do":"answer"}`,
    `{${known},"do":"answer","key":"approval","words":"maybe"}`,
    `{${known},"do":"answer","key":"approval","words":7}`,
    `{${known},"do":"answer","key":"approval","chosen":5}`,
    `{${known},"do":"answer","key":"approval","chosen":["a"]}`,
    `{${known},"do":"answer","key":{"approval":true}}`,
    `{${known},"do":"raise"}`,
    `{${known},"do":"raise","budget":{"usd":"5"}}`,
    `{${known},"do":"raise","budget":{"usd":-5}}`,
    `{${known},"do":"raise","budget":{"steps":1.5}}`,
  ]) {
    expect({ body, ...(await post("runs/calm-otter", body)) }).toMatchObject({
      body,
      status: 409,
      text: expect.stringContaining('"ok":false'),
    });
  }
  expect(await post("runs/nobody", `{${known},"do":"cancel"}`)).toMatchObject({
    status: 409,
    text: expect.stringContaining("no run"),
  });
  expect(await post("runs/..%2f..%2fetc", `{${known},"do":"cancel"}`)).toMatchObject({ status: 409 });
  const long = JSON.stringify({ do: "answer", key: "approval", words: "x".repeat(2_000_000) });
  expect(await post("runs/calm-otter", long)).toMatchObject({ status: 413, text: expect.stringContaining("1 MB") });
  const strange = await new Promise<IncomingMessage>((resolve, reject) => {
    const { hostname, port } = new URL(ui.origin);
    get({ hostname, port, path: "//[" }, resolve).once("error", reject);
  });
  expect(strange.resume()).toMatchObject({ statusCode: 400, headers: { "x-frame-options": "DENY" } });
  expect((await fetch(`${ui.address}elsewhere`, { headers: { cookie } })).status).toBe(404);
  expect((await fetch(`${ui.address}runs/%E0%A4%A/node`, { headers: { cookie } })).status).toBe(400);
  expect(await questionsOf(project)).toHaveLength(1);
});

/** What must be true of a page, whatever models wrote. */
async function checkUnharmed({ page, complaints, requests }: OpenedPage, origin: string): Promise<void> {
  expect(await page.evaluate("window.hit ?? 0")).toBe(0);
  expect(complaints).toEqual([]);
  expect(requests.filter((url) => !url.startsWith(origin) && !url.startsWith("data:image/svg"))).toEqual([]);
  const foreign =
    "script:not([type=module]), img, iframe, object, embed, base, math, video, audio, marquee, template, svg:not(.chart), body style, body link, body meta, [onerror], [onload], [onfocus], [onmouseover]";
  expect(await page.evaluate(`document.querySelectorAll(${JSON.stringify(foreign)}).length`)).toBe(0);
}

inBrowser("fifty texts that want to be markup stay text, live and in a file", async () => {
  expect(new Set(injections).size).toBe(50);
  await using project = await tmpProject();
  const run = await startDemo(project, {
    runId: "calm-otter",
    input: injections.join("\n"),
    script: async function* ({ prompt }) {
      yield { text: prompt };
      yield { tool: "read", input: { filePath: prompt, [prompt]: prompt }, run: () => prompt };
      yield { text: prompt };
      if (prompt === injections[0]) throw new Error(prompt);
    },
    graph: graph({ name: "hostile", state: {} })
      .start(
        mapNode({
          id: "each",
          over: () => injections,
          as: "text",
          onItemError: "continue",
          // biome-ignore lint/suspicious/noExplicitAny: whatever state the graph has
          nodes: (each: any) => each.then(agentNode({ id: "say", prompt: ({ text }: any) => text })),
        }),
      )
      .then(
        askUserNode({
          id: "ask",
          question: injections.join("\n"),
          header: injections[1],
          multiple: true,
          options: injections.map((text) => ({ label: text, description: text })),
        }),
      ),
  });
  await until(run, "wait-started");
  const ui = await serveUi(project);
  const opened = await browser.open(ui.link);
  const { page } = opened;
  await page.waitForSelector(".runs li");
  await show(page, "#/calm-otter/graph");
  await page.getByRole("button", { name: "Show all 50" }).click();
  await page.locator(".node .title").nth(50).waitFor();
  await checkUnharmed(opened, ui.origin);
  expect(await page.locator(".asked").textContent()).toContain(visibleText(injections.join("\n")));
  for (const tab of ["timeline", "log"]) {
    await show(page, `#/calm-otter/${tab}`);
    await page.waitForSelector(".row");
    await checkUnharmed(opened, ui.origin);
  }
  await show(page, "#/calm-otter/graph");
  await page.locator(".node .title").nth(50).waitFor();
  const links = `[...document.querySelectorAll(".node .title")].map((link) => link.getAttribute("href"))`;
  const paths = (await page.evaluate(links)) as string[];
  const read = new Set<string>();
  for (const path of paths.filter((each) => each.includes("say"))) {
    await show(page, path);
    // Not the node before, which is there until the next frame.
    const title = decodeURIComponent(path.split("/").at(-1) ?? "");
    const said = page
      .locator(".panel", { has: page.getByRole("heading", { name: title, exact: true }) })
      .locator(".prompt pre");
    await said.waitFor();
    read.add((await said.textContent()) ?? "");
  }
  expect([...read].toSorted()).toEqual(injections.map(visibleText).toSorted());
  await checkUnharmed(opened, ui.origin);
  // An answer comes back in a notice.
  await show(page, "#/calm-otter/graph");
  await page.locator(".option input").nth(4).check();
  await page.getByRole("button", { name: "Answer" }).click();
  await page.locator(".notice", { hasText: "</style><script>" }).waitFor();
  await checkUnharmed(opened, ui.origin);
  await run.ended;
  const { stdout } = await atomic(project, ["show", "calm-otter", "--html"]);
  await project.write("run.html", stdout);
  const file = pathToFileURL(project.path("run.html")).href;
  const still = await browser.open(file);
  await still.page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true");
  await checkUnharmed(still, file);
  const text = (await still.page.textContent("body")) ?? "";
  expect(injections.filter((each) => !text.includes(visibleText(each)))).toEqual([]);
});
