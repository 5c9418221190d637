import { test } from "bun:test";
import { heavyHost } from "@atomic/testing/heavy";
import { claudeFixture } from "./claude-fixture.ts";
import { hostContract } from "./contract.ts";

const sdk = heavyHost("claude");
if (sdk.available) {
  hostContract("claude", claudeFixture, { lacks: { processes: "Claude is a program that runs for one turn only" } });
} else {
  console.warn(`skipped: tests of the host "claude": ${sdk.reason}`);
  test.skip(`the contract of hosts (${sdk.reason})`, () => undefined);
}
