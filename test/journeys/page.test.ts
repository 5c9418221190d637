// A user watches runs on the real OpenCode in a real browser, answers one there and cancels another.
import { beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { installedChromium, launchChromium } from "@atomic/testing/chromium";
import { modelServer } from "@atomic/testing/model-server";
import { opencodeConfig } from "@atomic/testing/opencode/config";
import { tmpProject } from "@atomic/testing/project";
import { serveUi, show } from "../../packages/atomic/test/page/opened.ts";
import { buildAtomic } from "./atomic.ts";

setDefaultTimeout(240_000);
const chromium = installedChromium();
if (!chromium.available) console.warn(`skipped: runs on the real OpenCode in a browser: ${chromium.reason}`);
beforeAll(buildAtomic);

const bin = join(import.meta.dirname, "../../packages/atomic/bin/atomic.js");

const workflow = `import { agentNode, defineGraph, waitNode } from "@atomic/workflows";
export default defineGraph({ name: "mend" }, (graph) =>
  graph
    .start(agentNode({ id: "look", prompt: "Look at the boat." }))
    .wait(waitNode({ id: "approval", prompt: "The plan:\\n\\n1. caulk the seam\\n2. paint it\\n\\nMend the boat?" }))
    .then(agentNode({ id: "mend", prompt: "Mend the boat.", permissions: { edit: "allow", bash: "ask" } })));
`;

const endless = `import { agentNode, defineGraph } from "@atomic/workflows";
export default defineGraph({ name: "sail" }, (graph) => graph.start(agentNode({ id: "sail", prompt: "Sail away." })));
`;

test.skipIf(!chromium.available)(
  "a run is watched, answered and followed to its end; another one is cancelled",
  async () => {
    await using model = await modelServer();
    await using project = await tmpProject({
      files: {
        ".atomic/workflows/mend.ts": workflow,
        ".atomic/workflows/sail.ts": endless,
        "boat.md": "The seam is open.\n",
        "~/.config/opencode/opencode.json": opencodeConfig(model),
      },
    });
    const gate = model.gate();
    model.expect("Look at the boat.").slow(["The seam ", "is open."], gate);
    model
      .expect("Mend the boat.")
      .tool("read", { filePath: project.path("boat.md") })
      .then.tool("edit", { filePath: project.path("boat.md"), oldString: "open", newString: "closed" })
      .then.tool("bash", { command: "echo sanded > sanded.md", description: "sands" })
      .then.reply("The boat is **mended**.");
    const ui = await serveUi(project);
    await using browser = await launchChromium();
    const { page, complaints } = await browser.open(ui.link);
    await page.locator("main", { hasText: "There are no runs yet." }).waitFor();

    const run = await project.start(["node", bin, "run", "mend", "--json"]);
    await page.getByRole("link", { name: /^mend / }).click();
    await gate.reached();
    await page.locator(".node.running .title", { hasText: "look" }).waitFor();
    gate.release();
    // What the agent says is there while it says it.
    await page.locator(".last-word", { hasText: "The seam" }).waitFor();
    gate.open();
    await page.locator(".asked", { hasText: "2. paint it" }).waitFor();
    await page.getByRole("button", { name: "Yes" }).click();
    await page.locator(".asked", { hasText: "wants to use bash: echo sanded" }).waitFor();
    await page.getByRole("button", { name: "Allow once" }).click();
    await page.locator(".status", { hasText: /^done$/ }).waitFor();
    expect((await run.exited).code).toBe(0);
    expect(await project.read("sanded.md")).toBe("sanded\n");

    await page.getByRole("link", { name: "mend", exact: true }).click();
    const panel = page.locator(".panel");
    await panel.locator(".diff .added", { hasText: "+The seam is closed." }).waitFor();
    expect(await panel.locator(".long").first().textContent()).toBe("The boat is **mended**.");
    expect(await panel.locator(".session code").textContent()).toMatch(/^opencode --session ses_\w+$/);
    const tools = await panel.locator(".talk .tool summary b").allTextContents();
    expect(tools).toEqual(["read", "edit", "bash"]);

    model.expect("Sail away.").reply("hm").hang();
    const asked = model.waitFor("Sail away.", { deadline: 120_000 });
    const other = await project.start(["node", bin, "run", "sail", "--json"]);
    const ended = other.exited.then(() => Promise.reject(new Error(`It ended: ${other.stdout}${other.stderr}`)));
    const request = await Promise.race([asked, ended]);
    ended.catch(() => undefined); // it ends when it is cancelled
    // The model may have been asked before this process has read the first line.
    const [, runId = ""] = await other.printed(/"runId":"([^"]+)"/, 60_000);
    await show(page, `#/${runId}/graph`);
    await page.getByRole("button", { name: "Cancel the run…" }).click();
    await page.getByRole("button", { name: "Yes, cancel it" }).click();
    await page.locator(".status", { hasText: /^cancelled$/ }).waitFor();
    expect((await other.exited).code).toBe(8);
    expect(await request.ended).toBe("aborted");
    expect(complaints).toEqual([]);
  },
);
