import { test } from "bun:test";

const isRoot = process.getuid?.() === 0;

/** `test` for a body that gives files to other users or drops privileges. */
export function rootTest(name: string, body: () => Promise<void>): void {
  if (isRoot && Bun.which("setpriv") !== null) test(name, body);
  else test.skip(`${name} (skipped: needs root and setpriv to act as two users)`, body);
}

/** Root may write everywhere; this is root without that right. */
export const withoutPrivileges: readonly string[] = ["setpriv", "--inh-caps=-all", "--bounding-set=-all"];
