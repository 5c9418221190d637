// What has been published: packages, their releases and tags. Knows nothing of HTTP.
import { createHash } from "node:crypto";

export interface PackageManifest {
  name: string;
  version: string;
  [field: string]: unknown;
}

export interface PublishedVersion {
  manifest: PackageManifest;
  readonly tarball: Buffer;
  /** sha512 of the tarball, as `dist.integrity` says it. */
  readonly integrity: string;
  /** sha1 of the tarball, as `dist.shasum` says it. */
  readonly shasum: string;
  readonly publishedAt: string;
}

export interface PublishedPackage {
  readonly name: string;
  readonly releases: Map<string, PublishedVersion>;
  readonly tags: Map<string, string>;
  modified: string;
  /** Counts the writes; clients send it back when they unpublish. */
  revision: number;
}

/** A request that the registry turns down, with the HTTP status that says so. */
export class Refused extends Error {
  override readonly name = "Refused";
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export interface NewRelease {
  manifest: PackageManifest;
  tarball: Uint8Array;
  time?: string | undefined;
  tag?: string | undefined;
}

export class PublishedPackages {
  readonly #packages = new Map<string, PublishedPackage>();
  #published = 0;

  names(): string[] {
    return [...this.#packages.keys()];
  }

  find(name: string): PublishedPackage {
    const found = this.#packages.get(name);
    if (!found) throw new Refused(404, `no package "${name}" was published to this registry`);
    return found;
  }

  findRelease(name: string, versionOrTag: string): PublishedVersion {
    const { releases, tags } = this.find(name);
    const release = releases.get(versionOrTag) ?? releases.get(tags.get(versionOrTag) ?? "");
    if (!release) throw new Refused(404, `"${name}" has no version or tag "${versionOrTag}"`);
    return release;
  }

  findTarball(name: string, file: string): Buffer {
    const release = [...this.find(name).releases.values()].find((it) => tarballName(it.manifest) === file);
    if (!release) throw new Refused(404, `"${name}" has no tarball "${file}"`);
    return release.tarball;
  }

  publish({ manifest, tarball, time, tag = "latest" }: NewRelease): PublishedVersion {
    const { name, version } = manifest;
    const existing = this.#packages.get(name);
    if (existing?.releases.has(version)) {
      throw new Refused(403, `${name}@${version} exists already; publish another version`);
    }
    const bytes = Buffer.from(tarball);
    // One minute apart from a fixed start, so that documents are the same in every run.
    if (time === undefined) this.#published += 1;
    const release: PublishedVersion = {
      manifest,
      tarball: bytes,
      ...digests(bytes),
      publishedAt: time ?? new Date(Date.UTC(2024, 0, 1) + this.#published * 60_000).toISOString(),
    };
    const pkg = existing ?? { name, releases: new Map(), tags: new Map(), modified: "", revision: 0 };
    this.#packages.set(name, pkg);
    pkg.releases.set(version, release);
    pkg.tags.set(tag, version);
    // A package always has a `latest`, even if its first release was published under another tag.
    if (!pkg.tags.has("latest")) pkg.tags.set("latest", version);
    touch(pkg, release.publishedAt);
    return release;
  }

  unpublish(name: string, version?: string): void {
    const pkg = this.find(name);
    if (version !== undefined) {
      this.findRelease(name, version);
      pkg.releases.delete(version);
      for (const [tag, target] of pkg.tags) if (target === version) pkg.tags.delete(tag);
      const newest = [...pkg.releases.keys()].at(-1);
      if (newest !== undefined && !pkg.tags.has("latest")) pkg.tags.set("latest", newest);
    }
    if (version === undefined || pkg.releases.size === 0) this.#packages.delete(name);
    touch(pkg, pkg.modified);
  }

  /** An empty message takes the deprecation back, as `npm deprecate` has it. */
  deprecate(name: string, version: string, message: string): void {
    const release = this.findRelease(name, version);
    const { deprecated: _, ...manifest } = release.manifest;
    release.manifest = message === "" ? (manifest as PackageManifest) : { ...release.manifest, deprecated: message };
    const pkg = this.find(name);
    touch(pkg, pkg.modified);
  }

  tag(name: string, tag: string, version: string): void {
    const pkg = this.find(name);
    if (!pkg.releases.has(version)) throw new Refused(404, `"${name}" has no version "${version}"`);
    pkg.tags.set(tag, version);
    touch(pkg, pkg.modified);
  }
}

export function tarballName({ name, version }: PackageManifest): string {
  return `${name.split("/").at(-1)}-${version}.tgz`;
}

export function digests(bytes: Uint8Array): { integrity: string; shasum: string } {
  return {
    integrity: `sha512-${createHash("sha512").update(bytes).digest("base64")}`,
    shasum: createHash("sha1").update(bytes).digest("hex"),
  };
}

function touch(pkg: PublishedPackage, modified: string): void {
  pkg.modified = modified;
  pkg.revision += 1;
}
