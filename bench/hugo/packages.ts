/** Small packages to install, and projects in which some are. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { hugo, installHugo, onBun, prepare } from "./programs.ts";
import { makeOnce } from "./shared-folder.ts";

export function write(folder: string, files: Readonly<Record<string, string | object>>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), typeof content === "string" ? content : `${JSON.stringify(content, null, 2)}\n`);
  }
}

/** A package that each of the contestants can install in its own way: two agents, a command and a skill. */
export function writePackage(folder: string, name: string): void {
  const agent = (which: string): string =>
    `---\ndescription: Looks at ${which}.\nmode: subagent\npermission:\n  edit: deny\n---\n${"Look closely.\n".repeat(100)}`;
  write(folder, {
    "package.json": { name, version: "1.0.0", license: "MIT" },
    [`agents/${name}-tests.md`]: agent("tests"),
    [`agents/${name}-types.md`]: agent("types"),
    [`commands/${name}.md`]: `---\ndescription: Looks at all of it.\n---\nLook at $ARGUMENTS.\n`,
    [`skills/${name}-notes/SKILL.md`]: `---\nname: ${name}-notes\ndescription: Writes notes.\n---\n${"Write them down.\n".repeat(100)}`,
  });
}

/** The same with a skill of a thousand files. */
export function writeLargePackage(folder: string, name: string): void {
  writePackage(folder, name);
  const pages = Array.from({ length: 999 }, (_, index) => [
    `skills/${name}-notes/pages/${index % 20}/${index}.md`,
    `# Page ${index}\n\n${"Write it down.\n".repeat(100)}`,
  ]);
  write(folder, Object.fromEntries(pages));
}

type Locked = Record<string, unknown>;

/** A project with that many workflows, half of them copied and half of them plugins. */
export function projectWith(count: number): string {
  return makeOnce(`project-${count}`, (folder) => {
    installHugo();
    mkdirSync(join(folder, ".git"));
    writePackage(join(folder, "first"), "first");
    prepare(hugo(onBun, "install", "./first", "--yes"), folder);
    const lockFile = join(folder, ".opencode/hugo.json");
    const { version, workflows } = JSON.parse(readFileSync(lockFile, "utf8")) as { version: 1; workflows: Locked };
    const names = Array.from({ length: count }, (_, index) => `workflow-${String(index).padStart(3, "0")}`);
    const locked = names.map((name, index) => [name, index % 2 === 0 ? renamed(workflows.first, name) : plugin(name)]);
    write(folder, {
      ".opencode/hugo.json": { version, workflows: Object.fromEntries(locked) },
      "opencode.json": { plugin: names.filter((_, index) => index % 2 === 1).map((name) => `@org/${name}@1.0.0`) },
    });
    const { workflows: listed } = JSON.parse(prepare(hugo(onBun, "list", "--json"), folder)) as { workflows: Locked[] };
    const enabled = listed.filter((each) => each.enabled === true);
    if (enabled.length !== count) throw new Error(`Hugo sees ${enabled.length} of ${count} workflows in ${lockFile}.`);
  });
}

function renamed(workflow: unknown, name: string): unknown {
  return JSON.parse(JSON.stringify(workflow).replaceAll("first", name));
}

function plugin(name: string): Locked {
  const [integrity, tree] = [`sha512-${"A".repeat(86)}==`, `sha256:${"0".repeat(64)}`];
  const about = {
    package: `@org/${name}`,
    source: `@org/${name}`,
    version: "1.0.0",
    integrity,
    tree,
    delivery: "plugin",
  };
  return { ...about, agents: [`${name}-tests`, `${name}-types`], commands: [name], skills: [`${name}-notes`] };
}
