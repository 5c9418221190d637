import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

export type Files = Readonly<Record<string, string | object>>;

/** A sound workflow package; other files come on top, and those that are `undefined` go. */
export function workflowPackage(more: Readonly<Record<string, string | object | undefined>> = {}): Files {
  const files = {
    "package.json": manifest(),
    "plugin.js": `import { defineWorkflow } from "@atomic/workflows/plugin";\nexport default defineWorkflow({ id: "w", root: new URL(".", import.meta.url) });\n`,
    "agents/poet.md": "---\ndescription: Writes verse\n---\nRhyme.\n",
    "commands/sing.md": "Sing $ARGUMENTS.\n",
    "skills/meter/SKILL.md": "---\nname: meter\ndescription: How long lines are\n---\nCount.\n",
    ...more,
  };
  return Object.fromEntries(
    Object.entries(files).filter((entry): entry is [string, string | object] => entry[1] !== undefined),
  );
}

export function manifest(more: object = {}): object {
  return {
    name: "@org/verse",
    version: "1.0.0",
    description: "Verse.",
    keywords: ["opencode-workflow"],
    type: "module",
    main: "plugin.js",
    dependencies: { "@atomic/workflows": "*" },
    ...more,
  };
}

export function writeFiles(folder: string, files: Files): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), typeof content === "string" ? content : `${JSON.stringify(content, null, 2)}\n`);
  }
}
