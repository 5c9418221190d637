// A list of runs is read while other processes lock and release the runs' files. On Node, which fails if a folder goes while
// it is read.
import { expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { openJournal } from "@atomic/durable-files/journal/journal";
import { tmpProject } from "@atomic/testing/project";
import { embeddedEngine } from "../../src/run/embedded/embedded-engine.ts";
import { build } from "../workflows/runtimes.ts";

setDefaultTimeout(180_000);

const dist = join(import.meta.dirname, "../../dist");
const program = `
import { embeddedEngine } from ${JSON.stringify(join(dist, "run/embedded/embedded-engine.js"))};
const engine = embeddedEngine(process.argv[1], { interpret: async () => null });
const listed = new Set();
for (let at = 0; at < 3000; at++) for (const { status } of await engine.list()) listed.add(status.reason ?? status.kind);
console.log(JSON.stringify([...listed].slice(0, 3)));
`;

test("a run whose files are locked and released is not listed as damaged", async () => {
  build();
  await using project = await tmpProject({ git: false });
  const root = project.path("runs");
  await embeddedEngine(root, { interpret: async () => null }).start({ runId: "calm-otter", graph: null, input: null });
  const lister = Bun.spawn(["node", "--input-type=module", "--eval", program, root], { stderr: "inherit" });
  while (lister.exitCode === null) {
    const inbox = await openJournal(join(root, "calm-otter/inbox.jsonl"));
    inbox.close();
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(JSON.parse(await new Response(lister.stdout).text())).toEqual(["pending"]);
});
