import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { packageFolder } from "../packages/package-folder.ts";
import { type Opencode, runInto } from "./opencode.ts";

export interface PluginToLoad {
  /** URL of the file. */
  readonly entry: string;
  /** It stands in the config as a folder. */
  readonly isPath: boolean;
  readonly engine?: { readonly range: string; readonly version: string };
}

/** Imports a plugin in OpenCode's runtime, without OpenCode. Says why OpenCode does not take it; undefined if it does. */
export async function problemOfLoading(opencode: Opencode, plugin: PluginToLoad): Promise<string | undefined> {
  const folder = mkdtempSync(join(tmpdir(), "hugo-"));
  try {
    const answerFile = join(folder, "answer.json");
    // In a folder of its own: the runtime would heed a bunfig.toml and an .env of the project.
    const env = { ...opencode.env, BUN_BE_BUN: "1", PWD: folder };
    const script = join(packageFolder(), "probe", "load-plugin.mjs");
    const args = [script, JSON.stringify(plugin), answerFile];
    const ended = await runInto({ ...opencode, cwd: folder, env }, args, join(folder, "stdout"));
    if (ended.kind === "silent")
      return ended.isSlow ? "it does not come to an end while it is imported" : ended.because;
    return readAnswer(answerFile);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function readAnswer(file: string): string | undefined {
  try {
    const { loads, problem } = JSON.parse(readFileSync(file, "utf8")) as { loads: boolean; problem?: string };
    return loads ? undefined : problem;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "it ends the program that imports it";
    throw error;
  }
}
