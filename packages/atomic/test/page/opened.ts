// `atomic ui` as a user runs it, and real browsers that look at it.
import { join } from "node:path";
import type { OpenedPage } from "@atomic/testing/chromium";
import type { Project } from "@atomic/testing/project";

export const atomicBin: string = join(import.meta.dirname, "../../bin/atomic.js");

export interface ServedUi {
  readonly origin: string;
  /** The page's address, without a token. */
  readonly address: string;
  readonly pid: number;
  /** As Ctrl-C does it, to this process alone. Resolves when it has ended. */
  stop(): Promise<number | null>;
  /** Works for one browser. */
  readonly link: string;
}

/** Ends with the project. */
export async function serveUi(project: Project, ...args: readonly string[]): Promise<ServedUi> {
  const program = await project.start(["node", atomicBin, "ui", "--json", ...args]);
  const [, link = ""] = await program.printed(/"link":"([^"]+)"/, 60_000);
  const stop = async (): Promise<number | null> => {
    process.kill(program.pid, "SIGINT");
    return (await program.exited).code;
  };
  const { origin, pathname } = new URL(link);
  return { origin, address: origin + pathname, pid: program.pid, link, stop };
}

/** Goes to a part of the page, as its links do. */
export async function show(page: OpenedPage["page"], address: string): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(address)}`);
}
