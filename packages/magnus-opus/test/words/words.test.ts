import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../../src/package-root.ts";
import { toolNames } from "../../src/plugin/tools/tool-names.ts";
import { tools } from "../../src/plugin/tools/tools.ts";
import { nextStep } from "../../src/run/next-step.ts";
import * as persons from "../../src/run/person-actions.ts";
import { reduce } from "../../src/run/reduce.ts";
import type { MagnusState } from "../../src/run/state.ts";
import { helpWords } from "../../src/words/help-words.ts";
import { statusWords } from "../../src/words/status-words.ts";
import { stepWords } from "../../src/words/step-words.ts";
import { fill, words } from "../../src/words/template.ts";
import { plugin, SimulatedRun, started } from "../run/simulated-run.ts";

describe("words are filled in", () => {
  test("where they have placeholders, once", () => {
    expect(fill("a {{b}} c {{b}}", { b: "{{c}}" })).toBe("a {{c}} c {{c}}");
  });
  test("lines and paragraphs with only empty placeholders are omitted, with their headings", () => {
    const template = "Top\n\nList:\n{{a}}\n\n{{b}}\nkept {{c}}";
    expect(fill(template, { a: "", b: "", c: "." })).toBe("Top\n\nkept .");
  });
  test("a placeholder without a value is a bug", () => {
    expect(() => fill("{{a}}", {}, "x")).toThrow("words/x.md needs {{a}}");
    expect(() => fill("{{constructor}}", {})).toThrow("needs {{constructor}}");
  });
});

/** Every state of whole runs, with all that can go wrong on the way. */
function statesOf(workflow: MagnusState["workflow"]): MagnusState[] {
  const run = new SimulatedRun({ workflow }, { planRounds: 1, designRounds: 1, codeRounds: 1, rejectsPlan: true });
  run.play();
  const states: MagnusState[] = [];
  run.events.reduce<MagnusState | undefined>((state, event) => {
    const next = reduce(state, event)!;
    states.push(next);
    return next;
  }, undefined);
  return states;
}

describe("every step of a run is described briefly", () => {
  test.each(["UI_FOCUSED", "API_FOCUSED", "MIXED", "UNCLEAR"] as const)("%s", (workflow) => {
    for (const state of statesOf(workflow)) {
      const step = stepWords(state);
      expect(step.length).toBeLessThan(2_600);
      expect(`${step}${statusWords(state)}`).not.toMatch(/\{\{|undefined|\[object/);
    }
  });

  test("a step says who does what, and what is missing", () => {
    const run = new SimulatedRun({ workflow: "MIXED" });
    run.step();
    expect(stepWords(run.state)).toContain("Delegate to `architect`");
    const unable = { architect: "The agent `architect` is another's.", tester: "The agent `tester` is, too." };
    expect(stepWords(run.state, unable)).toContain("quick-reference.md\n- The agent `architect` is another's.\n");
    expect(stepWords(run.state, unable)).not.toContain("`tester` is, too");
    expect(stepWords(run.state, unable)).toContain(
      "Delegate to `architect` (not available: tell the user why, see below)",
    );
    expect(stepWords(run.state)).toContain(`${run.state.folder}/implementation-plan.md`);
    run.step();
    run.step();
    expect(stepWords(run.state)).toContain("## The run is waiting for the user (plan-review)");
    expect(stepWords(run.state)).toContain(`Read first: \`${run.state.folder}/implementation-plan.md\``);
    expect(stepWords(run.state)).toContain("`/approve`");
    expect(stepWords(run.state)).toContain("`/reject <what to change>`");
  });

  test("work that was sent back comes with the reason", () => {
    const findings = statesOf("UI_FOCUSED").filter((state) => state.phase === "review-fixes");
    expect(stepWords(findings[0]!)).toContain("- MAJOR src/a.ts:3 wrong Fix: right");
    const rejected = statesOf("UI_FOCUSED").find((state) => state.rejections.length > 0)!;
    expect(stepWords(rejected)).toContain("> smaller");
  });

  test("a pause and an end are recognizable", () => {
    const paused = reduce(started(), {
      type: "paused",
      at: 1,
      by: plugin,
      reason: "abort",
      detail: "the user stopped it",
    });
    expect(stepWords(paused)).toContain("## The run is paused (abort)");
    expect(statusWords(paused)).toContain("paused (abort): the user stopped it");
    const done = statesOf("UI_FOCUSED").at(-1)!;
    expect(nextStep(done).do).toBe("over");
    expect(stepWords(done)).toContain(`\`${done.folder}/final-summary.md\``);
  });
});

test("every tool has a description, and no file in words/ is unused", () => {
  expect(tools.map(({ name }) => name)).toEqual([...toolNames]);
  for (const { name } of tools) expect(words(`tools/${name}`)).not.toBe("");
  const files = readdirSync(join(packageRoot, "words"), { recursive: true, encoding: "utf8" });
  const names = files.filter((file) => file.endsWith(".md")).map((file) => file.slice(0, -3).replaceAll("\\", "/"));
  const sources = readdirSync(join(packageRoot, "src"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => readFileSync(join(packageRoot, "src", file), "utf8"))
    .join("\n");
  const byPattern = /^(phases|tools)\/|^tdd-|^review\/(plan|code)-review$/;
  expect(names.filter((name) => !byPattern.test(name) && !sources.includes(`"${name}"`))).toEqual([]);
});

describe("help", () => {
  const facts = {
    agents: { reviewer: { description: "Judges", model: "a/b" }, tester: { description: "Tries", disable: true } },
    names: {},
    commandNames: {},
    files: ["/p/.opencode/magnus-opus.json"],
    problems: ["/p/.opencode/magnus-opus.json:3:5 agents.x is not a setting, and is left out."],
    unable: {},
    ...{
      stack: { stack: { name: "python", title: "Python" }, why: "because of pyproject.toml" },
      userFile: "/home/me/magnus-opus.json",
      projectFile: "/p/.opencode/magnus-opus.json",
      schemaFile: "/s.json",
    },
  };
  test("about one topic, or about all", () => {
    expect(helpWords("agents", facts)).toContain("| `reviewer` | Judges | a/b |");
    expect(helpWords("Agents ", facts)).toContain("| `tester` | Tries (switched off) | the session's |");
    expect(helpWords("config", facts)).toContain("- /p/.opencode/magnus-opus.json:3:5 agents.x");
    expect(helpWords("config", facts)).toContain("Stack: Python (`python`), because of pyproject.toml");
    expect(helpWords("config", { ...facts, problems: [] })).not.toContain("Ignored because");
    expect(helpWords("", facts).match(/^## /gm)).toHaveLength(4);
    expect(helpWords("all", facts)).toBe(helpWords("", facts));
  });
  test("shows our agents under the names that they have in OpenCode", () => {
    const names = { tester: "magnus-tester" };
    const renamed = helpWords("", { ...facts, names });
    expect(renamed).toContain("You have an agent `tester`, so ours is called `magnus-tester`.");
    expect(renamed).toContain("`developer` builds, `designer` and `magnus-tester` check");
  });
  test("about the settings names agents that cannot do their part", () => {
    expect(helpWords("config", facts)).not.toContain("cannot do their job");
    const unable = { reviewer: "The agent `reviewer` may not write its reports." };
    expect(helpWords("config", { ...facts, unable })).toEndWith(
      "Agents that cannot do their job:\n\n- The agent `reviewer` may not write its reports.",
    );
  });
  test("about an unknown topic lists the topics", () => {
    expect(helpWords("comands", facts)).toContain("Did you mean commands?");
    expect(helpWords("weather", facts)).toContain("Topics are commands, agents, workflows, config.");
    expect(helpWords("constructor", facts)).toContain('There is no help for "constructor"');
  });
  test("about commands lists every command of the package", () => {
    const names = readdirSync(join(packageRoot, "commands")).map((file) => file.slice(0, -3));
    const rows = helpWords("commands", facts).match(/(?<=^\| `\/)[\w-]+/gm) ?? [];
    expect(rows.toSorted()).toEqual(names.toSorted());
  });
});

test("a check that passed before the files changed is shown as outdated", () => {
  const run = new SimulatedRun({}, { failingRuns: 1 });
  while (run.state.phase !== "acceptance") if (!run.step()) run.person(persons.approve);
  expect(statusWords(run.state)).toContain("✓ Code Review (outdated: the files have changed since)");
  expect(statusWords(run.state)).toContain("✓ Plan Review ");
  const quiet = new SimulatedRun();
  while (quiet.state.phase !== "acceptance") if (!quiet.step()) quiet.person(persons.approve);
  expect(statusWords(quiet.state)).toContain("✓ Code Review ");
});

test("the design's address is in every step that needs it, and in the status", () => {
  const figmaUrl = "https://figma.test/file";
  const without: string[] = [];
  const run = new SimulatedRun({ options: { figmaUrl } }, { designRounds: 1, codeRounds: 1 });
  for (let steps = 0; steps < 40 && run.state.status.kind === "running"; steps++) {
    expect(statusWords(run.state)).toContain(figmaUrl);
    const step = stepWords(run.state);
    if (step.startsWith("## Now") && !step.includes(figmaUrl)) without.push(run.state.phase);
    if (!run.step()) run.person(persons.approve);
  }
  expect(new Set(without)).toEqual(new Set(["code-review", "acceptance", "cleanup"]));
});

test("a status fits on one screen of a terminal", () => {
  for (const state of statesOf("MIXED")) expect(statusWords(state).split("\n").length).toBeLessThan(24);
});
