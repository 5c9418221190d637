import { test } from "bun:test";
import { heavyHost } from "@atomic/testing/heavy";
import { hostContract } from "./contract.ts";
import { copilotFixture } from "./copilot-fixture.ts";

const sdk = heavyHost("copilot");
if (sdk.available) hostContract("copilot", copilotFixture);
else {
  console.warn(`skipped: tests of the host "copilot": ${sdk.reason}`);
  test.skip(`the contract of hosts (${sdk.reason})`, () => undefined);
}
