import { HugoError } from "../../../src/errors.ts";
import { runCommand } from "./project.ts";

const [name = "", folder = ""] = process.argv.slice(2);
try {
  await runCommand(name, folder);
} catch (error) {
  if (!(error instanceof HugoError)) throw error;
  console.error(`${error.code}: ${error.message} ${error.hint}`);
  process.exitCode = error.exitCode;
}
