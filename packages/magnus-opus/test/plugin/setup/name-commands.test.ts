import { expect, test } from "bun:test";
import { mergeUnder } from "@atomic/workflows/internal/plugin/merge-under";
import type { OpencodeConfig } from "@atomic/workflows/internal/plugin/opencode-config";
import { readWorkflow } from "@atomic/workflows/internal/plugin/read-workflow";
import { packageRoot } from "../../../src/package-root.ts";
import type { MagnusSettings } from "../../../src/plugin/live/settings.ts";
import { isCommandTaken, nameCommands, ourCommand } from "../../../src/plugin/setup/name-commands.ts";
import { withCommands } from "../../../src/run/command-names.ts";

const workflow = readWorkflow(packageRoot, {});

function named(config: OpencodeConfig, commands = workflow.commands) {
  const settings: Pick<MagnusSettings, "commandNames" | "commands"> = { commandNames: {}, commands: {} };
  return { settings, ours: nameCommands({ ...workflow, commands }, settings, (name) => isCommandTaken(config, name)) };
}

test.each<[string, OpencodeConfig, boolean]>([
  ["nothing", {}, false],
  ["an entry that only tunes ours", { command: { approve: { agent: "build", model: "a/b" } as never } }, false],
  ["a Markdown file without a body", { command: { approve: { template: " \n", subtask: false } } }, false],
  ["a command", { command: { approve: { template: "Approve the pull request." } } }, true],
])("%s: whether the name is taken", (_, config, is) => {
  expect(isCommandTaken(config, "approve")).toBe(is);
});

test("another workflow's command has its name, and ours from another copy of the package does not", () => {
  const owners = Symbol.for("@atomic/workflows owners");
  const config = (owner: string) => ({
    command: { approve: { template: "x" } },
    [owners]: new Map([["command approve", owner]]),
  });
  expect(isCommandTaken(config("pull-requests"), "approve")).toBe(true);
  expect(isCommandTaken(config("magnus-opus"), "approve")).toBe(false);
});

test("without a clash, every command keeps its name", () => {
  const { ours, settings } = named({ command: { deploy: { template: "Deploy it." } } });
  expect(ours).toEqual(workflow);
  expect(settings.commandNames).toEqual({});
});

test("with one, yours stays byte for byte, and ours follows its new name", () => {
  const user = {
    command: {
      approve: { template: "Approve the pull request." },
      cleanup: { template: "Tidy up.", description: "Mine" },
      "magnus-cleanup": { template: "Mine, too." },
      "magnus-status": { template: "Whose status?" },
    },
  };
  const { settings, ours } = named(user);
  expect(settings.commandNames).toEqual({
    approve: "magnus-approve",
    cleanup: "magnus-opus-cleanup",
    "magnus-status": "magnus-opus-status",
  });
  const { command = {} } = mergeUnder(user, ours).config;
  for (const [name, entry] of Object.entries(user.command)) expect(command[name]).toBe(entry);
  expect(command["magnus-approve"]).toEqual({
    ...workflow.commands.approve,
    template: workflow.commands.approve!.template.replace("`/approve ", "`/magnus-approve "),
  } as never);
  expect(Object.keys(command)).not.toContain("magnus-reject");
});

test("a short name that you use is not claimed", () => {
  const claimed = { ...workflow.commands, review: workflow.commands["magnus-review"]! };
  const { ours, settings } = named({ command: { review: { template: "Mine." } } }, claimed);
  expect(Object.keys(ours.commands)).toEqual(Object.keys(workflow.commands));
  expect(settings.commandNames).toEqual({});
  expect(named({}, claimed).settings.commands.review).toMatchObject({ ours: "magnus-review" });
});

test("a command is ours by its text, not by its name", () => {
  const { settings } = named({ command: { approve: { template: "Approve the pull request." } } });
  const text = (name: string) => settings.commands[name]!.template.replace("$99999", "");
  expect(ourCommand(settings, "magnus-approve", text("magnus-approve"))).toBe("approve");
  expect(ourCommand(settings, "reject", `${text("reject")}\n`)).toBe("reject");
  expect(ourCommand(settings, "approve", "Approve the pull request.")).toBe(undefined);
  expect(ourCommand(settings, "approve", text("magnus-approve"))).toBe(undefined);
  expect(ourCommand(settings, "reject", "Reject the pull request.")).toBe(undefined);
  expect(ourCommand(settings, "reject", undefined)).toBe(undefined);
});

test("only commands are renamed in a text, not paths or other commands", () => {
  const names = { approve: "magnus-approve" };
  const text = "Type `/approve`, `/approve --type=<type>`, /approve-all, src/approve, /approve/x or `/reject <x>`.";
  expect(withCommands(text, names)).toBe(
    "Type `/magnus-approve`, `/magnus-approve --type=<type>`, /approve-all, src/approve, /approve/x or `/reject <x>`.",
  );
  expect(withCommands(withCommands(text, names), names)).toBe(withCommands(text, names));
});
