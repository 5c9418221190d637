import { expect, test } from "bun:test";
import type { OpencodeConfig } from "@atomic/workflows/internal/plugin/opencode-config";
import { hideFromOthers } from "../../../src/plugin/setup/finish-config.ts";

const hidden = (permission?: OpencodeConfig["permission"]) => {
  const config: OpencodeConfig = permission === undefined ? {} : { permission };
  hideFromOthers(config, ["magnus_next"], ["convex"]);
  return config.permission;
};

test("the workflow's tools and skills are denied to all agents that do not allow them", () => {
  expect(hidden()).toEqual({ magnus_next: "deny", skill: { convex: "deny" } });
});

test("the denials come after the user's wildcard, which therefore does not allow them", () => {
  expect(JSON.stringify(hidden("allow"))).toBe('{"*":"allow","magnus_next":"deny","skill":{"convex":"deny"}}');
  expect(JSON.stringify(hidden({ "*": "ask", skill: "allow" }))).toBe(
    '{"*":"ask","skill":{"*":"allow","convex":"deny"},"magnus_next":"deny"}',
  );
});

test("a user's rule for one of them stays", () => {
  const user = { magnus_next: "ask", skill: { convex: "allow" } } as const;
  expect(hidden(user)).toEqual(user);
});
