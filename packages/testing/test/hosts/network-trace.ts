import { fileURLToPath } from "node:url";
import type { Project } from "@atomic/testing/project";

export const ask: string = fileURLToPath(new URL("ask.ts", import.meta.url));

/** Why connections cannot be traced here, or undefined if they can. */
export function traceMissing(): string | undefined {
  if (Bun.which("strace") === null) return "strace is not installed";
  const { exitCode, stderr } = Bun.spawnSync(["strace", "-f", "-o", "/dev/null", "true"]);
  return exitCode === 0 ? undefined : `strace is not allowed here: ${stderr.toString().trim()}`;
}

export interface TracedAnswer {
  readonly stdout: string;
  /** `address:port` of every internet connection tried, each once. */
  readonly connections: readonly string[];
}

/** Lets a host answer and run a command, and returns where it and everything it started tried to connect. */
export async function tracedAnswer(project: Project, host: string, command: string): Promise<TracedAnswer> {
  const trace = project.path("trace.txt");
  const strace = ["strace", "-f", "-qq", "-e", "trace=connect", "-o", trace];
  const { code, stdout, stderr } = await project.run([...strace, "bun", ask, host, command]);
  if (code !== 0) throw new Error(`The traced host ended with ${code}: ${stderr}`);
  return { stdout, connections: connectionsIn(await project.read(trace)) };
}

export function connectionsIn(trace: string): string[] {
  const found = trace.matchAll(/sin6?_port=htons\((\d+)\).*?"([^"]+)"/g);
  return [...new Set([...found].map(([, port, address]) => `${address}:${port}`))];
}
