import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { commands } from "../src/commands.ts";
import { exitCodes } from "../src/exit-code.ts";
import { atomic } from "./atomic.ts";
import { sampleProject } from "./sample.ts";

const readme = readFileSync(join(import.meta.dirname, "../README.md"), "utf8");
const transcripts = [...readme.matchAll(/^```console\n(.*?)^```$/gms)].map(([, text = ""]) => text);

test("the README shows what atomic really says", async () => {
  await using project = await sampleProject({
    ".claude/agents/tester.md":
      "---\nname: tester\ndescription: Runs the tests\ntools: Read, Bash(npm test\n---\nYou test.\n",
  });
  expect(transcripts).toHaveLength(1);
  for (const transcript of transcripts) {
    const typed = [...transcript.matchAll(/^\$ atomic (.*)$/gm)].map(([, argv = ""]) => argv);
    expect(typed.length).toBeGreaterThan(0);
    const shown = [];
    for (const argv of typed) {
      const { output } = await atomic(project, argv.split(" "), { columns: 120 });
      shown.push(`$ atomic ${argv}\n${output.replaceAll(project.dir, "/home/me/project")}\n`);
    }
    expect(transcript).toBe(`${shown.join("").trimEnd()}\n`);
  }
});

test("the README names every command, option and exit code", async () => {
  for (const [name, load] of Object.entries(commands)) {
    const { options } = await load();
    const row = readme.split("\n").find((line) => line.startsWith(`| \`atomic ${name}`));
    for (const option of Object.keys(options)) expect(row).toContain(`--${option}`);
  }
  for (const { code, means } of exitCodes) expect(readme).toContain(`| ${code} | ${means} |`);
});

/** Every key of every object in a document. */
function keysIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(keysIn);
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [key, ...(key === "restrictions" ? [] : keysIn(inner))]);
}

test("the README names every key of the documents", async () => {
  const inner = ["kind", "because", "by", "over"]; // of a standing
  await using project = await sampleProject({
    ".claude/agents/tester.md": "---\ntools: 7\n---\n",
    "opencode.json": { agent: { x: { model: "y" } } },
  });
  for (const argv of [
    ["entities"],
    ["entities", "--shadowed"],
    ["which", "commit"],
    ["which", "x"],
    ["lint", "--user"],
  ]) {
    const { stdout } = await atomic(project, [...argv, "--json"]);
    const unknown = keysIn(JSON.parse(stdout)).filter((key) => !inner.includes(key) && !readme.includes(`\`${key}\``));
    expect(unknown).toEqual([]);
  }
});
