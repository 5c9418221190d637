// The documents a registry answers with, drawn from what was published.
import { digests, type PublishedPackage, type PublishedVersion, tarballName } from "./published.ts";

export type PackumentJson = Record<string, unknown>;

export interface PackumentOptions {
  registryUrl: string;
  /** Announce the hashes of other bytes. */
  wrongIntegrity: boolean;
  /** Leave `time` out, as some registries do. */
  withoutTime: boolean;
}

// The fields that installers get to see in the short form (npm's "abbreviated metadata").
const INSTALL_FIELDS = [
  "name",
  "version",
  "deprecated",
  "dependencies",
  "optionalDependencies",
  "devDependencies",
  "bundleDependencies",
  "peerDependencies",
  "peerDependenciesMeta",
  "acceptDependencies",
  "bin",
  "directories",
  "engines",
  "os",
  "cpu",
  "libc",
  "funding",
];
const INSTALL_SCRIPTS = ["preinstall", "install", "postinstall"];

export function packument(pkg: PublishedPackage, options: PackumentOptions): PackumentJson {
  const latest = pkg.releases.get(pkg.tags.get("latest") ?? "")?.manifest;
  const [first] = pkg.releases.values();
  const times = mapReleases(pkg, (release) => release.publishedAt);
  return {
    _id: pkg.name,
    _rev: `${pkg.revision}-loopback`,
    name: pkg.name,
    description: latest?.description,
    keywords: latest?.keywords,
    readme: latest?.readme ?? "",
    maintainers: [{ name: "tester", email: "tester@example.test" }],
    "dist-tags": Object.fromEntries(pkg.tags),
    versions: mapReleases(pkg, (release) => versionDocument(release, options)),
    ...(options.withoutTime ? {} : { time: { created: first?.publishedAt, modified: pkg.modified, ...times } }),
  };
}

export function abbreviatedPackument(pkg: PublishedPackage, options: PackumentOptions): PackumentJson {
  return {
    name: pkg.name,
    modified: pkg.modified,
    "dist-tags": Object.fromEntries(pkg.tags),
    versions: mapReleases(pkg, (release) => {
      const { manifest } = release;
      const scripts = (manifest.scripts ?? {}) as PackumentJson;
      return {
        ...Object.fromEntries(INSTALL_FIELDS.filter((key) => key in manifest).map((key) => [key, manifest[key]])),
        ...(INSTALL_SCRIPTS.some((script) => script in scripts) ? { hasInstallScript: true } : {}),
        dist: versionDocument(release, options).dist,
      };
    }),
  };
}

export function versionDocument(release: PublishedVersion, options: PackumentOptions): PackumentJson {
  const { manifest } = release;
  // Registries repeat the size that a publisher claims; whether it is true is another matter.
  const said = (manifest.dist ?? {}) as PackumentJson;
  const sizes = ["fileCount", "unpackedSize"].filter((key) => key in said);
  return {
    ...manifest,
    _id: `${manifest.name}@${manifest.version}`,
    dist: {
      ...Object.fromEntries(sizes.map((key) => [key, said[key]])),
      tarball: new URL(`${manifest.name}/-/${tarballName(manifest)}`, options.registryUrl).href,
      ...(options.wrongIntegrity
        ? digests(Buffer.from("other bytes"))
        : { integrity: release.integrity, shasum: release.shasum }),
    },
  };
}

function mapReleases<Value>(pkg: PublishedPackage, map: (release: PublishedVersion) => Value): Record<string, Value> {
  return Object.fromEntries([...pkg.releases].map(([version, release]) => [version, map(release)]));
}
