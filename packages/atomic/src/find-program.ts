// The PATH, searched as a shell does it.
import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import { lookOr } from "@atomic/workflows/internal/entities/system-error";
import type { AtomicContext } from "./context.ts";

/** The file that a shell would run. A relative folder on the PATH could be anyone's, so those do not count. */
export function findProgram(name: string, { env }: Pick<AtomicContext, "env">): string | undefined {
  const files = (env.PATH ?? "")
    .split(delimiter)
    .filter((folder) => isAbsolute(folder))
    .map((folder) => join(folder, name));
  // A folder that may not be read, such as one of another user, is as good as none.
  return files.find((file) => lookOr(false, () => isExecutable(file)));
}

function isExecutable(file: string): boolean {
  accessSync(file, constants.X_OK);
  return statSync(file).isFile();
}
