// What goes wrong in or near the plugin is reported once, and OpenCode continues.
import { expect, setDefaultTimeout, test } from "bun:test";
import { mkdir, rmdir } from "node:fs/promises";
import { isHere, OpencodeTerminal } from "./opencode-terminal.ts";
import { workflows } from "./workflows.ts";

setDefaultTimeout(240_000);

/** Another plugin's prompt, which has no room for hints. */
const ownPrompt = `export default {
  id: "own-prompt",
  tui: async (api) => {
    api.slots.register({ order: 1, slots: { home_prompt: (_context, { ref }) => api.ui.Prompt({ ref }) } });
  },
};
`;

test.if(isHere)(
  "a run that cannot be read is one message; the others are shown, and a replaced prompt turns hints off",
  async () => {
    const files = {
      ...workflows,
      "own-prompt.js": ownPrompt,
      "tui.json": { plugin: ["./own-prompt.js"] },
      // Not a run's name: hints and commands work all the same.
      ".atomic/runs/calm-otter (copy)/journal.jsonl": "",
      ".atomic/runs/broken-run/journal.jsonl": '{"n":1,"event":{"type":"step-finished","key":"a"}}\n',
    };
    await using oc = await OpencodeTerminal.open({ plugins: ["@atomic/cli"], files });
    const { term, project } = oc;
    await oc.see("Cannot show the run broken-run");
    await oc.toastsGone();
    // It changes, and is still broken; but it was said.
    await project.write(
      ".atomic/runs/broken-run/journal.jsonl",
      '{"n":1,"event":{"type":"step-finished","key":"b"}}\n',
    );
    const run = await oc.shell("run", "confirm");
    await oc.see("enter answer · esc later");
    expect(oc.term.screen().join("\n")).not.toContain("Cannot show");
    // What you do yourself always has an answer, also if something failed before.
    const [id = ""] = oc.runIds().filter((each) => /^[a-z]+-[a-z]+$/.test(each) && each !== "broken-run");
    await mkdir(project.path(`.atomic/runs/${id}/inbox.jsonl`));
    term.press("down", "enter");
    await oc.see(/Atomic[\s\S]*inbox\.jsonl/);
    await oc.toastsGone();
    await rmdir(project.path(`.atomic/runs/${id}/inbox.jsonl`));
    expect((await run.ended()).code).not.toBe(0);
    const other = await oc.shell("run", "confirm");
    await oc.see("enter answer · esc later");
    term.press("down", "enter");
    expect((await other.ended()).stdout).toBe("sure: true\n");
    await oc.type("/fix ");
    await oc.see("Another plugin has replaced OpenCode's prompt");
    expect(oc.term.screen().join("\n")).not.toContain("<issue>");
    await oc.gone("Another plugin");
    await oc.type("1");
    await oc.see("/fix 1");
    term.press("backspace");
    // Commands work all the same, and the notice is not repeated.
    term.press("ctrl+u");
    await oc.type("/ship ");
    await oc.see("/ship ");
    expect(oc.term.screen().join("\n")).not.toContain("Another plugin");
  },
);
