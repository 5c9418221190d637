// More than anybody needs.
import { truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tar } from "@atomic/testing/npm/tarball";
import type { Hostile } from "../hostile-package.ts";
import { file, folder, harmless, openTar, repository } from "../making.ts";

const tooLarge = { code: "package-unsafe", says: "20000 files or 256 MiB" } as const;

export const sizes: readonly Hostile[] = [
  {
    what: "a folder with a file of two gigabytes",
    make: (world) => {
      const path = folder(world, "large", harmless);
      writeFileSync(join(path, "disk.img"), "");
      truncateSync(join(path, "disk.img"), 2 ** 31);
      return path;
    },
    expected: tooLarge,
  },
  {
    what: "a tarball that says that it holds two gigabytes",
    make: (world) => {
      const [header] = [openTar([{ path: "package/disk.img", content: "x" }]).subarray(-1024, -512)];
      header?.write("20000000000\0", 124, "latin1");
      const sum = header?.fill(" ", 148, 156).reduce((total, byte) => total + byte, 0) ?? 0;
      header?.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
      return file(world, "large.tar", Buffer.concat([openTar(), header ?? Buffer.alloc(0), Buffer.alloc(1024)]));
    },
    expected: tooLarge,
  },
  {
    what: "a tarball of a hundred thousand files",
    make: (world) => {
      const entry = (i: number) => ({ path: `package/f/${i}`, content: "" });
      return file(world, "many.tar", tar(Array.from({ length: 100_000 }, (_, i) => entry(i))));
    },
    expected: tooLarge,
    once: true,
  },
  {
    what: "a repository of a hundred thousand files",
    make: async (world) => {
      const files = Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`f/${i >> 8}/${i}`, ""]));
      return (await repository(world, "many", files)).packageUrl;
    },
    expected: tooLarge,
    once: true,
  },
  {
    what: "a folder that is deeper than any path",
    make: (world) => {
      const path = folder(world, "deep", harmless);
      // Step by step, since the whole path is longer than the system takes.
      const script = `for i in $(seq 30); do mkdir ${"d".repeat(200)}; cd ${"d".repeat(200)}; done; touch x`;
      Bun.spawnSync(["sh", "-c", script], { cwd: path });
      return path;
    },
    expected: { code: "package-unsafe", says: "is nested too deeply" },
  },
];
