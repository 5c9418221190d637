import { expect, test } from "bun:test";
import type { OpencodeConfig } from "@atomic/workflows/internal/plugin/opencode-config";
import { hideFromOthers } from "../../../src/plugin/setup/finish-config.ts";

const hidden = (permission?: OpencodeConfig["permission"]) => {
  const config: OpencodeConfig = permission === undefined ? {} : { permission };
  hideFromOthers(config, ["magnus_next"], ["convex"]);
  return config.permission;
};

test("tools and skills of the workflow are denied to all who do not say otherwise", () => {
  expect(hidden()).toEqual({ magnus_next: "deny", skill: { convex: "deny" } });
});

test("they come after what a user says of everything, so that it does not open them", () => {
  expect(JSON.stringify(hidden("allow"))).toBe('{"*":"allow","magnus_next":"deny","skill":{"convex":"deny"}}');
  expect(JSON.stringify(hidden({ "*": "ask", skill: "allow" }))).toBe(
    '{"*":"ask","skill":{"*":"allow","convex":"deny"},"magnus_next":"deny"}',
  );
});

test("what a user says of one of them stays", () => {
  const user = { magnus_next: "ask", skill: { convex: "allow" } } as const;
  expect(hidden(user)).toEqual(user);
});
