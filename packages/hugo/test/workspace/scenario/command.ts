import { HugoError } from "../../../src/errors.ts";
import { runCommand } from "./commands.ts";

const [name = "", project = ""] = process.argv.slice(2);
try {
  console.log(await runCommand(name, project));
} catch (error) {
  if (!(error instanceof HugoError)) throw error;
  console.error(`${error.code}: ${error.message} ${error.hint}`);
  process.exitCode = error.exitCode;
}
