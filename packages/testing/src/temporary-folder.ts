import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { OrphanGuard } from "./marked-processes.ts";

export interface TemporaryFolder extends AsyncDisposable {
  /** Absolute, without symbolic links. */
  readonly path: string;
}

/** An empty folder that is removed, with all that is in it, when it goes out of scope or this process is gone. */
export async function temporaryFolder(prefix = "testing-"): Promise<TemporaryFolder> {
  const path = await realpath(await mkdtemp(join(tmpdir(), prefix)));
  const guard = new OrphanGuard({ folder: path });
  return {
    path,
    async [Symbol.asyncDispose]() {
      await rm(path, { recursive: true, force: true });
      guard.dismiss();
    },
  };
}
