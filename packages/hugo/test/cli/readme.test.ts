import { expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { tmpProject } from "@atomic/testing/project";
import { argumentTerm } from "../../src/cli/flags.ts";
import { exitCodes } from "../../src/errors.ts";
import { operations } from "../../src/operations.ts";
import { hugo } from "./hugo.ts";

setDefaultTimeout(60_000);

const readme = readFileSync(join(import.meta.dirname, "../../README.md"), "utf8");
const transcripts = [...readme.matchAll(/^```console\n(.*?)^```$/gms)].map(([, text = ""]) => text);

const files = {
  "code-review/package.json": { name: "@acme/code-review", version: "1.0.0" },
  "code-review/agents/reviewer.md":
    "---\ndescription: Reviews a change and lists its risks\nmode: subagent\npermission:\n  edit: deny\n---\nYou review.\n",
  "code-review/commands/risks.md":
    "---\ndescription: Lists the risks of this branch\nagent: reviewer\n---\nReview the diff:\n!`git diff main`\n",
};

test("the README shows what hugo really says", async () => {
  await using project = await tmpProject({ files });
  const { dir: cwd, home, env } = project;
  expect(transcripts).toHaveLength(1);
  for (const transcript of transcripts) {
    const typed = [...transcript.matchAll(/^\$ hugo (.*)$/gm)].map(([, argv = ""]) => argv);
    expect(typed.length).toBeGreaterThan(0);
    const shown = [];
    for (const argv of typed) {
      const { stdout, stderr } = await hugo(argv.split(" "), { table: operations, cwd, home, env, columns: 120 });
      shown.push(`$ hugo ${argv}\n${stdout}${stderr}\n`);
    }
    expect(transcript).toBe(`${shown.join("").trimEnd()}\n`);
  }
});

test("the README names every command and every exit code", async () => {
  for (const row of operations) {
    const { name, aliases = [], arguments: specs, summary } = await row.load();
    const usage = [[name, ...aliases].join(", "), ...Object.entries(specs).map(argumentTerm)].join(" ");
    expect(readme).toContain(`| \`hugo ${usage}\` | ${summary} |\n`);
  }
  for (const { code, means } of exitCodes) expect(readme).toContain(`| ${code} | ${means} |\n`);
});
