// Adds plugins to the opencode.json of a project, one transaction each, as many commands at once would.
// Arguments: project, this process's number, how many plugins.
import { join } from "node:path";
import { readTextForEdit } from "@atomic/durable-files/files/read-for-edit";
import { editJsonc } from "@atomic/durable-files/jsonc/edit";
import { lock } from "@atomic/durable-files/lock/lock";
import { transaction } from "@atomic/durable-files/transaction/transaction";

const [project = "", who = "", count = ""] = process.argv.slice(2);
const path = join(project, "opencode.json");
const stateDir = join(project, ".opencode/.hugo");

for (let round = 0; round < Number(count); round++) {
  await using held = await lock(stateDir, { deadlineMs: 120_000, purpose: `process ${who}` });
  const read = readTextForEdit(path);
  const value = `plugin-${who}-${round}@1.0.0`;
  const content = editJsonc(read.text, [{ op: "insert", path: ["plugin"], value }]);
  await transaction(stateDir, [{ path, content, expect: read.hash }], { lock: held });
}
