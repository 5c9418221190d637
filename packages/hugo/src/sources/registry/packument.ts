import { shown } from "@atomic/durable-files/safety/names";
import type { Context } from "../../context.ts";
import { HugoError } from "../../errors.ts";
import type { RegistryVersions } from "../fetched.ts";
import { redact } from "../redact.ts";
import { get } from "./request.ts";
import { type RegistrySettings, registryOf } from "./settings.ts";
import { compareVersions, parseVersion } from "./version.ts";

/** What a registry says about a package and all its versions. */
export interface Packument extends RegistryVersions {
  readonly registry: string;
  release(version: string): Release | undefined;
}

export interface Release {
  readonly tarball: string;
  /** Its package.json, as the registry has it. */
  readonly manifest: Json;
  /** `sha512-…`, or `sha1-…` for packages from before 2017. */
  readonly integrity: string | undefined;
  /** As the publisher claims, so only good for an early refusal. */
  readonly files: number | undefined;
  readonly bytes: number | undefined;
}

type Json = Readonly<Record<string, unknown>>;

const LONGEST_DOCUMENT = 128 * 1024 * 1024;

/** What to think of it if something is missing that was there before. */
export const GONE = "It may have been unpublished.";

/** @param ifMissing What to say if the registry does not have the package. */
export async function readPackument(
  name: string,
  settings: RegistrySettings,
  context: Pick<Context, "env" | "signal">,
  ifMissing?: string,
): Promise<Packument> {
  const registry = registryOf(name, settings);
  // A slash in a name would be read as part of the address.
  const url = `${registry}${name.replace("/", "%2f")}`;
  const document = await get({ url, settings, context }, async (status, body) => {
    if (status === 200) return await readJson(body, url);
    throw refusalOf(status, `the package ${name}`, registry, ifMissing);
  });
  const releases = objectOrEmpty(document.versions);
  const versions = Object.keys(releases).filter((text) => parseVersion(text) !== undefined);
  const dates = textsIn(document.time).map(([version, date]): [string, Date] => [version, new Date(date)]);
  const notes = versions.flatMap((version) => {
    const { deprecated } = objectOrEmpty(releases[version]);
    return typeof deprecated === "string" && deprecated !== "" ? [[version, deprecated] as const] : [];
  });
  return {
    name,
    registry,
    versions: versions.sort(compareVersions),
    tags: new Map(textsIn(document["dist-tags"]).filter(([, version]) => Object.hasOwn(releases, version))),
    times: new Map(dates.filter(([version, date]) => Object.hasOwn(releases, version) && !Number.isNaN(+date))),
    deprecated: new Map(notes),
    release: (version) => {
      if (!Object.hasOwn(releases, version)) return undefined;
      const { tarball, integrity, shasum, fileCount, unpackedSize } = objectOrEmpty(
        objectOrEmpty(releases[version]).dist,
      );
      if (typeof tarball !== "string" || !/^https?:\/\//.test(tarball) || !URL.canParse(tarball)) return undefined;
      const isSha1 = typeof shasum === "string" && /^[0-9a-f]{40}$/i.test(shasum);
      const old = isSha1 ? `sha1-${Buffer.from(shasum, "hex").toString("base64")}` : undefined;
      return {
        tarball,
        manifest: objectOrEmpty(releases[version]),
        integrity: typeof integrity === "string" && integrity !== "" ? integrity : old,
        files: typeof fileCount === "number" ? fileCount : undefined,
        bytes: typeof unpackedSize === "number" ? unpackedSize : undefined,
      };
    },
  };
}

export async function readJson(body: AsyncIterable<Buffer>, url: string): Promise<Json> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > LONGEST_DOCUMENT) throw senseless(url, "a response that is too large");
    chunks.push(chunk);
  }
  try {
    return objectOrEmpty(JSON.parse(Buffer.concat(chunks).toString("utf8")));
  } catch (error) {
    if (error instanceof SyntaxError) throw senseless(url, "a response that is not JSON");
    throw error;
  }
}

export function objectOrEmpty(value: unknown): Json {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

function textsIn(value: unknown): [string, string][] {
  return Object.entries(objectOrEmpty(value)).filter((pair): pair is [string, string] => typeof pair[1] === "string");
}

/** `what` was requested, as in "the package review". */
export function refusalOf(
  status: number,
  what: string,
  registry: string,
  ifMissing = "Check the spelling. Private packages need a login (`npm login`).",
): HugoError {
  const place = redact(registry);
  if (status === 401 || status === 403) {
    return new HugoError("access-denied", {
      message: `The registry ${place} denied access to ${what} (${status})`,
      at: place,
      hint: "Log in with `npm login`, or put a token for this registry in ~/.npmrc.",
    });
  }
  if (status === 404 || status === 410) {
    return new HugoError("package-not-found", {
      message: `The registry ${place} does not have ${what}`,
      at: place,
      hint: ifMissing,
    });
  }
  return new HugoError("network-failed", {
    message: `The registry ${place} returned ${status} for ${what}`,
    at: place,
    hint: "Try again later.",
  });
}

function senseless(url: string, problem: string): HugoError {
  return new HugoError("network-failed", {
    message: `The registry returned ${problem} from ${shown(redact(url))}`,
    at: redact(url),
    hint: "Try again later. If this keeps happening, the registry in your npm settings may not be an npm registry.",
  });
}
