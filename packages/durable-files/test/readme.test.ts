import { expect, test } from "bun:test";
import * as fs from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@atomic/testing/temporary-folder";
import { interrupt } from "./scenario/interrupted.ts";
import { bundleScenarios, runtimes } from "./scenario/runtimes.ts";

const readme = fs.readFileSync(join(import.meta.dirname, "../README.md"), "utf8");
const blocks = [...readme.matchAll(/^```(?:ts)?\n(.*?)^```$/gms)].map(([, text]) => text!);
const example = join(import.meta.dirname, "scenario/readme-example.ts");

test("the README shows the example that is run here", () => {
  expect(blocks).toContain(fs.readFileSync(example, "utf8"));
});

for (const runtime of runtimes) {
  test(`the example of the README prints what the README says on ${runtime.name}`, async () => {
    await using folder = await temporaryFolder();
    await using scenarios = await bundleScenarios("readme-example");
    fs.writeFileSync(join(folder.path, "opencode.json"), `{ "plugin": [] }\n`);
    fs.mkdirSync(join(folder.path, ".opencode/agents/old"), { recursive: true });
    fs.writeFileSync(join(folder.path, ".opencode/agents/old/critic.md"), "");
    const { stdout, stderr } = Bun.spawnSync(scenarios.run(runtime, "readme-example"), {
      cwd: folder.path,
      env: { ...process.env, ...runtime.env },
    });
    expect(stderr.toString()).toBe("");
    expect(blocks).toContain(stdout.toString());
  });
}

test("the README's example reports an earlier crash and continues", async () => {
  await using folder = await temporaryFolder();
  await using scenarios = await bundleScenarios("readme-example");
  const project = join(folder.path, "project");
  await interrupt(project, 0);
  const { stdout, stderr } = Bun.spawnSync(scenarios.run(runtimes[1]!, "readme-example"), { cwd: project });
  expect(stderr.toString()).toBe("");
  expect(stdout.toString()).toStartWith("An interrupted change to 4 files was finished.\nreplaced opencode.json\n");
});
