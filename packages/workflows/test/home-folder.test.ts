import { expect, test } from "bun:test";
import { join } from "node:path";
import { temporaryFolder } from "@atomic/testing/temporary-folder";

const program = `
  import { homedir } from "node:os";
  import { homeFolder } from ${JSON.stringify(join(import.meta.dirname, "../src/entities/registry.ts"))};
  console.log(JSON.stringify([homeFolder(), homedir()]));`;

test.each([{ HOME: "/somewhere/else" }, { HOME: "relative" }, { HOME: "" }, {}])(
  "is the one that the system names, with %j",
  async (home) => {
    // With a relative home or none, Bun makes its cache in the current folder.
    await using folder = await temporaryFolder();
    const { HOME: _HOME, ...env } = process.env;
    const { stdout } = Bun.spawnSync([process.execPath, "-e", program], { cwd: folder.path, env: { ...env, ...home } });
    const [ours, theirs] = JSON.parse(stdout.toString());
    expect(ours).toBe(theirs);
  },
);
