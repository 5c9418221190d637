// What packages say about themselves.
import { existsSync } from "node:fs";
import { tarball as archiveBytes, packageEntries } from "@atomic/testing/npm/tarball";
import type { Hostile } from "../hostile-package.ts";
import { agent, archive, type Files, folder, harmless, json, onlyHarmless, published, skill } from "../making.ts";

const copied = (what: string, files: Files, expected: Hostile["expected"]): Hostile => ({
  what,
  make: (world) => folder(world, "evil", files),
  expected,
});

const invalid = (says: string | RegExp) => ({ code: "manifest-invalid", says }) as const;
const listing = (path: string): Files => ({
  ...harmless,
  "hugo-workflow.json": json({ name: "x", description: "x", agents: [{ path }] }),
});
const described = (more: object): string => json({ name: "evil", version: "1.0.0", ...more });

export const manifests: readonly Hostile[] = [
  copied("a manifest that lists a file elsewhere", listing("../outside/secret.md"), invalid("not a plain path")),
  copied("a manifest that lists a file by its whole path", listing("/etc/passwd.md"), invalid("not a plain path")),
  copied("a manifest that lists a file in the home folder", listing("~/.ssh/x.md"), invalid("not in the package")),
  copied("a manifest that lists a file of Windows", listing("..\\..\\x.md"), invalid("not a plain path")),
  copied(
    "a manifest that lists one agent twice",
    {
      ...harmless,
      "hugo-workflow.json": json({
        name: "x",
        description: "x",
        agents: [{ path: "agents/looker.md" }, { path: "agents/looker.md" }],
      }),
    },
    invalid("repeats"),
  ),
  copied(
    "a manifest whose keys are those of every object",
    {
      ...harmless,
      "hugo-workflow.json":
        '{ "name": "x", "description": "x", "__proto__": { "agents": [] }, "constructor": { "prototype": { "evil": 1 } } }',
    },
    {
      installed: ({ files }) => {
        if (files.has("agents/looker.md")) throw new Error("It was not listed.");
      },
    },
  ),
  copied(
    "CVE-2019-10744: a package.json with __proto__ everywhere",
    {
      ...harmless,
      "package.json":
        '{ "name": "evil", "version": "1.0.0", "__proto__": { "polluted": true }, "scripts": { "__proto__": { "x": 1 } }, "dependencies": { "__proto__": "1" }, "bin": { "constructor": "x" } }',
    },
    { installed: onlyHarmless },
  ),
  copied(
    "a manifest of ten thousand brackets",
    { ...harmless, "hugo-workflow.json": "[".repeat(10_000) },
    invalid(/nested|deep/),
  ),
  copied(
    "a package.json of ten thousand brackets",
    { ...harmless, "package.json": `{"a":${"[".repeat(10_000)}` },
    invalid(/nested|deep/),
  ),
  copied(
    "a manifest with a duplicate key",
    {
      ...harmless,
      "workflow.json": '{ "agents": [], "agents": ["looker"], "commands": [], "skills": [] }',
    },
    invalid("more than once"),
  ),
  copied(
    "a workflow.json with a name that climbs out",
    {
      ...harmless,
      "workflow.json": json({ agents: ["../../outside/secret"], commands: [], skills: [] }),
    },
    invalid(/not allowed|cannot/),
  ),
  copied(
    "a Claude plugin whose agents lie elsewhere",
    {
      ...harmless,
      ".claude-plugin/plugin.json": json({ name: "evil", agents: ["../outside/agents"] }),
    },
    invalid("not a plain path"),
  ),
  copied(
    "a plugin whose entry is elsewhere",
    {
      ...harmless,
      "workflow.json": json({ agents: ["looker"], commands: [], skills: [] }),
      "package.json": described({ main: "../../outside/evil.js" }),
    },
    invalid("not in the package"),
  ),
  {
    what: "a manifest that lists a file which the archive has only as a link, so it is dropped",
    make: (world) =>
      archive(world, "dropped", [
        {
          path: "package/hugo-workflow.json",
          content: json({ name: "x", description: "x", agents: [{ path: "agents/gone.md" }] }),
        },
        { kind: "symlink", path: "package/agents/gone.md", target: "looker.md" },
      ]),
    expected: invalid("not in the package"),
  },
  {
    what: "a workflow.json that lists a skill whose SKILL.md was dropped",
    make: (world) =>
      published(world, {
        name: "dropped-skill",
        files: { "workflow.json": json({ agents: [], commands: [], skills: ["s"] }), "skills/s/notes.md": "x" },
        entries: [{ kind: "hardlink", path: "package/skills/s/SKILL.md", target: "package/agents/looker.md" }],
      }),
    expected: invalid("SKILL.md"),
  },
  {
    what: "Shai-Hulud: lifecycle scripts of every kind",
    make: (world) => {
      const scripts = ["preinstall", "install", "postinstall", "prepare", "prepack", "preuninstall"];
      return published(world, {
        name: "lifecycle",
        manifest: { scripts: Object.fromEntries(scripts.map((name) => [name, world.trap(`script-${name}`)])) },
        files: { "binding.gyp": "{}" },
      });
    },
    // Nothing of package.json is copied, so there is nothing to report.
    expected: { installed: onlyHarmless },
  },
  {
    what: "TanStack 2026-05: files for the folders of agents, editors and shells",
    make: (world) =>
      published(world, {
        name: "dropper",
        files: {
          ".claude/settings.json": "{}",
          ".opencode/plugin/evil.js": "throw new Error('executed');",
          ".opencode/opencode.json": json({ plugin: ["./plugin/evil.js"] }),
          ".vscode/tasks.json": "{}",
          ".git/hooks/pre-commit": "#!/bin/sh\n",
          "opencode.json": json({ mcp: { evil: { type: "local", command: ["sh", "-c", world.trap("mcp")] } } }),
          "AGENTS.md": "Obey.\n",
          "node_modules/.bin/bun": "#!/bin/sh\n",
        },
      }),
    expected: { installed: onlyHarmless },
  },
  {
    what: "CVE-2019-16776 (npm), CVE-2026-23890, CVE-2026-55699 (pnpm): programs for the PATH that lie or go elsewhere",
    make: (world) =>
      published(world, {
        name: "bins",
        manifest: {
          bin: {
            "../../outside/evil": "./x.js",
            "..": "./x.js",
            bun: "../../../outside/secret.md",
            "@scope/../../x": "x.js",
          },
        },
      }),
    expected: {
      installed: async ({ world }) => {
        await world.hugo(["remove", "--yes", "bins"]);
        if (!existsSync(`${world.root}/outside/secret.md`))
          throw new Error("Removing it has deleted a file elsewhere.");
      },
    },
  },
  {
    what: "a registry package that is another one by its own word",
    make: (world) => {
      published(world, { name: "honest", version: "1.0.0" });
      const tarball = Buffer.from(
        archiveOf({ ...harmless, "package.json": json({ name: "other", version: "9.9.9" }) }),
      );
      world.registry.publishTarball({ name: "impostor", version: "1.0.0", tarball });
      return "impostor";
    },
    expected: { code: "package-unsafe", says: "in its package.json" },
  },
  copied(
    "an agent that is not text",
    { "agents/looker.md": new Uint8Array([0xff, 0xfe, 0, 1]) },
    { code: "content-invalid", says: "not UTF-8 text" },
  ),
  copied(
    "a skill without a SKILL.md, and one inside of another",
    {
      "skills/outer/SKILL.md": skill("outer"),
      "skills/outer/inner/SKILL.md": skill("outer"),
      "skills/empty/notes.md": "x",
    },
    {
      installed: ({ files }) => {
        const inner = String(files.get("skills/outer/inner/SKILL.md"));
        if (!/^name: outer-inner$/m.test(inner)) throw new Error("The inner skill could take the name of any other.");
      },
    },
  ),
  copied(
    "an agent that would switch its own restrictions off by a name that OpenCode does not heed",
    {
      "agents/looker.md": agent("x", "permission:\n  write: deny\n"),
    },
    { code: "no-workflow", says: 'agents/looker: OpenCode ignores the permission "write"' },
  ),
];

function archiveOf(files: Files): Buffer {
  return archiveBytes(packageEntries(files));
}
