import { describe, expect, test } from "bun:test";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@atomic/testing/temporary-folder";
import { BodyUnreadableError, defineEntity, makeEntity } from "../src/entities/define-entity.ts";
import type { Entity } from "../src/entities/entity.ts";
import { splitFrontmatter } from "../src/entities/frontmatter/split.ts";
import { createEntityRegistry } from "../src/entities/registry.ts";
import { entity } from "./entities.ts";

const { prompt: _prompt, ...facts } = entity("review", "claude:project", {
  tools: ["read"],
  restrictions: { allow: [{ tool: "read" }] },
  aliases: ["check"],
  argumentNames: ["file"],
  diagnostics: [{ severity: "warning", code: "x", message: "y" }],
});

function loaded(path: string, text: string, more: Partial<Entity> = {}): Entity {
  writeFileSync(path, text);
  const { bodyStart: start } = splitFrontmatter(text);
  return makeEntity({ ...facts, ...more }, { file: path, head: text.slice(0, start), start });
}

describe("a body on disk", () => {
  test.each([
    ["---\ntools: [Read]\n---\nBody.\n", "Body.\n"],
    ["\ufeff---\r\ntools: [Read]\r\n---\r\nBody.\r\n", "Body.\r\n"],
    ["Only a body.", "Only a body."],
    ["", ""],
    ["---\ntools: [Read]\n---", ""],
  ])("of %j is %j, byte for byte", async (text, body) => {
    await using folder = await temporaryFolder();
    expect(loaded(join(folder.path, "a.md"), text).prompt).toBe(body);
  });

  test("is read once: later changes do not affect an entity that has it", async () => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, "a.md");
    const review = loaded(path, "---\ntools: [Read]\n---\nOne.");
    expect(review.prompt).toBe("One.");
    rmSync(path);
    expect(review.prompt).toBe("One.");
  });

  test("may change as long as the frontmatter is the one that was loaded", async () => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, "a.md");
    const review = loaded(path, "---\ntools: [Read]\n---\nOne.");
    writeFileSync(path, "---\ntools: [Read]\n---\nTwo, and longer.");
    expect(review.prompt).toBe("Two, and longer.");
  });

  test.each([
    ["other tools", "---\ntools: []\n---\nOne."],
    ["an added line", "---\ntools: [Read]\nmodel: opus\n---\nOne."],
    ["no frontmatter", "One."],
  ])("is refused under %s, since it was not restricted for that", async (_what, text) => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, "a.md");
    const review = loaded(path, "---\ntools: [Read]\n---\nOne.");
    writeFileSync(path, text);
    expect(() => review.prompt).toThrow(`${path}: The frontmatter has changed since the file was loaded.`);
  });
});

test("a hint for a command whose file is gone does not fail while you type", async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, "a.md");
  const registry = createEntityRegistry();
  registry.register(loaded(path, "Fix $1 in $2.", { argumentNames: [] }));
  rmSync(path);
  expect(registry.getArgumentHint("review")).toBeUndefined();
  expect(() => registry.require("command", "review").prompt).toThrow(BodyUnreadableError);
});

describe("an entity is immutable", () => {
  const review = makeEntity(facts, { text: "Body" });

  test.each([
    ["itself", review],
    ["its source", review.source],
    ["its aliases", review.aliases],
    ["its tools", review.tools],
    ["its restrictions", review.restrictions],
    ["a list of its restrictions", review.restrictions.allow],
    ["a rule of its restrictions", review.restrictions.allow?.[0]],
    ["its argument names", review.argumentNames],
    ["its diagnostics", review.diagnostics],
  ])("%s", (_what, part) => {
    expect(Object.isFrozen(part)).toBe(true);
  });

  test("and its prompt cannot be set", () => {
    expect(() => Object.assign(review, { prompt: "other" })).toThrow(TypeError);
  });

  test("so a complete one is used as it is", () => {
    expect(defineEntity(review)).toBe(review);
  });
});
