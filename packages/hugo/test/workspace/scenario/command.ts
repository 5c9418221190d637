import { runCommand } from "./commands.ts";

const [name = "", project = ""] = process.argv.slice(2);
console.log(await runCommand(name, project));
