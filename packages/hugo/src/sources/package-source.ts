/** Where a package comes from, parsed and checked; `printPackageSpec` writes it back. */
export type PackageSource = RegistrySource | GitSource | FileSource;

export interface RegistrySource {
  readonly kind: "registry";
  /** With the scope: `@org/review`. */
  readonly name: string;
  /** `latest` if the spec names none. */
  readonly wanted: WantedVersion;
}

export interface WantedVersion {
  readonly kind: "version" | "range" | "tag";
  readonly text: string;
}

export interface GitSource {
  readonly kind: "git";
  /** `github:owner/repo`, or a URL that starts with `git+ssh:`, `git+https:`, `git+file:` or `git:`. */
  readonly url: string;
  /** A tag, a branch or a commit; the default branch if missing. */
  readonly ref?: string;
  /** The folder in the repository that is the package; the whole repository if missing. */
  readonly folder?: string;
}

export interface FileSource {
  readonly kind: "file";
  readonly form: "folder" | "tarball";
  /** Absolute, or relative with a leading `./` or `../`; with `/` as separator and without detours. */
  readonly path: string;
}
