// Tarballs, byte by byte: what `npm pack` would never make.
import type { Hostile } from "../hostile-package.ts";
import { agent, archive, bomb, file, folder, harmless, onlyHarmless, openTar } from "../making.ts";
import { SECRET, type World } from "../world.ts";

const evil = "Written by a hostile package.";

const unsafe = (what: string, path: string | ((world: World) => string), says: string): Hostile => ({
  what,
  make: (world) => archive(world, "evil", [{ path: typeof path === "string" ? path : path(world), content: evil }]),
  expected: { code: "package-unsafe", says },
});

export const archives: readonly Hostile[] = [
  unsafe(
    "CVE-2018-1002204 (Zip Slip): a tar entry that climbs out",
    "package/../../../outside/slip.md",
    "points outside",
  ),
  unsafe("a tar entry that climbs out below a folder", "package/agents/../../../../outside/slip.md", "points outside"),
  unsafe("CVE-2021-32804 (node-tar): an absolute tar entry", ({ root }) => `${root}/outside/slip.md`, "points outside"),
  unsafe(
    "CVE-2021-32804: an absolute tar entry with many slashes",
    ({ root }) => `///${root}/outside/x.md`,
    "points outside",
  ),
  unsafe("a tar entry that starts by climbing out", "../outside/slip.md", "points outside"),
  unsafe(
    "CVE-2021-37713 (node-tar): a tar entry with backslashes",
    "package\\..\\..\\x.md/agents\\..\\x.md",
    "not allowed",
  ),
  unsafe("a tar entry with a line break in its name", "package/agents/a\nb.md", "invalid pax header"),
  unsafe("a tar entry with an escape sequence in its name", "package/agents/\u001b]0;owned\u0007.md", "invisible"),
  unsafe("CVE-2025-48384 (git): a name that ends with a carriage return", "package/agents/a.md\r", "invisible"),
  unsafe("a tar entry of nine hundred letters", `package/agents/${"a".repeat(900)}.md`, "too long"),
  unsafe("a tar entry seventeen folders deep", `package/${"d/".repeat(17)}a.md`, "deeper than"),
  unsafe("a file that is also a folder", "package/agents/looker.md/x.md", "is both a file and a folder"),
  {
    what: "CVE-2021-37701 (node-tar): a link, and then a file behind it",
    make: (world) =>
      archive(world, "evil", [
        { kind: "symlink", path: "package/agents/out", target: "../../../../outside" },
        { path: "package/agents/out/slip.md", content: agent(evil) },
      ]),
    // Hugo never makes the link, but a program that does would write somewhere else.
    expected: { code: "package-unsafe", says: "is both a file and a folder" },
  },
  {
    what: "CVE-2022-36113 (cargo): a link to a file elsewhere, as an agent",
    make: (world) =>
      archive(world, "evil", [
        { kind: "symlink", path: "package/agents/ssh.md", target: `${world.root}/home/.ssh/id_canary` },
      ]),
    expected: { installed: onlyHarmless },
  },
  {
    what: "CVE-2021-37712 (node-tar): a hard link to a file elsewhere",
    make: (world) =>
      archive(world, "evil", [
        { kind: "hardlink", path: "package/agents/ssh.md", target: `${world.root}/outside/secret.md` },
      ]),
    expected: { installed: onlyHarmless },
  },
  {
    what: "a hard link to a file elsewhere, and then new content for it",
    make: (world) =>
      archive(world, "evil", [
        { kind: "hardlink", path: "package/agents/ssh.md", target: `${world.root}/outside/secret.md` },
        { path: "package/agents/ssh.md", content: agent(evil) },
      ]),
    expected: { code: "package-unsafe", says: "occurs twice" },
  },
  {
    what: "devices and pipes in a tarball",
    make: (world) =>
      archive(world, "evil", [
        { kind: "character-device", path: "package/agents/zero.md", major: 1, minor: 5 },
        { kind: "block-device", path: "package/agents/disk.md", major: 8, minor: 0 },
        { kind: "fifo", path: "package/agents/pipe.md" },
      ]),
    expected: { installed: onlyHarmless },
  },
  {
    what: "a file beside the package's own folder",
    make: (world) => archive(world, "evil", [{ path: "slip.md", content: agent(evil) }]),
    expected: { installed: onlyHarmless },
  },
  {
    what: "a link to a folder elsewhere, in a package folder (CVE-2026-24056, pnpm)",
    make: (world) =>
      folder(world, "links", harmless, {
        "skills/own": `${world.root}/outside`,
        "agents/s.md": `${world.root}/outside/secret.md`,
      }),
    expected: { installed: onlyHarmless },
  },
  {
    what: "a link to itself in a package folder",
    make: (world) => folder(world, "loop", harmless, { "skills/loop": "../skills/loop", up: ".." }),
    expected: { installed: onlyHarmless },
  },
  {
    what: "CVE-2022-36114 (cargo): a tarball that unpacks to two gigabytes of folders",
    make: (world) => file(world, "folders.tgz", bomb(openTar(), openTarOf("package/d/"), 4096)),
    expected: { code: "package-unsafe", says: "MiB" },
    once: true,
  },
  {
    what: "a tarball that goes on for gigabytes after its end",
    make: (world) => file(world, "tail.tgz", bomb(openTar(), Buffer.alloc(1 << 20), 4096)),
    expected: { code: "package-unsafe", says: "MiB" },
    once: true,
  },
  {
    what: "a tarball with a name that never ends",
    make: (world) =>
      file(world, "name.tgz", bomb(openTar([{ path: "x".repeat(70_000), content: "" }]), Buffer.alloc(1024, 0x78), 64)),
    expected: { code: "integrity-mismatch", says: "too long" },
  },
  {
    what: "a tarball that is not a tarball",
    make: (world) => file(world, "text.tgz", Buffer.from(`\u001b[2J${SECRET.length} bytes of nothing`)),
    expected: { code: "integrity-mismatch", says: "is damaged" },
  },
];

/** Half a megabyte of the headers of folders. */
function openTarOf(path: string): Buffer {
  const one = openTar([{ kind: "directory", path }]).subarray(-512);
  return Buffer.concat(new Array<Buffer>(1024).fill(one));
}
