// The plugins draw, ask and start runs in OpenCode, on other versions, too. Those weigh 150 MB each and are installed once; others can
// be asked for.
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { opencodeOf } from "../../packages/magnus-opus/test/versions/other-opencode.ts";
import { isHere, isOnLinux, OpencodeTerminal } from "./opencode-terminal.ts";
import { workflows } from "./workflows.ts";

setDefaultTimeout(300_000);

const wanted = process.env.OPENCODE_VERSIONS ?? (isHere ? "1.17.19,1.15.13" : "");
const others = wanted.split(",").filter((version) => version !== "");

describe.each(["installed", ...others])("OpenCode %s", (version) => {
  test.if(isOnLinux)(
    "has the status line, hints, /run, a dialog whose answer continues the run, the tree and the page",
    async () => {
      const setup = { plugins: ["@atomic/cli", "magnus-opus"], files: workflows, port: true, cols: 140 } as const;
      await using oc = await OpencodeTerminal.open({ ...setup, opencode: opencodeOf(version) });
      const { term, model } = oc;
      if (version !== "installed") await oc.see(version);
      await oc.type("/sh");
      await oc.see("Ships a version (workflow)");
      term.press("tab");
      await oc.see("<version> | --times <n>");
      model.expect("Look around").reply("It is nice here.");
      await oc.type("1.4.0");
      await oc.gone("<version>");
      term.press("enter");
      await oc.see("enter answer · esc later");
      await oc.see("asks: Ship it?");
      term.press("enter");
      await oc.gone("enter answer");
      await oc.type("/runs");
      await oc.see("What this project's workflows are doing");
      term.press("enter");
      await oc.see("Runs of this project");
      term.press("a");
      await oc.see("enter answer · esc later");
      term.press("down", "enter");
      await oc.see(/ship +done/);
      term.press("enter");
      await oc.see("✓ publish");
      term.press("s");
      await oc.see("It is nice here.");
      await oc.see("✓ publish");
      // A text field has the focus of its own.
      const asked = await oc.shell("run", "interview");
      await oc.see("SQLite");
      await oc.see("enter answer");
      term.press("down", "enter");
      await oc.see("❯ [ ] api");
      await oc.see("enter answer");
      term.press("space", "enter");
      await oc.see("Your answer");
      model.expect("Try it").reply("It works.");
      await oc.type("The Tower");
      await oc.see("The Tower");
      await oc.see("enter send");
      term.press("enter");
      expect((await asked.ended()).stdout).toBe('["SQLite",["api"],"The Tower","It works."]\n');
      model.verify();
    },
  );
});
