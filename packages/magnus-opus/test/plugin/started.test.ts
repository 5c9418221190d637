// What is reported when a run begins, and what the session settings do then.
import { expect, test } from "bun:test";
import { openJournal } from "@atomic/durable-files/journal/journal";
import type { EventOf } from "../../src/run/event.ts";
import { defaultRunOptions } from "../../src/run/run-options.ts";
import { OpencodeWithMagnus } from "./opencode-with-magnus.ts";

const old = "impl-20200118-143052-a1b2c3-user-profile";
const at = Date.parse("2020-01-18T14:30:52.000Z");

/** The journal of a run that was cancelled long ago. */
async function cancelledRun(dir: string): Promise<void> {
  const folder = `ai-docs/sessions/${old}`;
  await using journal = await openJournal(`${dir}/${folder}/journal.jsonl`);
  const started: EventOf<"run-started"> = {
    ...{ type: "run-started", at, by: { kind: "plugin" }, run: old, flow: "implement", workflow: "MIXED" },
    ...{ description: "long ago", session: "ses_old", worktree: dir, folder, options: defaultRunOptions },
  };
  await journal.append(started);
  await journal.append({ type: "cancelled", at, by: { kind: "person", how: "command" }, why: "" });
  journal.close();
}

test("a new run reports its folder, its type with the reason, its next step, and which sessions were removed", async () => {
  const sessionSettings = { includeDescriptor: false, autoCleanup: true, retentionDays: 7 };
  await using opencode = await OpencodeWithMagnus.open({
    ".opencode/magnus-opus.json": { sessionSettings },
    [`ai-docs/sessions/${old}/session-meta.json`]: "{}",
  });
  const { model, project } = opencode;
  await cancelledRun(project.dir);
  model
    .expect(/Start a run with `magnus_start`/)
    .tool("magnus_start", { command: "implement", arguments: "" })
    .then.reply("begun");
  const session = await opencode.session();
  await opencode.type(session, "implement", "a page with a form");
  const { run, folder } = opencode.state(session);
  expect(run).toMatch(/^impl-\d{8}-\d{6}-[0-9a-f]{6}$/);
  const [started] = await opencode.results(session);
  expect(started).toContain(`Its session folder is \`${folder}\``);
  expect(started).toMatch(/Workflow type: UI_FOCUSED \(\d+ % sure; UI: .*page/);
  expect(started).toContain("## Now: Requirements Gathering");
  expect(started).toContain("Removed 1 old sessions, as configured.");
  expect(await project.exists(`ai-docs/sessions/${old}`)).toBe(false);
}, 180_000);
