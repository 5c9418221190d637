import { describe, expect, test } from "bun:test";
import { readStartArguments, type StartArguments } from "../../src/run/start-arguments.ts";

const plain: StartArguments = { description: "a page", skipPlanReview: false };

describe("what the user types after /implement", () => {
  const rows: readonly [string, Partial<StartArguments>][] = [
    ["a page", {}],
    ["  a   page ", {}],
    ['"a page"', {}],
    ["a page --figma https://figma.test/f", { figmaUrl: "https://figma.test/f" }],
    ["--figma=https://figma.test/f?a=b a page", { figmaUrl: "https://figma.test/f?a=b" }],
    ["a page --figma_url=https://figma.test/F", { figmaUrl: "https://figma.test/F" }],
    ["a --skip-plan-review page", { skipPlanReview: true }],
    ["a page --skip_plan_review", { skipPlanReview: true }],
    ["a page --type UI_FOCUSED", { type: "UI_FOCUSED" }],
    ["a page --type=api", { type: "API_FOCUSED" }],
    ["a page --type mixed", { type: "MIXED" }],
    ["-- a page", {}],
    ["--type ui -- a page --with a --flag", { type: "UI_FOCUSED", description: "a page --with a --flag" }],
    ["a page - with a dash", { description: "a page - with a dash" }],
    ["say \"hello\" and 'bye'", { description: "say \"hello\" and 'bye'" }],
    ["", { description: "" }],
  ];
  test.each(rows)("%s", (text, expected) => {
    expect(readStartArguments("implement", text)).toEqual({ ok: { ...plain, ...expected } });
  });
});

describe("what the user types after /magnus-review", () => {
  const rows: readonly [string, Partial<StartArguments>][] = [
    ["", { description: "" }],
    ["src --models a/1,b/2", { description: "src", models: ["a/1", "b/2"] }],
    ["--models=a/1, b/2 , src", { description: ", src", models: ["a/1", "b/2"] }],
    ["main..HEAD --model a/1", { description: "main..HEAD", models: ["a/1"] }],
    ["src --models a/1,b/2,a/1 --models c/3", { description: "src", models: ["a/1", "b/2", "c/3"] }],
    ['"my files/a.ts" --models "a/1, b/2"', { description: "my files/a.ts", models: ["a/1", "b/2"] }],
  ];
  test.each(rows)("%s", (text, expected) => {
    expect(readStartArguments("review", text)).toEqual({ ok: { ...plain, ...expected } });
  });
});

describe("invalid options are reported with a suggestion", () => {
  test.each([
    ["implement", "a page --tpye ui", "--tpye is not a valid option for this command. Did you mean --type?"],
    ["implement", "a page --verbose", "Its options are --figma, --skip-plan-review, --type."],
    ["implement", "a page --type backend", '--type "backend" is not one of UI_FOCUSED, API_FOCUSED, MIXED.'],
    ["implement", "a page --type UI_FOCUS", "(did you mean UI_FOCUSED?)"],
    ["implement", "a page --type", '--type "" is not one of'],
    ["implement", "a page --figma design.fig", '--figma "design.fig" is not a URL.'],
    ["implement", "a page --figma javascript:alert(1)", "is not a URL."],
    ["implement-api", "a table --figma https://figma.test", "Its options are --skip-plan-review."],
    ["review", "src --type ui", "Its options are --models."],
    ["review", "src --modles a/1", "Did you mean --models?"],
    ["review", "src --models", "--models needs the names of models"],
    ["review", "src --models ,", "--models needs"],
    ["review", "--models --type", "--models needs"],
    ["implement", "a page --models a/1", "Its options are --figma"],
  ] as const)("/%s %s", (flow, text, said) => {
    const read = readStartArguments(flow, text);
    expect("problem" in read ? read.problem : "nothing").toContain(said);
  });
});
