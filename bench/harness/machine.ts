/** Facts that a reader needs to judge the figures; nothing that names the machine or its folders. */
import { statfsSync } from "node:fs";
import { availableParallelism, loadavg, tmpdir } from "node:os";

export interface Machine {
  readonly cores: number;
  readonly platform: string;
  /** Of the folder that rounds work in: a sync to memory is free, one to a disk is not. */
  readonly fileSystem: string;
  readonly loadBefore: number;
  readonly loadAfter: number;
  readonly versions: Readonly<Record<string, string>>;
  readonly warnings: readonly string[];
}

const fileSystems = new Map([
  [0xef53, "ext4"],
  [0x01021994, "tmpfs"],
  [0x58465342, "xfs"],
  [0x794c7630, "overlayfs"],
  [0x9123683e, "btrfs"],
]);

export function loadAverage(): number {
  return loadavg()[0]!;
}

export function describeMachine(loadBefore: number, versions: Readonly<Record<string, string>> = {}): Machine {
  const cores = availableParallelism();
  const loadAfter = loadAverage();
  const node = Bun.spawnSync(["node", "--version"]).stdout.toString().trim().replace(/^v/, "");
  return {
    cores,
    platform: `${process.platform} ${process.arch}`,
    fileSystem: fileSystems.get(statfsSync(tmpdir()).type) ?? "unknown file system",
    loadBefore,
    loadAfter,
    versions: { bun: Bun.version, node, ...versions },
    warnings: loadWarnings(cores, loadBefore, loadAfter),
  };
}

/** The contestants themselves keep about one core busy, so the load afterwards may be one higher. */
export function loadWarnings(cores: number, before: number, after: number): string[] {
  const tolerated = cores / 2;
  if (before <= tolerated && after <= tolerated + 1) return [];
  const seen = `load average ${before.toFixed(1)} before and ${after.toFixed(1)} after on ${cores} cores`;
  return [`${seen}: other processes were busy. Trust the CPU column and the ratios, not the wall times.`];
}

export function machineLine({ cores, platform, fileSystem, versions }: Machine): string {
  const programs = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  return [`${cores} cores`, platform, fileSystem, ...programs].join(" · ");
}
