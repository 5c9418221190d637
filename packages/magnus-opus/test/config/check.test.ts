import { describe, expect, test } from "bun:test";
import { isDeepStrictEqual } from "node:util";
import { parseJsonc } from "@atomic/durable-files/jsonc/parse";
import fc from "fast-check";
import { checkConfig } from "../../src/config/check.ts";

const check = (text: string) => checkConfig(parseJsonc(text, { file: "magnus-opus.jsonc" }));

test("a config without errors is used unchanged, comments included", () => {
  const text = `{
    // mine
    "agents": { "developer": { "temperature": 0.2, "permission": { "bash": { "git *": "allow" }, "edit": "ask" }, }, },
    "reviewModels": { "autoUse": true },
  }`;
  expect(check(text)).toEqual({
    config: {
      agents: { developer: { temperature: 0.2, permission: { bash: { "git *": "allow" }, edit: "ask" } } },
      reviewModels: { autoUse: true },
    },
    problems: [],
  });
});

describe("only the bad field is ignored, and its position is reported", () => {
  const rows: readonly [text: string, config: object, problem: string][] = [
    [
      '{ "agents": { "developer": { "temperature": 9, "top_p": 1 } } }',
      { agents: { developer: { top_p: 1 } } },
      "1:45: agents.developer.temperature is above 2",
    ],
    ['{ "agents": { "x": 3, "y": {} } }', { agents: { y: {} } }, "1:20: agents.x is not an object"],
    [
      '{ "disabled_agents": ["a", 3, "b"] }',
      { disabled_agents: ["a", "b"] },
      "1:28: disabled_agents[1] is not a string",
    ],
    ['{ "disabled_agents": "a" }', {}, "1:22: disabled_agents is not a list"],
    [
      '{ "categories": { "fast": { "thinking": {} } } }',
      { categories: { fast: {} } },
      "1:41: categories.fast.thinking has no type",
    ],
    ['{ "disabled_agent": [] }', {}, "1:21: disabled_agent is not a setting (did you mean disabled_agents?)"],
    [
      '{ "agents": { "x": { "promt": "" } } }',
      { agents: { x: {} } },
      "1:31: agents.x.promt is not a setting (did you mean prompt?)",
    ],
    [
      '{ "agents": { "x": { "model": "sonnet" } } }',
      { agents: { x: {} } },
      "1:31: agents.x.model is not a model in the form provider/model",
    ],
    [
      '{ "agents": { "x": { "color": "red" } } }',
      { agents: { x: {} } },
      "1:31: agents.x.color is not a color such as #9333ea",
    ],
    [
      '{ "agents": { "x": { "permission": { "bash": "yes", "edit": "deny" } } } }',
      { agents: { x: { permission: { edit: "deny" } } } },
      "1:46: agents.x.permission.bash must be allow, ask or deny, or patterns that map to one of them",
    ],
    ['{ "model_preset": "opus" }', {}, "1:19: model_preset is not one of inherit, classic"],
    ['{ "tests": { "command": [] } }', { tests: {} }, "1:25: tests.command is empty"],
    ['{ "budget": { "usd": 0, "tokens": -1 } }', { budget: { usd: 0 } }, "1:35: budget.tokens is below 0"],
    ["[]", {}, "1:1: the whole value is not an object"],
  ];

  test.each(rows)("%s", (text, config, problem) => {
    const checked = check(text);
    expect(checked.config).toEqual(config);
    expect(`${checked.problems[0]?.at}: ${checked.problems[0]?.message}`).toBe(
      `magnus-opus.jsonc:${problem}, so it is ignored`,
    );
  });

  test("several errors are reported in schema order", () => {
    const { config, problems } = check('{ "disabled_skills": [1, "a", 2], "gates": { "quorum": 0 }, "x": 1 }');
    expect(config).toEqual({ disabled_skills: ["a"], gates: {} });
    expect(problems.map(({ at }) => at.replace("magnus-opus.jsonc:", ""))).toEqual(["1:23", "1:31", "1:56", "1:66"]);
  });
});

test("whatever a file contains, the rest is valid and every ignored value is reported", () => {
  const names = fc.constantFrom("agents", "categories", "disabled_agents", "tests", "budget", "model", "usd", "x");
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof({ maxDepth: 4 }, fc.constantFrom(0, 1, "a/b", "allow", true, null), tie("list"), tie("object")),
    list: fc.array(tie("value"), { maxLength: 3 }),
    object: fc.dictionary(names, tie("value"), { maxKeys: 4 }),
  }));
  fc.assert(
    fc.property(value, (given) => {
      const text = JSON.stringify(given);
      const { config, problems } = check(text);
      expect(check(JSON.stringify(config))).toEqual({ config, problems: [] });
      // Keys come in the order of the schema.
      expect(problems.length > 0).toBe(!isDeepStrictEqual(config, JSON.parse(text)));
    }),
  );
});
