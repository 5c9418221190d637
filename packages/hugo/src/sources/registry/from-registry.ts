import { rmSync } from "node:fs";
import type { Obtained, Step } from "../obtained.ts";
import type { RegistrySource } from "../package-source.ts";
import { PackageWriter } from "../package-writer.ts";
import { downloadRelease } from "./download-release.ts";

export async function fromRegistry(source: RegistrySource, { folder, limits, ...options }: Step): Promise<Obtained> {
  return await downloadRelease(
    source,
    options,
    (what) => {
      rmSync(folder, { recursive: true, force: true });
      return new PackageWriter(folder, what, limits);
    },
    limits,
  );
}
