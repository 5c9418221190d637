import { join } from "node:path";
import { temporaryFolder } from "../temporary-folder.ts";
import { buildKillpoint, CannotBuildKillpoint } from "./build-killpoint.ts";
import { KillpointFailed, runTraced } from "./run-traced.ts";

export type Availability = { readonly available: true } | { readonly available: false; readonly reason: string };

let known: Promise<Availability> | undefined;

/** Whether faults can be injected on this machine: Linux, a C compiler, and a kernel that allows ptrace and seccomp. */
export function faultsAvailable(): Promise<Availability> {
  known ??= probe();
  return known;
}

async function probe(): Promise<Availability> {
  if (process.platform !== "linux") return no(`faults are injected with Linux's ptrace, this is ${process.platform}`);
  if (process.arch !== "x64" && process.arch !== "arm64") return no(`killpoint does not know ${process.arch}`);
  try {
    await buildKillpoint();
  } catch (error) {
    if (error instanceof CannotBuildKillpoint) return no(error.message);
    throw error;
  }
  return await countsOneFolder();
}

async function countsOneFolder(): Promise<Availability> {
  await using folder = await temporaryFolder();
  try {
    const { operations } = await runTraced({ command: ["mkdir", join(folder.path, "made")], under: folder.path });
    return operations.length === 1 ? { available: true } : no(`one mkdir counts as ${operations.length} operations`);
  } catch (error) {
    if (error instanceof KillpointFailed) return no(error.message);
    throw error;
  }
}

function no(reason: string): Availability {
  return { available: false, reason };
}
