import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { transaction } from "@atomic/durable-files/transaction/transaction";
import writeFileAtomic from "write-file-atomic";
import peer from "write-file-atomic/package.json" with { type: "json" };
import { bench, type Contestant, type Group, type Round } from "./harness/bench.ts";

type Replace = (round: Round, files: readonly string[], content: string) => void | Promise<void>;

const plain: Replace = (_round, files, content) => {
  for (const file of files) writeFileSync(file, content);
};

const atomic: Replace = async (_round, files, content) => {
  for (const file of files) await writeFileAtomic(file, content);
};

const ours: Replace = async ({ dir }, files, content) => {
  await transaction(
    join(dir, "state"),
    files.map((path) => ({ path, content })),
  );
};

/** Replaces the same files again and again, with other bytes each time: writing what is there already may be skipped. */
function contestant(name: string, names: readonly string[], replace: Replace): Contestant {
  const paths = ({ dir }: Round) => names.map((file) => join(dir, file));
  let turn = 0;
  const content = () => `${String(turn).padStart(8, "0")}\n${"x".repeat(2000)}\n`;
  return {
    name,
    ...(replace === ours && { ours: true, expectRatio: { of: "write-file-atomic", atMost: 10, metric: "cpu" } }),
    setup: (round) => plain(round, paths(round), content()),
    micro: (round) => {
      turn++;
      return replace(round, paths(round), content());
    },
    check: (round) => {
      const stale = paths(round).filter((file) => readFileSync(file, "utf8") !== content());
      if (stale.length > 0) throw new Error(`${stale.join(", ")} does not hold what was written last`);
    },
  };
}

function group(title: string, names: readonly string[]): Group {
  return {
    title,
    baseline: "write-file-atomic",
    contestants: [
      contestant("writeFileSync", names, plain),
      contestant("write-file-atomic", names, atomic),
      contestant("transaction", names, ours),
    ],
  };
}

export default bench({
  title: "The cost of replacing files safely",
  about: `- \`writeFileSync\` waits for nothing: a crash can leave an empty or half-written file.
- \`write-file-atomic\` syncs a temporary file and renames it: after a crash, each file is either old or new. Several files take several
  steps, and other writers are not kept out in between.
- \`transaction\` does more, and pays for it: it takes a lock between processes, journals what it is about to do, syncs files *and*
  folders, and compares each file again right before replacing it. After a crash at any point, the next call makes all
  files new or leaves them all old.`,
  versions: { "write-file-atomic": peer.version },
  groups: [group("Replace one 2 kB file", ["one"]), group("Replace four 2 kB files", ["one", "two", "three", "four"])],
});
