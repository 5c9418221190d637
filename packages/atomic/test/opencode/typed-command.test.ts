import { expect, test } from "bun:test";
import type { HintRegistry, HintSource } from "@atomic/workflows/internal/entities/hints";
import { hintFor, ownNames, typedRun, withCommand, withheldName } from "../../src/opencode/typed-command.ts";

function entity(type: HintSource["type"], name: string, argumentHint?: string): HintSource {
  const source = { provider: "atomic", location: "project", path: "" } as HintSource["source"];
  return { type, name, argumentNames: [], prompt: "", source, ...(argumentHint !== undefined && { argumentHint }) };
}

const named = (...names: readonly string[]) =>
  ownNames(
    names.map((name) => ({ name, displayName: name })),
    () => false,
  );

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
  expect(hintFor(text, registry, named("ship"))).toBe(hint);
});

test("a workflow with a command of its own has its own hint, and one without has none", () => {
  const both: HintRegistry = { ...registry, getWorkflow: (name) => entity("workflow", name, `<${name}>`) };
  const hints = (own: readonly string[]) => ["/fix ", "/undo "].map((text) => hintFor(text, both, named(...own)));
  expect([hints(["fix", "undo"]), hints([])]).toEqual([
    ["<fix>", "<undo>"],
    ["<issue>", ""],
  ]);
});

test("workflows have commands, except where something else happens or a space ends the name", () => {
  const workflows = ["ship", "undo", "ship it"].map((name) => ({ name, displayName: name }));
  expect([...ownNames(workflows, (name) => name === "undo").values()]).toEqual(["ship"]);
});

test("a workflow's name can be typed in any case, and is suggested as its author writes it", () => {
  const own = ownNames([{ name: "release", displayName: "Release" }], () => false);
  const any: HintRegistry = { ...registry, getWorkflow: () => entity("workflow", "release", "<version>") };
  expect([...own.values()]).toEqual(["Release"]);
  for (const typed of ["Release", "release", "RELEASE"]) {
    expect(typedRun(`/${typed} 1.2`, own)).toEqual([typed, "1.2"]);
    expect(hintFor(`/${typed} `, any, own)).toBe("<version>");
    expect(withCommand("Release", `/${typed} 1.2`)).toBe(`/${typed} 1.2`);
  }
});

test("a name that looks like an option has no command of its own, because nothing could start it", () => {
  expect([...named("-fast", "ship").keys()]).toEqual(["ship"]);
});

test("nothing is withheld where Hugo installed the workflow: the command came with it", () => {
  const source = { provider: "hugo", location: "project" } as const;
  const installed: HintRegistry = { ...registry, getWorkflow: (name) => ({ ...entity("workflow", name), source }) };
  expect(withheldName("/implement ", installed, () => true)).toBeUndefined();
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
  expect(typedRun(text, named("ship"))).toEqual(words);
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
