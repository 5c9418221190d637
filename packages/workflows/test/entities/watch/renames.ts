// What a watch notices of renames, run by each program that runs it: OpenCode's older Bun reports only the old name of a rename.
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { lookOr } from "../../../src/entities/system-error.ts";
import { QuietWatch } from "../../../src/entities/watch/quiet-watch.ts";

const [base = ""] = process.argv.slice(2);
const at = (...parts: readonly string[]): string => join(base, ...parts);
const read = (path: string): string => lookOr("", () => readFileSync(at(path), "utf8"));

mkdirSync(at("state", "runs", "one"), { recursive: true });
writeFileSync(at("config.json"), "before");
writeFileSync(at("state/runs/one/journal"), "before");

let looked = (): void => undefined;
const targets = ["config.json", "state/runs", "state/runs/one"].map((path) => ({ base, path, deep: false }));
const follow = (): void => {
  while (watch.follow(targets));
};
const watch = new QuietWatch(
  async () => {
    follow();
    looked();
  },
  (error) => {
    throw error;
  },
);
follow();

/** Does it, and waits until a look sees what is there now; others may come before. */
async function noticed(what: string, change: () => void, holds: () => boolean): Promise<void> {
  await new Promise<void>((resolve) => {
    looked = () => {
      if (holds()) resolve();
    };
    change();
  });
  console.log(what);
}

const replaceConfig = (text: string): void => {
  writeFileSync(at("config.json.tmp"), text);
  renameSync(at("config.json.tmp"), at("config.json"));
};
const journal = "state/runs/one/journal";
const append = (text: string) => () => writeFileSync(at(journal), text);

await noticed(
  "a file replaced",
  () => replaceConfig("after"),
  () => read("config.json") === "after",
);
const moveIn = (): void => {
  writeFileSync(at("state/config.json"), "moved in");
  renameSync(at("state/config.json"), at("config.json"));
};
await noticed("a file moved in", moveIn, () => read("config.json") === "moved in");
for (const path of ["state/runs", "state"]) {
  await noticed(
    `${path} moved away`,
    () => renameSync(at(path), at(`${path}-away`)),
    () => read(journal) === "",
  );
  await noticed(
    `${path} moved back`,
    () => renameSync(at(`${path}-away`), at(path)),
    () => read(journal) !== "",
  );
  await noticed(`a change in ${path}`, append(path), () => read(journal) === path);
}
watch.close();
