// OpenCode is one file that unpacks its libraries each time it starts, and leaves them there: 5.5 MB. Each server gets a
// folder of its own for them, which is removed with the server.
import { lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isProvablyDead, type LockOwner, thisProcess } from "@atomic/durable-files/lock/owner";
import { failed } from "./failure.ts";

const prefix = "atomic-opencode-";
const ownerFile = "owner.json";

/** A new folder for one server, and the environment that makes the server use it. */
export interface UnpackFolder {
  readonly path: string;
  readonly env: Readonly<Record<string, string>>;
  remove(): void;
}

/** Also removes what processes that are certainly dead have left behind. */
export function unpackFolder(env: Readonly<Record<string, string | undefined>>): UnpackFolder {
  const parent = env.BUN_TMPDIR || env.TMPDIR || tmpdir();
  try {
    removeAbandoned(parent);
    const path = mkdtempSync(join(parent, prefix));
    writeFileSync(join(path, ownerFile), JSON.stringify(thisProcess("opencode")));
    return { path, env: { BUN_TMPDIR: path }, remove: () => rmSync(path, { recursive: true, force: true }) };
  } catch (cause) {
    const { message } = cause as NodeJS.ErrnoException;
    const hint = "Make the temporary folder writable, or set TMPDIR to another one.";
    throw failed("host-failed", `OpenCode needs a temporary folder, and ${parent} cannot be used: ${message}`, {
      hint,
      cause,
    });
  }
}

function removeAbandoned(parent: string): void {
  for (const name of readdirSync(parent)) {
    if (!name.startsWith(prefix)) continue;
    const path = join(parent, name);
    let owner: LockOwner;
    try {
      const { uid } = lstatSync(path);
      if (process.getuid !== undefined && uid !== process.getuid()) continue;
      owner = JSON.parse(readFileSync(join(path, ownerFile), "utf8")) as LockOwner;
    } catch (error) {
      // It was removed in the meantime, or its process is about to write the file.
      if (["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) continue;
      if (error instanceof SyntaxError) continue;
      throw error;
    }
    if (isProvablyDead(owner)) rmSync(path, { recursive: true, force: true });
  }
}
