import { expect, test } from "bun:test";
import { registersLabel } from "../../src/packages/labels.ts";

test("what a plugin registers is counted and named", () => {
  expect(registersLabel({ agents: ["scout", "critic"], logins: ["google"], hooks: ["event"] })).toBe(
    "2 agents (scout, critic), 1 login (google), 1 hook (event)",
  );
  expect(registersLabel({})).toBe("nothing");
});
