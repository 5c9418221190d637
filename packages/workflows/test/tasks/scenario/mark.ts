// A process that works through a tasks file: `mark.ts <project>`.
import { markAll } from "./mark-all.ts";

const [folder = ""] = process.argv.slice(2);
const { reason, complete } = await markAll(folder);
console.log(reason);
process.exit(complete ? 0 : 1);
