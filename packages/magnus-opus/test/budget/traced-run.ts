// Every file that a process and its children open for writing, and everybody they connect to.
import { dirname, join } from "node:path";
import type { Project } from "@atomic/testing/project";

/** Why it cannot be known here, or undefined if it can. */
export function traceMissing(): string | undefined {
  if (Bun.which("strace") === null) return "strace is not installed";
  const { exitCode, stderr } = Bun.spawnSync(["strace", "-f", "-o", "/dev/null", "true"]);
  return exitCode === 0 ? undefined : `strace is not allowed here: ${stderr.toString().trim()}`;
}

export interface Traced {
  readonly stdout: string;
  /** With ids, hashes and numbers as `*`, each once. */
  readonly written: readonly string[];
  /** `address:port`, each once. */
  readonly connections: readonly string[];
}

const calls = [
  ...["connect", "sendto", "open", "openat", "creat", "mkdir", "mkdirat", "rename", "renameat", "renameat2"],
  ...["link", "linkat", "symlink", "symlinkat", "unlink", "unlinkat", "rmdir", "truncate"],
];

export async function tracedRun(project: Project, argv: readonly string[]): Promise<Traced> {
  const trace = join(project.home, "../trace.txt");
  const strace = ["strace", "-f", "-qq", "-y", "-s", "4096", "-e", `trace=${calls.join(",")}`, "-o", trace];
  const { code, stdout, stderr } = await project.run([...strace, ...argv]);
  if (code !== 0) throw new Error(`${argv.join(" ")} ended with ${code}:\n${stderr}${stdout}`);
  const lines = wholeCalls(await project.read(trace));
  return { stdout, written: writtenIn(lines, project), connections: connectionsIn(lines) };
}

/** A call that another thread interrupts stands on two lines, and only the second says how it ended. */
export function wholeCalls(trace: string): string[] {
  const begun = new Map<string, string>();
  return trace.split("\n").flatMap((line) => {
    const [, thread = "", beginning] = /^(\d+) +(.*) <unfinished \.\.\.>$/.exec(line) ?? [];
    if (beginning !== undefined) {
      begun.set(thread, `${thread} ${beginning}`);
      return [];
    }
    const [, resumed = "", end = ""] = /^(\d+) +<\.\.\. \w+ resumed>(.*)$/.exec(line) ?? [];
    return [resumed === "" ? line : `${begun.get(resumed) ?? ""}${end}`];
  });
}

export function connectionsIn(lines: readonly string[]): string[] {
  const found = lines.flatMap((line) => [...line.matchAll(/sin6?_port=htons\((\d+)\).*?"([^"]+)"/g)]);
  return [...new Set(found.map(([, port, address]) => `${address}:${port}`))].toSorted();
}

export function writtenIn(lines: readonly string[], project: Pick<Project, "dir" | "home">): string[] {
  const paths = lines.filter(changesFiles).flatMap((line) => [...line.matchAll(/"([^"]+)"/g)].map(([, path]) => path!));
  return [...new Set(paths.map((path) => plain(path, project)))].toSorted();
}

function changesFiles(line: string): boolean {
  const call = /^\d+\s+(\w+)\(/.exec(line)?.[1];
  if (call === undefined || call === "connect" || call === "sendto" || / = -1 /.test(line)) return false;
  return !call.startsWith("open") || /O_WRONLY|O_RDWR|O_CREAT/.test(line);
}

/** As it would be in any other run. */
function plain(path: string, { dir, home }: Pick<Project, "dir" | "home">): string {
  const named = path.replace(dir, "<project>").replace(home, "~").replace(dirname(dir), "<root>");
  return named.replaceAll(/(ses|msg|prt|evt)_\w+/g, "*").replaceAll(/[0-9a-f]{8,}|\d+/g, "*");
}
