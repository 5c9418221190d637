import { describe, expect, test } from "bun:test";
import { findWorkflows, namedOrAll, oneOrAll } from "../../src/commands/shared/find-workflows.ts";
import { refusal } from "../refusal.ts";
import { pluginWorkflow } from "./workspace.ts";

const lock = {
  workflows: new Map([
    ["review", pluginWorkflow("review")],
    ["debug", pluginWorkflow("debug", { package: "@other/debugging" })],
  ]),
  configs: new Map(),
};

describe("names of workflows", () => {
  test.each([
    [["review"], ["review"]],
    [
      ["debug", "review"],
      ["debug", "review"],
    ],
    [["@other/debugging", "debug"], ["debug"]],
    [[], []],
  ])("%j are %j", (names, expected) => {
    expect(findWorkflows(lock, names)).toEqual(expected);
  });

  test.each([
    [["revew"], 'Workflow not found: "revew" (did you mean "review"?)'],
    [["revew", "x", "x"], 'Workflow not found: "revew" (did you mean "review"?), "x"'],
    [["review", "\x1b[2J"], 'Workflow not found: "\\x1b[2J"'],
    [['a"b', "debg"], 'Workflow not found: "a"b", "debg" (did you mean "debug"?)'],
  ])("%j are refused", (names, message) => {
    const error = refusal(() => findWorkflows(lock, names));
    expect(error).toMatchObject({ code: "not-installed", exitCode: 1, message });
    expect(error.hint).toContain("hugo list");
  });

  test("are not to be found where nothing is installed", () => {
    const error = refusal(() => findWorkflows({ workflows: new Map() }, ["review"]));
    expect(error.hint).toContain("hugo install");
  });

  test("default to all of them, sorted, if none is named", () => {
    expect(oneOrAll(lock, undefined)).toEqual(["debug", "review"]);
    expect(oneOrAll(lock, "review")).toEqual(["review"]);
    expect(namedOrAll(lock, "enable", { name: [], all: true })).toEqual(["debug", "review"]);
    expect(namedOrAll(lock, "enable", { name: ["review"], all: true })).toEqual(["review"]);
    expect(() => namedOrAll(lock, "enable", { name: [] })).toThrow("missing argument <name…> or --all");
  });
});
