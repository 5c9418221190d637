import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { argumentTerm } from "@atomic/terminal/command";
import { tmpProject } from "@atomic/testing/project";
import manifest from "../../package.json" with { type: "json" };
import { commands } from "../../src/commands.ts";
import { isAllowed, patternOf, settingsFor } from "../../src/plugin/permission-rules.ts";
import { askingTools, tools } from "../../src/plugin/tools.ts";
import { hugo } from "./hugo.ts";

setDefaultTimeout(180_000);

const folder = join(import.meta.dirname, "../..");
const readme = readFileSync(join(folder, "README.md"), "utf8");
const transcripts = [...readme.matchAll(/^```console\n(.*?)^```$/gms)].map(([, text = ""]) => text);

const files = {
  "code-review/package.json": { name: "@acme/code-review", version: "1.0.0" },
  "code-review/agents/reviewer.md":
    "---\ndescription: Reviews a change and lists its risks\nmode: subagent\npermission:\n  edit: deny\n---\nYou review.\n",
  "code-review/commands/risks.md":
    "---\ndescription: Lists the risks of this branch\nagent: reviewer\n---\nReview the diff:\n!`git diff main`\n",
};

test("the README shows what hugo really prints", async () => {
  await using project = await tmpProject({ files });
  const { dir: cwd, home, env } = project;
  expect(transcripts).toHaveLength(1);
  for (const transcript of transcripts) {
    const typed = [...transcript.matchAll(/^\$ hugo (.*)$/gm)].map(([, argv = ""]) => argv);
    expect(typed.length).toBeGreaterThan(0);
    const shown = [];
    for (const argv of typed) {
      const { stdout, stderr } = await hugo(argv.split(" "), {
        table: commands,
        cwd,
        home,
        env,
        columns: 120,
        answers: [],
      });
      shown.push(`$ hugo ${argv}\n${stdout}${stderr}\n`);
    }
    expect(transcript).toBe(`${shown.join("").trimEnd()}\n`);
  }
});

test("the README shows what asks inside OpenCode, with rules that work", () => {
  const inside = readme.split("\n## ").find((section) => section.startsWith("Inside OpenCode")) ?? "";
  const [, asking = "", looking = ""] = /\*\*Which tools ask:\*\*(.*?) ask you (.*?) only read/s.exec(inside) ?? [];
  const named = (text: string): string[] => [...text.matchAll(/`(hugo_\w+)`/g)].map(([, name = ""]) => name).sort();
  const known = (asks: boolean): string[] => tools.flatMap((tool) => (tool.asks === asks ? [tool.name] : [])).sort();
  expect([named(asking), named(looking)]).toEqual([known(true), known(false)]);
  const config = JSON.parse(/^```json\n(.*?)^```$/ms.exec(inside)?.[1] ?? "");
  expect(config.plugin).toEqual([manifest.name]);
  const settings = settingsFor(askingTools, { ...config.permission, "*": "allow" });
  const install = askingTools.find(({ name }) => name === "hugo_install")!;
  expect(isAllowed(settings, install, [patternOf("@acme/review", "report")])).toBe(true);
  expect(isAllowed(settings, install, [patternOf("review", "report")])).toBe(false);
  expect([...(settings.get("hugo_remove") ?? [])].at(-1)).toEqual(["*", "deny"]);
});

test("the README names every variable that Hugo reads, and links to guides that are there", () => {
  const sources = new Bun.Glob("**/*.ts").scanSync({ cwd: join(folder, "src"), absolute: true });
  const read = [...sources].flatMap((file) => readFileSync(file, "utf8").match(/\bHUGO_[A-Z_]+[A-Z]\b(?!_)/g) ?? []);
  const named = [...readme.matchAll(/^\| `(HUGO_[A-Z_]+)` \|/gm)].map(([, name = ""]) => name);
  expect(named.sort()).toEqual([...new Set(read)].sort());
  const links = [...readme.matchAll(/\]\(([^)]+\.md)\)/g)].map(([, link = ""]) => link);
  expect(links.filter((link) => link.includes("/guide/"))).toHaveLength(3);
  for (const link of links) expect(existsSync(join(folder, link))).toBe(true);
});

test("the README names every command", async () => {
  for (const row of commands) {
    const { name, aliases = [], arguments: specs, summary } = await row.load();
    const usage = [[name, ...aliases].join(", "), ...Object.entries(specs).map(argumentTerm)].join(" ");
    expect(readme).toContain(`| \`hugo ${usage}\` | ${summary} |\n`);
  }
});
