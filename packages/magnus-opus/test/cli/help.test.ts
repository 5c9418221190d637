import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { displayWidth } from "@atomic/terminal/width";
import * as typed from "../../src/run/person-commands.ts";
import { ProjectWithRuns } from "./project-with-runs.ts";

const names = ["approve", "reject", "waive", "resume", "cancel", "raise", "status", "timeline", "list", "doctor"];

test("help lists all commands and exit codes, and explains what a script that approves means", async () => {
  await using project = await ProjectWithRuns.make();
  for (const words of [["--help"], ["-h"], ["help"]]) {
    const { code, out } = await project.magnus(...words);
    expect(code).toBe(0);
    for (const name of names) expect(out).toMatch(new RegExp(`^  ${name} .*  \\S`, "m"));
    expect(out).toContain("If a script approves, you have approved in advance;");
  }
});

test.each(names)("%s has its own help with an example, on lines that fit", async (name) => {
  await using project = await ProjectWithRuns.make();
  const { code, out } = await project.magnus(name, "--help");
  expect(code).toBe(0);
  expect(out).toStartWith(`Usage: magnus-opus ${name}`);
  expect(out).toContain(`  $ magnus-opus ${name}`);
  expect((await project.magnus("help", name)).out).toBe(out);
  for (const line of out.split("\n")) expect(displayWidth(line)).toBeLessThanOrEqual(120);
});

test.each([
  [["aprove"], 'unknown command "aprove" (did you mean "approve"?)'],
  [["timeline", "--htlm"], "unknown option --htlm (did you mean --html?)"],
  [["approve"], "missing argument <run>"],
  [["reject", "impl-1"], "missing argument <what to change>"],
  [["waive", "impl-1"], "missing argument <gate> <reason>\n"],
  [["list", "x"], "unexpected argument x"],
  [["timeline", "a", "b"], "unexpected argument b"],
  [["timeline", "--html", "a.html", "b.html"], "unexpected argument b.html"],
  [["approve", "x", "--type"], "option --type needs a value: --type <type>"],
])("%p is wrong, and it says how", async (words, message) => {
  await using project = await ProjectWithRuns.make();
  const { code, out, err } = await project.magnus(...words);
  expect([code, out]).toEqual([2, ""]);
  expect(err).toContain(message);
  expect(err).toEndWith("\n");
});

test("every command named in a refusal exists", async () => {
  typed.offerCommands({ commands: "shell" });
  const run = { run: "impl-1", commandNames: {} };
  const said = [
    ...[
      typed.personCommand(run, "approve"),
      typed.personCommand(run, "type"),
      typed.personCommand(run, "waive", "phase"),
      typed.personCommand(run, "reject"),
    ],
    ...[
      typed.personCommand(run, "resume"),
      typed.personCommand(run, "cancel"),
      typed.personCommand(run, "raise", "usd"),
    ],
  ].join("\n");
  const named = [...said.matchAll(/`magnus-opus (\w+)/g)].map(([, name]) => name!);
  expect(named).toHaveLength(7);
  for (const name of named) expect(names).toContain(name);
});

test("the version is the package's", async () => {
  await using project = await ProjectWithRuns.make();
  const { version } = JSON.parse(readFileSync(join(import.meta.dirname, "../../package.json"), "utf8"));
  expect((await project.magnus("--version")).out).toBe(`${version}\n`);
});
