// "The next command" in the project given as argument.
import { recover } from "@atomic/durable-files/transaction/recover";
import { stateDir } from "./project-files.ts";

console.log(JSON.stringify((await recover(stateDir(process.argv[2]!))) ?? null));
