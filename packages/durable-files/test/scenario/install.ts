// Installs a small workflow into the project given as argument: one file of each kind of change, and the config.
import { transaction } from "@atomic/durable-files/transaction/transaction";
import { installChanges, pruneUpTo, stateDir } from "./project-files.ts";

const project = process.argv[2]!;
const result = await transaction(stateDir(project), installChanges(project), { pruneEmptyUpTo: pruneUpTo(project) });
console.log(JSON.stringify(result));
