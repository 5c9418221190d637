// `npm publish`, `npm deprecate` and `npm unpublish` all PUT a packument: with a tarball attached it adds a
// release, without one it says how the existing releases shall look from now on.
import type { Json } from "./packument.ts";
import { digests, type PackageManifest, type PublishedPackages, Refused } from "./published.ts";

interface PutPackument {
  name: string;
  tags: Record<string, string>;
  versions: Record<string, PackageManifest>;
  attachments: Json[];
}

export function acceptPackument(published: PublishedPackages, name: string, body: unknown): void {
  const put = readPackument(name, body);
  if (put.attachments.length > 0) addRelease(published, put);
  else reviseReleases(published, put);
}

function readPackument(name: string, body: unknown): PutPackument {
  const doc = asObject(body, "the packument");
  if (doc.name !== name) throw new Refused(400, `the packument is of "${doc.name}", the address says "${name}"`);
  return {
    name,
    tags: asObject(doc["dist-tags"] ?? {}, "dist-tags") as Record<string, string>,
    versions: asObject(doc.versions ?? {}, "versions") as Record<string, PackageManifest>,
    attachments: Object.values(asObject(doc._attachments ?? {}, "_attachments")) as Json[],
  };
}

function addRelease(published: PublishedPackages, put: PutPackument): void {
  const [sent] = Object.values(put.versions);
  const [tag] = Object.keys(put.tags);
  if (!sent) throw new Refused(400, "the packument carries a tarball but no version");
  const tarball = Buffer.from(String(put.attachments[0]?.data), "base64");
  const { dist, ...manifest } = sent;
  const { integrity } = (dist ?? {}) as Json;
  if (integrity !== undefined && integrity !== digests(tarball).integrity) {
    throw new Refused(400, `the tarball of ${sent.name}@${sent.version} is not the one that dist.integrity announces`);
  }
  published.publish({ manifest: manifest as PackageManifest, tarball, tag });
}

function reviseReleases(published: PublishedPackages, put: PutPackument): void {
  for (const version of [...published.find(put.name).releases.keys()]) {
    const revised = put.versions[version];
    if (revised) published.deprecate(put.name, version, String(revised.deprecated ?? ""));
    else published.unpublish(put.name, version);
  }
}

function asObject(value: unknown, what: string): Json {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Json;
  throw new Refused(400, `${what} is not an object`);
}
