import { readTextForEdit } from "@atomic/durable-files/files/read-for-edit";
import { openJournal } from "@atomic/durable-files/journal/journal";
import { editJsonc } from "@atomic/durable-files/jsonc/edit";
import { lock } from "@atomic/durable-files/lock/lock";
import { recover } from "@atomic/durable-files/transaction/recover";
import { transaction } from "@atomic/durable-files/transaction/transaction";

await using held = await lock(".opencode/.hugo", { purpose: "hugo install", deadlineMs: 30_000 });
// Recover before reading: finishing an interrupted change may change the files.
const recovered = await recover(".opencode/.hugo", { lock: held });
if (recovered) console.log(recovered.message);
const config = readTextForEdit("opencode.json");
const edited = editJsonc(config.text, [{ op: "insert", path: ["plugin"], value: "review@1.2.0" }], {
  file: "opencode.json",
  empty: config.hash === "absent" ? "absent" : "refuse",
});

const { files } = await transaction(
  ".opencode/.hugo",
  [
    { path: "opencode.json", content: edited, expect: config.hash },
    { path: ".opencode/agents/reviewer.md", content: "You review.\n", expect: "absent" },
    { path: ".opencode/agents/old/critic.md", delete: true },
  ],
  { lock: held, pruneEmptyUpTo: ".opencode" },
);
for (const { path, did } of files) console.log(`${did} ${path}`);

await using journal = await openJournal(".opencode/.hugo/history.jsonl");
await journal.append({ type: "installed", package: "review@1.2.0" });
