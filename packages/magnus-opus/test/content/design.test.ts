// What the design says about agents and skills, in the files that the package has of them.
import { describe, expect, test } from "bun:test";
import { readWorkflow } from "@atomic/workflows/internal/plugin/read-workflow";
import { agentSkills, configureAgents, skillTexts } from "../../src/plugin/setup/configure-agents.ts";
import { packageStack } from "../stacks/package-stack.ts";
import { packageDir } from "./published-files.ts";

const skills = skillTexts([`${packageDir}/skills`]);
/** As they are in a project with SvelteKit and Convex. */
const { agents } = configureAgents(readWorkflow(packageDir).agents, {}, skills, packageStack("sveltekit-convex"));

describe("an agent knows its job:", () => {
  test.each([
    ["orchestrator", "#9333EA", undefined, [/never (write|change).* code/i, /magnus_next/]],
    ["architect", "#2563EB", 0.3, [/schema/i, /risk/i, /question|unclear|gap/i, /implementation-plan\.md/]],
    ["developer", "#F97316", undefined, [/SvelteKit/, /Svelte 5/, /runes/i, /Tailwind/, /shadcn-svelte/]],
    ["backend", "#10B981", undefined, [/Convex/, /quer/i, /mutation/i, /action/i, /index/i, /internal/i]],
    ["designer", "#EC4899", undefined, [/design-validation\.md/, /spacing/i, /responsive|width/i, /focus/i]],
    ["ui-developer", "#F472B6", undefined, [/design-validation\.md|findings/i, /severity|first/i]],
    ["reviewer", "#8B5CF6", undefined, [/security/i, /error/i, /type/i]],
    ["plan-reviewer", "#6366F1", undefined, [/requirement/i, /no data, lots/i, /data model/i, /order/i]],
    ["tester", "#14B8A6", undefined, [/testing-report\.md/, /invalid input/i, /375 pixels/, /playwright/i]],
    ["explorer", "#06B6D4", 0.1, [/place|line/i]],
    ["cleaner", "#78716C", undefined, [/archive/i, /magnus_sessions/]],
  ] as const)("%s", (name, color, temperature, words) => {
    expect(agents[name]).toMatchObject({ color, ...(temperature !== undefined && { temperature }) });
    for (const word of words) expect(agents[name]?.prompt).toMatch(word);
  });
});

test("agents have the skills of the design", () => {
  expect({ ...agentSkills, ...packageStack("sveltekit-convex").skills }).toEqual({
    orchestrator: ["multi-agent-coordination", "todowrite-orchestration", "quality-gates"],
    architect: ["quality-gates"],
    developer: ["sveltekit", "shadcn-svelte"],
    backend: ["convex"],
    "ui-developer": ["sveltekit", "shadcn-svelte"],
  });
});

test.each([
  ["sveltekit", [/\$state/, /\$derived/, /\$effect/, /\$props/, /load/, /actions/]],
  ["convex", [/defineSchema/, /query\(/, /mutation\(/, /internalAction\(/, /withIndex/]],
  ["shadcn-svelte", [/Tailwind/, /Dialog/]],
  ["quality-gates", [/user_approval/, /pass_or_fix/, /all_tests_pass/, /all_reviewers_approve/]],
  ["todowrite-orchestration", [/todowrite/i]],
  ["multi-agent-coordination", [/4-Message Pattern/, /parallel|at once/i]],
  ["error-recovery", [/again|retry|repeat/i]],
] as const)("the skill %s is about what the design says", (name, words) => {
  for (const word of words) expect(skills.get(name)?.text).toMatch(word);
});
