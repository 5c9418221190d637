// Takes a lock, releases it, and takes it again, even if releasing failed.
import { lock } from "@atomic/durable-files/lock/lock";

const folder = process.argv[2]!;
const first = await lock(folder);
try {
  first.release();
  console.log("given back");
} catch (error) {
  console.log((error as Error).message);
}
(await lock(folder, { deadlineMs: 0 })).release();
console.log("taken again");
