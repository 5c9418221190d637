// `atomic` for the reader of a guide, with runs that are called the same every time.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Project } from "@atomic/testing/project";
import { offer } from "./installed-programs.ts";

const words = join(import.meta.dirname, "../../packages/workflows/src/run/run-id.ts");

/** What the runs of a guide are called, one after the other. */
const runIds = ["calm-otter", "brave-lark", "quiet-heron", "eager-wren", "lucky-fern", "merry-crane"];

/** Puts `atomic` on the PATH of a project's terminal. */
export async function offerAtomic(project: Project): Promise<void> {
  await project.write("~/chance.mjs", chance(runIds));
  await offer(project, "atomic", `--import '${project.path("~/chance.mjs")}'`);
}

/** Ids are random. If one is taken, the next one is tried. */
function chance(ids: readonly string[]): string {
  const [first = [], second = []] = Array.from(
    readFileSync(words, "utf8").matchAll(/"([a-z ]{200,})"/g),
    ([, words = ""]) => words.split(" "),
  );
  const at = (words: readonly string[], word: string): number => {
    if (!words.includes(word)) throw new Error(`No run is called ${word} any more.`);
    return (words.indexOf(word) + 0.5) / words.length;
  };
  const numbers = ids.flatMap((id) => {
    const [one = "", two = ""] = id.split("-");
    return [at(first, one), at(second, two)];
  });
  return `const numbers = ${JSON.stringify(numbers)};\nlet next = 0;\nMath.random = () => numbers[next++ % numbers.length];\n`;
}
