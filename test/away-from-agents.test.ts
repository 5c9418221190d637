// `npm test` and `npm start` work the same whether a person or an agent starts it.
import { expect, test } from "bun:test";
import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import { tmpProject } from "@atomic/testing/project";

const script = join(import.meta.dirname, "../scripts/apart.mjs");
const source = join(import.meta.dirname, "../packages/terminal/src/agent-at-keyboard.ts");
const probe = `import { expect, test } from "bun:test";
import { agentAtKeyboard, realSurroundings } from ${JSON.stringify(source)};
test("no agent runs the tests", () => expect(agentAtKeyboard(realSurroundings())).toBeUndefined());
test("broken", () => expect(process.env.BREAK).toBeUndefined());
`;

if (process.platform !== "linux") console.warn("skipped: how tests get away from an agent, because it needs /proc");
test.skipIf(process.platform !== "linux")(
  "tests that an agent starts run in a process that it is not the parent of",
  async () => {
    await using project = await tmpProject({ git: false, files: { "probe.test.ts": probe } });
    // A renamed shell looks like an agent.
    await copyFile("/bin/sh", project.path("opencode"));
    await project.run(["chmod", "+x", "opencode"]);
    const env = { OPENCODE: "1", AGENT: "1", CLAUDECODE: "1" };
    const line = `node '${script}' bun test ./probe.test.ts; echo "exit $?"`;
    const direct = await project.run(["./opencode", "-c", `'${process.execPath}' test ./probe.test.ts; true`], { env });
    expect(direct.stderr).toContain("1 fail");
    const apart = await project.run(["./opencode", "-c", line], { env });
    expect(apart.stderr).toStartWith("OpenCode runs this (the variable OPENCODE is set)");
    expect(apart.stderr).toContain("2 pass");
    expect(apart.stdout).toEndWith("exit 0\n");
    const broken = await project.run(["./opencode", "-c", line], { env: { ...env, BREAK: "1" } });
    expect(broken.stdout).toEndWith("exit 1\n");
    const alone = await project.run(["sh", "-c", line]);
    expect(alone.stdout).toEndWith("exit 0\n");
  },
);
