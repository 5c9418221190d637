import { expect, test } from "bun:test";
import type { HintRegistry, HintSource } from "@atomic/workflows/internal/entities/hints";
import { hintFor, ownNames, typedRun, withCommand, withheldName } from "../../src/opencode/typed-command.ts";

function entity(type: HintSource["type"], name: string, argumentHint?: string): HintSource {
  const source = { provider: "atomic", location: "project", path: "" } as HintSource["source"];
  return { type, name, argumentNames: [], prompt: "", source, ...(argumentHint !== undefined && { argumentHint }) };
}

const registry: HintRegistry = {
  getCommand: (name) => (name === "fix" ? entity("command", "fix", "<issue>") : undefined),
  getSkill: (name) => (name === "look" ? entity("skill", "look", "[where]\u001b[31m") : undefined),
  getWorkflow: (name) => (name === "ship" || name === "ship it" ? entity("workflow", "ship", "<version>") : undefined),
};

test.each([
  ["", ""],
  ["/ship", ""],
  ["/ship ", "<version>"],
  ["/ship  ", "<version>"],
  ["/ship 1", ""],
  ["/ship 1 ", ""],
  ["/fix ", "<issue>"],
  ["/look ", "[where]\\x1b[31m"],
  ["/run ", "<workflow> [arguments]"],
  ["/run ship", ""],
  ["/run ship ", "<version>"],
  ["/run ship 1", ""],
  ["/run ship 1 ", ""],
  ['/run "ship it" ', "<version>"],
  ['/run "ship ', ""],
  ["/run nothing ", ""],
  ["/unknown ", ""],
  ["say /ship ", ""],
  ["/ship \nmore", ""],
])("%j has the hint %j", (text, hint) => {
  expect(hintFor(text, registry, new Set(["ship"]))).toBe(hint);
});

test("a workflow with a command of its own has its own hint, and one without has none", () => {
  const both: HintRegistry = { ...registry, getWorkflow: (name) => entity("workflow", name, `<${name}>`) };
  const hints = (own: readonly string[]) => ["/fix ", "/undo "].map((text) => hintFor(text, both, new Set(own)));
  expect([hints(["fix", "undo"]), hints([])]).toEqual([
    ["<fix>", "<undo>"],
    ["<issue>", ""],
  ]);
});

test("workflows have commands, except where something else happens or a space ends the name", () => {
  const workflows = ["ship", "undo", "ship it"].map((name) => ({ name }));
  expect([...ownNames(workflows, (name) => name === "undo")]).toEqual(["ship"]);
});

test.each([
  ["/ship", "ship"],
  ["/ship 1.4.0", "ship"],
  ["/shi", undefined],
  ["/look", undefined],
  ["ship", undefined],
  ["/run ship", undefined],
])("%j names the withheld workflow %p", (text, name) => {
  expect(withheldName(text, registry, (each) => ["ship", "look", "run"].includes(each))).toBe(name);
  expect(withheldName(text, registry, () => false)).toBeUndefined();
});

test.each([
  ["/ship 1.4.0", ["ship", "1.4.0"]],
  ["/ship", ["ship"]],
  ['/run ship "1 4"\n--times 2', ["ship", "1 4", "--times", "2"]],
  ["/ship don't stop; fix #12", ["ship", "don't", "stop;", "fix", "#12"]],
  ['/run "ship it" 1', ["ship it", "1"]],
  ["/run", []],
  ["/fix 12", undefined],
  ["ship it", undefined],
])("Enter on %j starts %j", (text, words) => {
  expect(typedRun(text, new Set(["ship"]))).toEqual(words);
});

test.each([
  ["", "/ship "],
  ["/sh", "/ship "],
  ["/ship", "/ship "],
  ["/ship 1.4", "/ship 1.4"],
  ["fix the login", "/ship fix the login"],
  [" 1.4", "/ship 1.4"],
  ["/other 1.4", "/ship /other 1.4"],
  ["two\nlines", "/ship two\nlines"],
])("choosing the command when %j is typed makes it %j", (typed, filled) => {
  expect(withCommand("ship", typed)).toBe(filled);
});
