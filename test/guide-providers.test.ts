// docs/guide/providers.md: every config on the page is one that the installed OpenCode accepts and understands.
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { debugConfig } from "@atomic/testing/opencode";
import { tmpProject } from "@atomic/testing/project";

setDefaultTimeout(180_000);

const page = readFileSync(join(import.meta.dirname, "../docs/guide/providers.md"), "utf8");
const configs = [...page.matchAll(/^```json\n([\s\S]*?)^```$/gm)].map(([, text = ""]) => text);

/** What OpenCode makes of an opencode.json. */
async function resolved(text: string): Promise<object> {
  await using project = await tmpProject({ files: { "opencode.json": text } });
  return await debugConfig(project, { env: { ANTHROPIC_API_KEY: "from-the-environment" } });
}

test("the page has configs", () => {
  expect(configs.length).toBe(4);
});

describe.each(configs.map((text, at) => [at + 1, text] as const))("config %d", (_at, text) => {
  test("is accepted, with every value", async () => {
    // OpenCode shows no keys, and drops what its schema does not have.
    const expected = JSON.parse(text.replace("{env:ANTHROPIC_API_KEY}", "***"));
    expect(await resolved(text)).toMatchObject(expected);
  });
});

test("a key that OpenCode's schema does not have would be noticed, and so would a value", async () => {
  const [, second = "", , fourth = ""] = configs;
  expect(second).toContain('"small_model"');
  expect(await resolved(second.replace('"small_model"', '"smal_model"'))).not.toHaveProperty("smal_model");
  expect(fourth).toContain('"context": 131072');
  await expect(resolved(fourth.replace('"context": 131072', '"context": "large"'))).rejects.toThrow();
});

test("the commands that the page shows exist", async () => {
  await using project = await tmpProject();
  for (const option of ["--budget-usd", "--budget-tokens", "--host"])
    expect(
      (await project.run(["node", join(import.meta.dirname, "../packages/atomic/bin/atomic.js"), "run", "--help"]))
        .stdout,
    ).toContain(option);
});
