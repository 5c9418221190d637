// Whatever a package, a spec, a registry or a repository tries: it is refused with a clear error, or it does no harm, and
// nothing outside of `.opencode` is read, written or executed.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { findHiddenCharacters } from "@atomic/terminal/hidden-characters";
import type { Ran } from "../cli/hugo.ts";
import type { Command, Hostile } from "./hostile-package.ts";
import { hostile } from "./packages.ts";
import { contents, SECRET, type World, world } from "./world.ts";

setDefaultTimeout(180_000);

let here: World;
let prototype: string;
beforeAll(async () => {
  here = await world();
  prototype = Object.getOwnPropertyNames(Object.prototype).join();
});
afterAll(async () => {
  here.clear();
  await here[Symbol.asyncDispose]();
});

for (const [family, list] of Object.entries(hostile)) {
  describe(family, () => {
    test.each(list.map((each) => [each.what, each] as const))("hugo survives %s", async (_, each) => {
      here.reset();
      here.clear();
      await survive(each);
    });
  });
}

test("there are at least sixty of them, each with its own name", () => {
  const names = Object.values(hostile).flatMap((list) => list.map(({ what }) => what));
  expect(names.length).toBeGreaterThanOrEqual(60);
  expect(new Set(names).size).toBe(names.length);
});

async function survive(each: Hostile): Promise<void> {
  const made = await each.make(here);
  const command: Command = typeof made === "string" ? { argv: ["install", "--yes", made] } : made;
  const { argv, ...where } = command;
  const surroundings = here.surroundings();
  const own = kept(command);
  const asJson = await here.hugo([...argv.slice(0, 1), "--json", ...argv.slice(1)], where);
  const answer = JSON.parse(asJson.stdout);
  checkHarmless(each, command, asJson, surroundings);
  const { expected } = each;
  if ("code" in expected) {
    const error = answer.failed?.[0] ?? answer.error;
    expect(error).toMatchObject({ code: expected.code });
    expect(error.message).toMatch(expected.says);
    expect(error.hint).not.toBe("");
    expect(asJson.code).not.toBe(0);
    expect(kept(command)).toEqual(own);
  }
  const asText = each.once ? asJson : await again(each, command, { surroundings, own });
  if ("code" in expected) {
    expect(asText.code).toBe(asJson.code);
    return;
  }
  const isFine = asText.code === 0 || (each.mayDiffer === true && asText.code === 1);
  expect(isFine ? "" : `${asText.code}: ${asText.stderr}`).toBe("");
  const visible = [...contents(folderOf(command))].filter(([path]) => !path.startsWith(".hugo/"));
  await expected.installed({
    world: here,
    printed: asText.stdout + asText.stderr,
    files: new Map(visible.map(([path, bytes]) => [path, bytes.toString("utf8")])),
    answer,
  });
}

interface Before {
  readonly surroundings: ReadonlyMap<string, string>;
  readonly own: Map<string, Buffer>;
}

/** The same for a user. */
async function again(each: Hostile, command: Command, { surroundings, own }: Before): Promise<Ran> {
  const { argv, ...where } = command;
  if ("installed" in each.expected && own.size === 0) here.reset();
  const ran = await here.hugo(argv, where);
  checkHarmless(each, command, ran, surroundings);
  if ("code" in each.expected) expect(kept(command)).toEqual(own);
  return ran;
}

/** All but what a command leaves for the next one: that it was here. */
function kept(command: Command): Map<string, Buffer> {
  const all = [...contents(folderOf(command))];
  return new Map(all.filter(([path]) => !path.startsWith(".hugo/lock/") && path !== ".hugo/.gitignore"));
}

function folderOf({ cwd = here.project.dir }: Command): string {
  return join(cwd, ".opencode");
}

function checkHarmless(
  { what }: Hostile,
  command: Command,
  { stdout, stderr }: Ran,
  before: Before["surroundings"],
): void {
  const after = here.surroundings();
  const changed = [...new Set([...before.keys(), ...after.keys()])].filter(
    (path) => before.get(path) !== after.get(path),
  );
  expect({ what, changed }).toEqual({ what, changed: [] });
  expect(Object.getOwnPropertyNames(Object.prototype).join()).toBe(prototype);
  const printed = stdout + stderr;
  expect(findHiddenCharacters(printed)).toEqual([]);
  expect(printed).not.toMatch(/[^\P{Cc}\n]/u);
  expect(printed).not.toContain(SECRET);
  expect(here.registry.requests.filter((request) => JSON.stringify(request).includes(SECRET))).toEqual([]);
  for (const [path, bytes] of contents(folderOf(command))) {
    if (bytes.includes(SECRET)) throw new Error(`${what}: .opencode/${path} shows what was read elsewhere`);
  }
  const staging = join(folderOf(command), ".hugo/staging");
  if (existsSync(staging)) expect(readdirSync(staging)).toEqual([]);
}
