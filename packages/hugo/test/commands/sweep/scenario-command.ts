import { HugoError } from "../../../src/errors.ts";
import { type Command, run } from "./scenario.ts";

const [name = "", project = ""] = process.argv.slice(2);
try {
  await run(name as Command, project);
} catch (error) {
  if (!(error instanceof HugoError)) throw error;
  console.error(`${error.code}: ${error.message} ${error.hint}`);
  process.exitCode = error.exitCode;
}
