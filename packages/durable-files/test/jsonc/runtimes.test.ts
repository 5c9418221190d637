import { expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { opencodeBinary } from "@atomic/testing/opencode/binary";
import { temporaryFolder } from "@atomic/testing/temporary-folder";

// These tests do a lot of work without waiting: the limit only stops a run that hangs.
setDefaultTimeout(120_000);

const repository = join(import.meta.dirname, "../../../..");
const source = join(import.meta.dirname, "../../src");
const probe = join(import.meta.dirname, "fixtures/runtime-probe.mjs");

const EXPECTED = {
  inserted:
    '\ufeff{\r\n\t"plugin": [\r\n\t\t"a", // why\r\n\t\t["b", { "c": 1 }]\r\n\t],\r\n\t"__proto__": { "x": 1 },\r\n}',
  value: JSON.parse('{"plugin": ["a", ["b", {"c": 1}]], "__proto__": {"x": 1}}'),
  polluted: null,
  refused: {
    code: "syntax",
    message:
      'opencode.json:6:1: expected a property name in double quotes or "}" to continue the object opened at 1:1, ' +
      "found the end of the file",
  },
  restored: true,
};

async function run(command: readonly string[], env: Record<string, string> = {}): Promise<string> {
  const child = Bun.spawn([...command], { env: { ...process.env, ...env }, stdout: "pipe", stderr: "pipe" });
  const [output, errors, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  if (code !== 0) throw new Error(`${command.join(" ")} ended with ${code}:\n${output}${errors}`);
  return output;
}

/** Compiles the module as the package build does, into a folder of its own. */
async function compile(folder: string): Promise<string> {
  const config = {
    extends: join(repository, "tsconfig.base.json"),
    compilerOptions: { rootDir: source, outDir: join(folder, "dist"), types: [], composite: false, incremental: false },
    files: ["edit", "parse", "value"].map((name) => join(source, `jsonc/${name}.ts`)),
  };
  await Bun.write(join(folder, "package.json"), '{ "type": "module" }');
  await Bun.write(join(folder, "tsconfig.json"), JSON.stringify(config));
  await run([join(repository, "node_modules/.bin/tsc"), "-p", folder]);
  return join(folder, "dist");
}

test("this Bun reads and edits from source", async () => {
  expect(JSON.parse(await run([process.execPath, probe, source, ".ts"]))).toEqual(EXPECTED);
});

test("the Bun inside OpenCode reads and edits from source", async () => {
  expect(JSON.parse(await run([opencodeBinary, probe, source, ".ts"], { BUN_BE_BUN: "1" }))).toEqual(EXPECTED);
});

test("Node reads and edits with the compiled module", async () => {
  await using folder = await temporaryFolder("jsonc-build-");
  expect(JSON.parse(await run(["node", probe, await compile(folder.path), ".js"]))).toEqual(EXPECTED);
});
