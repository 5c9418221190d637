// An update must not let in an attacker who took over a package; a corrected typo must not raise a question.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import type { Capability } from "../../src/packages/capability.ts";
import { harmlessUpdates, type Update, widening } from "./updates.ts";
import { contents, type World, world } from "./world.ts";

setDefaultTimeout(180_000);

let here: World;
beforeAll(async () => {
  here = await world();
  for (const [name, version] of [
    ["left-pad", "1.3.0"],
    ["other-pad", "1.0.0"],
    ["evil-pad", "1.0.0"],
  ] as const) {
    here.registry.publish({ name, version, files: { "index.js": "module.exports = {};\n" } });
  }
});
afterAll(() => here[Symbol.asyncDispose]());

test("there are at least fifteen of each", () => {
  expect(Math.min(widening.length, harmlessUpdates.length)).toBeGreaterThanOrEqual(15);
});

describe("an update stops, and shows just that, if it brings", () => {
  test.each(widening.map((update) => [update.what, update] as const))("%s", async (_, update) => {
    await published(update);
    const before = state();
    const { code, stdout } = await here.hugo(["update", "--json"]);
    const { failed, updated } = JSON.parse(stdout);
    expect({ code, updated, refused: failed[0]?.code }).toEqual({ code: 4, updated: [], refused: "not-approved" });
    expect(failed[0].capabilities.map(line)).toEqual(update.more);
    const forPerson = await here.hugo(["update", "--details"]);
    expect(forPerson.code).toBe(4);
    expect((await here.hugo(["update"])).stderr).toContain("could not do before:\n  ");
    const words = forPerson.stderr.replace(/\s+/g, " ");
    for (const { subject, detail } of failed[0].capabilities) expect(words).toContain(printed(`${subject} ${detail}`));
    expect(words).toContain("--yes");
    expect(state()).toEqual(before);
  });
});

describe("an update needs no approval if it brings", () => {
  test.each(harmlessUpdates.map((update) => [update.what, update] as const))("%s", async (_, update) => {
    await published(update);
    const { code, stdout, stderr } = await here.hugo(["update"]);
    expect({ code, first: stdout.split("\n")[0] }).toEqual({ code: 0, first: "Updated review: v1.0.0 → v1.1.0" });
    expect(stdout + stderr).not.toMatch(/can do|--yes|agree/);
    const isCode = Object.keys(update.change).some((path) => /\.(?:js|sh)$/.test(path));
    expect(stderr.includes("code changed: ")).toBe(isCode);
    expect(JSON.parse(String(state().get("hugo.json"))).workflows.review.version).toBe("1.1.0");
  });
});

/** The first version is installed, and the second is there to be had. */
async function published({ before, change }: Update): Promise<void> {
  here.reset();
  const { registry } = here;
  if (registry.requests.length > 0) registry.unpublish("review");
  registry.publish({ name: "review", version: "1.0.0", files: before });
  const { code, stderr } = await here.hugo(["install", "--yes", "review"]);
  expect({ code, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stderr: "" });
  const after = Object.entries({ ...before, ...change }).filter(
    (entry): entry is [string, string | Uint8Array] => entry[1] !== undefined,
  );
  registry.publish({ name: "review", version: "1.1.0", files: Object.fromEntries(after) });
}

/** All that an update could change. */
function state(): Map<string, string> {
  const own = [...contents(here.project.path(".opencode"))].filter(([path]) => !path.startsWith(".hugo/lock/"));
  const config = here.project.path("opencode.json");
  if (existsSync(config)) own.push(["opencode.json", readFileSync(config)]);
  const all = [...own, ...[...here.surroundings()].filter(([path]) => path !== "project")];
  return new Map(all.map(([path, content]) => [path, String(content)]));
}

function line({ kind, subject, detail }: Capability): string {
  return `${kind} | ${subject} | ${detail}`;
}

function printed(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
