// What a pipe gets from a real process, on both runtimes. The process has opened a stream on it, so it does not wait for its reader.
import { beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { tmpProject } from "@atomic/testing/project";

setDefaultTimeout(120_000);

const source = join(import.meta.dirname, "../src/process-output.ts");
let program = "";
beforeAll(async () => {
  const built = await Bun.build({ entrypoints: [source], target: "node", conditions: ["bun"] });
  program = (await built.outputs[0]?.text()) ?? "";
});

/** What `code` writes to `output`, after the shell's `reader` has read it. */
async function read(runtime: string, code: string, reader: string) {
  const setUp = `import { outputTo, writePieces } from "./process-output.mjs";
    const output = outputTo({ fd: 1, env: {}, hangUp: () => undefined, stream: () => process.stdout });
    process.stdout;
  `;
  const files = { "process-output.mjs": program, "writes.mjs": setUp + code };
  await using project = await tmpProject({ git: false, files });
  const { stdout, stderr } = await project.run(["bash", "-c", `"$@" | ${reader}`, "bash", runtime, "writes.mjs"]);
  return { stdout, stderr };
}

const runtimes = [
  ["Node", "node"],
  ["Bun", process.execPath],
] as const;

test.each(runtimes)("on %s, a pipe has all that was written before the process ends", async (_, runtime) => {
  const code = `output.write("ü".repeat(5_000_000)); process.exit();`;
  expect(await read(runtime, code, "cat | wc -c")).toEqual({ stdout: "10000000\n", stderr: "" });
});

test.each(runtimes)("on %s, pieces are made as fast as they are read, and only while they are", async (_, runtime) => {
  const code = `let made = 0;
    function* endless() { for (;;) { made += 1; yield "x".repeat(65_535) + "\\n"; } }
    await writePieces(output, endless());
    process.stderr.write(String(made));`;
  const { stdout, stderr } = await read(runtime, code, "head -n 100 | wc -l");
  expect(stdout).toBe("100\n");
  // What was read, the pipe's 64 KiB, what head reads at a time, and the piece that was not read.
  expect(Number(stderr)).toBeGreaterThanOrEqual(100);
  expect(Number(stderr)).toBeLessThanOrEqual(104);
});
