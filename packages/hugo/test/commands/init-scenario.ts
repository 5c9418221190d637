// `hugo init tests` in the folder that is named, for a sweep of faults. A second run finds what the first one left.

import { init } from "../../src/commands/init.ts";
import { HugoError } from "../../src/errors.ts";
import { common, quietContext } from "./quiet-context.ts";

const [cwd = ""] = process.argv.slice(2);
try {
  await init.run(quietContext(cwd), { ...common, folder: "tests", name: undefined });
} catch (error) {
  // The first run was through.
  if (!(error instanceof HugoError && error.code === "folder-not-empty")) throw error;
}
