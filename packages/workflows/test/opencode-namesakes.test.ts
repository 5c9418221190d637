import { describe, expect, test } from "bun:test";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { temporaryFolder } from "@atomic/testing/temporary-folder";
import { mayUseTool } from "../src/entities/normalize/restrictions.ts";
import { whySwitchedOff } from "../src/entities/opencode-namesakes.ts";
import { createEntityRegistry, type EntityRegistry } from "../src/entities/registry.ts";
import { entity } from "./entities.ts";

function write(root: string, tree: Readonly<Record<string, string | Uint8Array>>): void {
  for (const [path, content] of Object.entries(tree)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
}

async function load(registry: EntityRegistry, root: string, order = ["user", "project"] as const): Promise<void> {
  for (const location of order) await registry.registerFromProvider("opencode", join(root, location), location);
}

const config = (agent: unknown): string => JSON.stringify({ agent: { m: agent } });
const free = "---\ndescription: Free\n---\nFree.";

describe("OpenCode merges agents of one name, so the winner", () => {
  test.each([
    ["the project's config", "project/opencode.json"],
    ["the user's config", "user/.config/opencode/opencode.json"],
  ])("is bound by what %s forbids", async (_what, path) => {
    await using folder = await temporaryFolder();
    write(folder.path, { "project/.opencode/agents/m.md": free, "user/x": "" });
    write(folder.path, { [path]: config({ permission: { bash: "deny" } }) });
    for (const order of [["user", "project"] as const, ["project", "user"] as const]) {
      const registry = createEntityRegistry();
      await load(registry, folder.path, order as ["user", "project"]);
      const winner = registry.getAgent("m");
      expect(winner?.restrictions).toEqual({ deny: [{ tool: "bash" }] });
      expect(winner?.prompt).toBe("Free.");
      expect(registry.shadowed()).toMatchObject([{ by: winner }]);
      expect(Object.isFrozen(winner)).toBe(true);
    }
  });

  test("has its own rules and theirs", async () => {
    await using folder = await temporaryFolder();
    write(folder.path, {
      "project/.opencode/agents/m.md": "---\ntools:\n  bash: true\n  read: true\n---\nM.",
      "project/opencode.json": config({ permission: { bash: "deny" } }),
      "user/.config/opencode/agent/m.md": "---\npermission:\n  read: ask\n---\nM.",
    });
    const registry = createEntityRegistry();
    await load(registry, folder.path);
    const restrictions = registry.getAgent("m")?.restrictions ?? {};
    expect(["bash", "read", "write"].filter((tool) => mayUseTool(restrictions, tool))).toEqual(["read"]);
    expect(restrictions.ask).toEqual([{ tool: "read" }]);
  });

  const off = "---\ndisable: true\n---\nOff.";
  const on = "---\ndisable: false\n---\nOn.";
  test.each([
    [
      "by the project's config",
      { "project/opencode.json": config({ disable: true }), "project/.opencode/agents/m.md": free },
    ],
    [
      "by its mode",
      { "project/opencode.json": '{"mode":{"m":{"disable":true}}}', "project/.opencode/agents/m.md": free },
    ],
    [
      "by the user's config",
      { "user/.config/opencode/opencode.json": config({ disable: true }), "project/.opencode/agents/m.md": free },
    ],
    ["by its own file", { "project/.opencode/agents/m.md": off }],
    [
      "by its own file, against the config",
      { "project/.opencode/agents/m.md": off, "project/opencode.json": config({ disable: false }) },
    ],
    ["by a value that OpenCode does not take", { "project/.opencode/agents/m.md": '---\ndisable: "yes"\n---\n' }],
  ])("is disabled if it is switched off %s", async (_what, files) => {
    await using folder = await temporaryFolder();
    write(folder.path, { "project/x": "", "user/x": "", ...files });
    for (const order of [["user", "project"] as const, ["project", "user"] as const]) {
      const registry = createEntityRegistry();
      await load(registry, folder.path, order as ["user", "project"]);
      for (const each of registry.entries())
        expect(each.disabledBecause).toContain("it is turned off (`disable: true` in ");
      expect(registry.getAgent("m")?.diagnostics).toEqual([]);
    }
  });

  test("is switched off by the user and not by a package that says otherwise", () => {
    const ofPackage = entity("m", "hugo:project", { type: "agent", frontmatter: { disable: false } });
    const ofUser = entity("m", "opencode:user", { type: "agent", frontmatter: { disable: true } });
    expect(whySwitchedOff([ofPackage, ofUser])).toBe("it is turned off (`disable: true` in ~/.opencode/agents/m.md)");
    expect(whySwitchedOff([ofPackage])).toBeUndefined();
  });

  test("is switched on by the file that counts first, and by removing the switch", async () => {
    await using folder = await temporaryFolder();
    write(folder.path, {
      "project/.opencode/agents/m.md": on,
      "project/opencode.json": config({ disable: true }),
      "user/x": "",
    });
    const registry = createEntityRegistry();
    await load(registry, folder.path);
    expect(registry.getAgent("m")?.disabledBecause).toBeUndefined();
    write(folder.path, { "project/.opencode/agents/m.md": free });
    await load(registry, folder.path);
    expect(registry.getAgent("m")?.disabledBecause).toBeString();
    write(folder.path, { "project/opencode.json": "{}" });
    await load(registry, folder.path);
    expect(registry.getAgent("m")?.disabledBecause).toBeUndefined();
  });

  test("is disabled if one of them cannot be read", async () => {
    await using folder = await temporaryFolder();
    write(folder.path, {
      "project/.opencode/agents/m.md": free,
      "user/.opencode/agents/m.md": Uint8Array.of(0xff),
    });
    const registry = createEntityRegistry();
    await load(registry, folder.path);
    expect(registry.getAgent("m")).toMatchObject({ source: { location: "project" } });
    expect(registry.getAgent("m")?.disabledBecause).toContain("The file is not UTF-8 text.");
  });

  test("is unrestricted again once they are gone, and a name in another case is another agent", async () => {
    await using folder = await temporaryFolder();
    write(folder.path, {
      "project/.opencode/agents/m.md": free,
      "project/opencode.json": config({ permission: "deny" }),
      "user/.opencode/agents/M.md": "---\npermission: deny\n---\nM.",
    });
    const registry = createEntityRegistry();
    await load(registry, folder.path);
    expect(registry.getAgent("m")?.restrictions).toEqual({ allow: [] });
    rmSync(join(folder.path, "project/opencode.json"));
    await load(registry, folder.path);
    expect(registry.getAgent("m")?.restrictions).toEqual({});
    expect(registry.entries()).toHaveLength(2);
  });
});
