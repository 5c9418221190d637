// The feature that Magnus Opus builds in the tour.
import type { ScriptedFeature } from "./magnus-script.ts";

const plan = `# Plan

Delivery costs 3 dollars. For orders of 10 dollars or more, it is free.

1. \`test/delivery.test.js\`: what delivery costs below 10 dollars, and at
   10 dollars or more. It fails until step 2.
2. \`src/delivery.js\`: \`delivery(cart)\`.
`;

const testText = `import assert from "node:assert/strict";
import { test } from "node:test";
import { delivery } from "../src/delivery.js";

test("delivery is free at 10 dollars or more", () => {
  assert.equal(delivery(["lemonade"]), 300);
  assert.equal(delivery(Array(4).fill("lemonade")), 0);
});
`;

const codeText = `import { total } from "./till.js";

export function delivery(cart) {
  return total(cart) >= 1000 ? 0 : 300;
}
`;

export const delivery: ScriptedFeature = {
  plan,
  name: "delivery",
  result: "Delivery is free at 10 dollars or more",
  test: { path: "test/delivery.test.js", text: testText },
  code: { path: "src/delivery.js", text: codeText },
};
