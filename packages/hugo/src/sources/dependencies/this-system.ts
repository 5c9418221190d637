import { readdirSync } from "node:fs";
import { SYSTEM_KEYS } from "@atomic/workflows/internal/hugo-lock/lock";

/** The systems that a package is for, as in package.json. */
export type Systems = Readonly<Partial<Record<(typeof SYSTEM_KEYS)[number], readonly string[]>>>;

type System = Readonly<Record<(typeof SYSTEM_KEYS)[number], string>>;

let here: System | undefined;

function thisSystem(): System {
  const isMusl = (): boolean => readdirSync("/lib").some((name) => name.startsWith("ld-musl-"));
  const libc = process.platform !== "linux" ? "" : isMusl() ? "musl" : "glibc";
  here ??= { os: process.platform, cpu: process.arch, libc };
  return here;
}

/** Whether a package is for this system; without a list, it is for all. `!win32` means all but that one. */
export function isForThisSystem(systems: Systems, system: System = thisSystem()): boolean {
  return SYSTEM_KEYS.every((key) => {
    const [list, own] = [systems[key] ?? [], system[key]];
    // Only Linux has more than one C library.
    if (list.length === 0 || own === "") return true;
    if (list.includes(`!${own}`)) return false;
    return list.includes(own) || list.includes("any") || list.every((each) => each.startsWith("!"));
  });
}

/** Those that a registry states; anything else is ignored. */
export function systemsIn(manifest: Readonly<Record<string, unknown>>): Systems {
  const known = SYSTEM_KEYS.flatMap((key) => {
    const value = manifest[key];
    const list = Array.isArray(value) ? value : typeof value === "string" ? [value] : [];
    const names = list.filter((each): each is string => typeof each === "string" && /^!?[a-z0-9_]{1,30}$/.test(each));
    return names.length === 0 ? [] : [[key, names.toSorted()] as const];
  });
  return Object.fromEntries(known);
}
