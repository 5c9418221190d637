// The feature that Magnus Opus builds in its guide.
import type { ScriptedFeature } from "../../scripts/tour/magnus-script.ts";

const plan = `# Plan

One mutation, \`saveProfile(name)\`, and one test.

1. \`convex/profiles.test.mjs\`: a profile without a name is rejected. It fails until step 2.
2. \`convex/profiles.mjs\`: the mutation.
`;

const testText = `import assert from "node:assert/strict";
import { test } from "node:test";
import { saveProfile } from "./profiles.mjs";

test("a profile needs a name", () => {
  assert.throws(() => saveProfile(" "));
  assert.equal(saveProfile(" Ada ").name, "Ada");
});
`;

const codeText = `export function saveProfile(name) {
  if (name.trim() === "") throw new Error("A profile needs a name.");
  return { name: name.trim() };
}
`;

export const profiles: ScriptedFeature = {
  plan,
  name: "mutation",
  result: "Profiles are saved",
  test: { path: "convex/profiles.test.mjs", text: testText },
  code: { path: "convex/profiles.mjs", text: codeText },
  asks: { approval: " and type /approve", acceptance: " Type /approve to accept it." },
};
