import { expect, test } from "bun:test";
import { chooseModel, classicModels } from "../../../src/plugin/hooks/messages.ts";
import { roles } from "../../../src/run/phase-name.ts";

const here = { now: "a/1", isSet: false, preset: undefined, parent: "a/1", connected: new Set(["a/1", "b/2"]) };

test.each([
  ["nothing is set: it stays", {}, undefined],
  ["a preset that is connected is used", { preset: "b/2" }, "b/2"],
  ["a preset that is not connected is not", { preset: "c/3" }, undefined],
  ["a preset that is used anyway changes nothing", { preset: "a/1" }, undefined],
  ["what a person has set counts more than a preset", { isSet: true, preset: "b/2" }, undefined],
  ["what is set but not connected falls back to the session's", { isSet: true, now: "c/3" }, "a/1"],
  ["if that is not connected either, OpenCode says so itself", { isSet: true, now: "c/3", parent: "c/4" }, undefined],
  ["without a parent there is nothing to fall back to", { isSet: true, now: "c/3", parent: undefined }, undefined],
])("%s", (_, changes, expected) => {
  expect(chooseModel({ ...here, ...changes })).toBe(expected);
});

test("the preset has a model for every agent except the one the user talks to", () => {
  expect(Object.keys(classicModels).toSorted()).toEqual(roles.filter((role) => role !== "orchestrator").toSorted());
});
