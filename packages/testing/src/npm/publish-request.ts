// `npm publish` and `bun publish` PUT a packument of one release, with its tarball attached.
import type { PackumentJson } from "./packument.ts";
import { digests, type PackageManifest, type PublishedPackages, Refused } from "./published.ts";

interface PutPackument {
  name: string;
  tags: Record<string, string>;
  versions: Record<string, PackageManifest>;
  attachments: PackumentJson[];
}

export function acceptRelease(published: PublishedPackages, name: string, body: unknown): void {
  const put = readPackument(name, body);
  const [sent] = Object.values(put.versions);
  const [tag] = Object.keys(put.tags);
  if (!sent) throw new Refused(400, "the packument has no version");
  const [attachment] = put.attachments;
  if (!attachment) throw new Refused(400, "the packument has no tarball");
  const tarball = Buffer.from(String(attachment.data), "base64");
  const { dist, ...manifest } = sent;
  const { integrity } = (dist ?? {}) as PackumentJson;
  if (integrity !== undefined && integrity !== digests(tarball).integrity) {
    throw new Refused(400, `the tarball of ${sent.name}@${sent.version} is not the one that dist.integrity announces`);
  }
  published.publish({ manifest: manifest as PackageManifest, tarball, tag });
}

function readPackument(name: string, body: unknown): PutPackument {
  const doc = asObject(body, "the packument");
  if (doc.name !== name) throw new Refused(400, `the packument is of "${doc.name}", the address says "${name}"`);
  return {
    name,
    tags: asObject(doc["dist-tags"] ?? {}, "dist-tags") as Record<string, string>,
    versions: asObject(doc.versions ?? {}, "versions") as Record<string, PackageManifest>,
    attachments: Object.values(asObject(doc._attachments ?? {}, "_attachments")) as PackumentJson[],
  };
}

function asObject(value: unknown, what: string): PackumentJson {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as PackumentJson;
  throw new Refused(400, `${what} is not an object`);
}
