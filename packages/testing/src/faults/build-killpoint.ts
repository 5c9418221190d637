// killpoint is built where it is used: a checkout brings the source, the system compiler does the rest, once.
import { createHash, randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rename, rm } from "node:fs/promises";
import { basename, join } from "node:path";

const sourceFolder = join(import.meta.dirname, "../../native");
const buildFolder = join(import.meta.dirname, "../../../../.build");
const compile = ["cc", "-std=gnu11", "-O2", "-Wall", "-Wextra"];

export class CannotBuildKillpoint extends Error {
  override readonly name = "CannotBuildKillpoint";
}

/** The path of the program for exactly these sources; built by the first process that asks. */
export async function buildKillpoint(folder: string = buildFolder): Promise<string> {
  const sources = await readSources();
  const program = join(folder, `killpoint-${process.arch}-${hash(sources)}`);
  if (existsSync(program)) return program;
  if (Bun.which("cc") === null) throw new CannotBuildKillpoint("there is no C compiler: `cc` is not on PATH");

  await mkdir(folder, { recursive: true });
  const unfinished = `${program}.${randomUUID()}`;
  try {
    await run([...compile, "-o", unfinished, ...[...sources.keys()].filter((file) => file.endsWith(".c"))]);
    await rename(unfinished, program);
  } finally {
    await rm(unfinished, { force: true });
  }
  return program;
}

async function readSources(): Promise<Map<string, Buffer>> {
  const files = (await readdir(sourceFolder)).sort().map((name) => join(sourceFolder, name));
  return new Map(await Promise.all(files.map(async (file) => [file, await readFile(file)] as const)));
}

function hash(sources: Map<string, Buffer>): string {
  const hash = createHash("sha256").update(compile.join(" "));
  for (const [file, text] of sources) hash.update(basename(file)).update(text);
  return hash.digest("hex").slice(0, 16);
}

async function run(command: string[]): Promise<void> {
  const compiler = Bun.spawn(command, { stdout: "ignore", stderr: "pipe" });
  const [exitCode, stderr] = await Promise.all([compiler.exited, compiler.stderr.text()]);
  if (exitCode !== 0) throw new CannotBuildKillpoint(`\`${command.join(" ")}\` exited with ${exitCode}:\n${stderr}`);
}
