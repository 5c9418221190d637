import { expect, test } from "bun:test";
import type { HintRegistry, HintSource } from "@atomic/workflows/internal/entities/hints";
import { hintFor, typedRun } from "../../src/opencode/typed-command.ts";

function entity(type: HintSource["type"], name: string, argumentHint?: string): HintSource {
  const source = { provider: "atomic", location: "project", path: "" } as HintSource["source"];
  return { type, name, argumentNames: [], prompt: "", source, ...(argumentHint !== undefined && { argumentHint }) };
}

const registry: HintRegistry = {
  getCommand: (name) => (name === "fix" ? entity("command", "fix", "<issue>") : undefined),
  getSkill: (name) => (name === "look" ? entity("skill", "look", "[where]\u001b[31m") : undefined),
  getWorkflow: (name) => (name === "ship" ? entity("workflow", "ship", "<version>") : undefined),
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
  ["/run nothing ", ""],
  ["/unknown ", ""],
  ["say /ship ", ""],
  ["/ship \nmore", ""],
])("%j has the hint %j", (text, hint) => {
  expect(hintFor(text, registry)).toBe(hint);
});

test.each([
  ["/ship 1.4.0", ["ship", "1.4.0"]],
  ["/ship", ["ship"]],
  ['/run ship "1 4"\n--times 2', ["ship", "1 4", "--times", "2"]],
  ["/ship don't stop; fix #12", ["ship", "don't", "stop;", "fix", "#12"]],
  ["/run", []],
  ["/fix 12", undefined],
  ["ship it", undefined],
])("Enter on %j starts %j", (text, words) => {
  expect(typedRun(text, new Set(["ship"]))).toEqual(words);
});
