// Takes the lock repeatedly and proves that no other process holds it: the marker can only be created while it does not exist.
// Arguments: folder, how many times.
import * as fs from "node:fs";
import { join } from "node:path";
import { lock } from "@atomic/durable-files/lock/lock";

const [folder = "", times = ""] = process.argv.slice(2);
const marker = join(folder, "inside");
for (let time = 0; time < Number(times); time++) {
  await using held = await lock(folder, { deadlineMs: 120_000 });
  fs.closeSync(fs.openSync(marker, "wx"));
  held.assertHeld();
  fs.unlinkSync(marker);
}
