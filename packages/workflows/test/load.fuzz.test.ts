// Any bytes, as a file in any place: no exception, no lost neighbour, no changed prototype.
import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { temporaryFolder } from "@atomic/testing/temporary-folder";
import type { FormatPlace, Reading } from "../src/entities/format.ts";
import { formats } from "../src/entities/formats/all.ts";
import { initializeWorkflowsSDK } from "../src/entities/initialize.ts";
import { hostileBytes, seeded } from "./hostile-bytes.ts";

const seed = Number(process.env.FUZZ_SEED ?? 1);
const total = Number(process.env.FUZZ_CASES ?? 100_000);
const onDisk = total / 20;
const places = formats.flatMap((format) => format.places);
const prototypes = [Object, Array, Function, String, Number, Boolean, Map, Set, RegExp, Error, Promise].map(
  (type) => type.prototype as object,
);

test(`${total - onDisk} files, given to every reader there is (FUZZ_SEED=${seed})`, () => {
  const random = seeded(seed);
  const before = fingerprintOf(prototypes);
  const readers = [...new Map(places.map((place) => [place.read, place])).values()];
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  for (let done = 0; done < total - onDisk; ) {
    const bytes = hostileBytes(random);
    const place = random.pick(readers);
    const text = decoded(decoder, bytes);
    if (text === undefined) continue; // The loader refuses it; those on the disk below show that.
    done += 1;
    const reading = place.read({ path: "/p/x.md", relative: relativeIn(place), text, location: "project", place: "p" });
    const problem = problemOf(reading, place) ?? problemOfPrototypes();
    if (problem !== undefined) throw new Error(`Case ${done}: ${problem}\n${JSON.stringify(text)}`);
  }
  expect(fingerprintOf(prototypes)).toBe(before);
}, 300_000);

test(`${onDisk} files on the disk beside good ones`, async () => {
  const random = seeded(seed + 1);
  const before = fingerprintOf(prototypes);
  await using folder = await temporaryFolder();
  const roots = { project: join(folder.path, "project"), user: join(folder.path, "home") };
  const folders = places.flatMap((place) => (place.kind === "folder" ? [place] : []));
  const good = new Set<string>();
  for (const place of folders) {
    const path = join(roots[place.location], place.path, nameIn(place, "good"));
    write(path, "---\nname: good\ndescription: Good\n---\nBody.");
    good.add(path);
  }
  // The places that only variables name.
  const named = ["OPENCODE_CONFIG_DIR", "OPENCODE_CONFIG"].map((name) => [name, join(roots.user, name)]);
  const env = Object.fromEntries(named) as Record<string, string>;
  const hostile = places.map((place) =>
    join(roots[place.location], place.path, place.kind === "folder" ? nameIn(place, "hostile") : ""),
  );
  for (const path of hostile) mkdirSync(dirname(path), { recursive: true });

  const rounds = Math.ceil(onDisk / hostile.length);
  for (let round = 0; round < rounds; round += 1) {
    for (const path of hostile) writeFileSync(path, hostileBytes(random));
    const registry = await initializeWorkflowsSDK({ projectPath: roots.project, userPath: roots.user, env });
    const loaded = new Set(registry.entries().map(({ source }) => source.path));
    const lost = [...good].filter((path) => !loaded.has(path));
    const failed = registry.diagnostics().filter(({ code }) => code === "reader-failed");
    if (lost.length > 0 || failed.length > 0) {
      throw new Error(`Round ${round}: lost ${JSON.stringify(lost)}, failed ${JSON.stringify(failed)}`);
    }
  }
  expect(fingerprintOf(prototypes)).toBe(before);
}, 300_000);

function decoded(decoder: TextDecoder, bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

function problemOf({ entities, diagnostics }: Reading, place: FormatPlace): string | undefined {
  for (const entity of entities) {
    if (!Object.isFrozen(entity)) return "an entity that can be changed";
    if (place.kind === "folder" && entity.type !== place.type) return `a ${entity.type} among ${place.type}s`;
    if (entity.name !== entity.name.toLowerCase() || entity.name === "")
      return `the name ${JSON.stringify(entity.name)}`;
    const prototype: unknown = Object.getPrototypeOf(entity.frontmatter);
    if (prototype !== null && prototype !== Object.prototype) return "frontmatter with a prototype of its own";
    const isBroken = entity.diagnostics.some(({ severity }) => severity === "error");
    if (isBroken && entity.disabledBecause === undefined) return "an entity with an error that is not disabled";
    if (!isBroken && entity.disabledBecause !== undefined) return "an entity that is disabled without an error";
  }
  const all = [...diagnostics, ...entities.flatMap((entity) => entity.diagnostics)];
  const odd = all.find(({ code, message, path }) => code === "" || message === "" || path !== "/p/x.md");
  return odd === undefined ? undefined : `a diagnostic that says too little: ${JSON.stringify(odd)}`;
}

/** Quick enough for every case; `fingerprintOf` is the thorough look at the end. */
function problemOfPrototypes(): string | undefined {
  const planted = ["polluted", "isAdmin", "tools"].find((key) => key in {} || key in []);
  return planted === undefined ? undefined : `a prototype with "${planted}"`;
}

function fingerprintOf(objects: readonly object[]): string {
  return JSON.stringify(objects.map((object) => Reflect.ownKeys(object).map(String)));
}

function relativeIn(place: FormatPlace): string {
  return place.kind === "folder" ? nameIn(place, "hostile") : basename(place.path);
}

function nameIn(place: Extract<FormatPlace, { kind: "folder" }>, stem: string): string {
  const [ending = ""] = place.pattern.split("/").slice(-1);
  return ending.startsWith("*") ? `${stem}${ending.slice(1)}` : `${stem}/${ending}`;
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
