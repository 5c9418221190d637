// What a release changes in the repository: versions, the changelog, a commit and a tag. Decides only.

export interface RepositoryState {
  /** Of all packages. */
  readonly currentVersion: string;
  readonly branch: string;
  /** Files that differ from the last commit. */
  readonly changedFiles: readonly string[];
  readonly tags: readonly string[];
  readonly changelog: string;
  /** By path: every package.json, with its text. */
  readonly manifests: Readonly<Record<string, string>>;
  readonly hasPlaceholderRepository: boolean;
  /** README.md of the repository. */
  readonly readme: string;
  /** Git knows whom to name as the author of a commit. */
  readonly hasAuthor: boolean;
  /** `2026-11-17`. */
  readonly today: string;
}

export interface ReleasePlan {
  readonly version: string;
  readonly tag: string;
  readonly commitMessage: string;
  /** By path: the new text. */
  readonly files: Readonly<Record<string, string>>;
  /** What was changed by the time of the release, from the changelog. */
  readonly notes: string;
  /** The dist-tag in the registry: a prerelease does not become what everybody installs. */
  readonly distTag: "latest" | "next";
  /** Why the release is refused; empty if it is not. */
  readonly problems: readonly string[];
  /** Those of the problems that stop a dry run, too. */
  readonly dryRunProblems: readonly string[];
}

const versionShape = /^(\d+)\.(\d+)\.(\d+)(-[0-9A-Za-z.-]+)?$/;
const dependencyOnOurs = /("(?:@atomic\/[a-z-]+|hugo-pm|magnus-opus)": "\^?)\d+\.\d+\.\d+[^"]*(?=")/g;

export function planRelease(version: string, state: RepositoryState, placeholder: string): ReleasePlan {
  const tag = `v${version}`;
  const { text, notes } = releasedChangelog(state.changelog, version, state.today);
  const isVersion = versionShape.test(version);
  const isOlder = isVersion && compare(version, state.currentVersion) < 0;
  const dryRunProblems = [
    ...(isVersion ? [] : [`${JSON.stringify(version)} is not a version such as 1.2.3 or 1.2.3-beta.1.`]),
    ...(isOlder ? [`${version} is older than ${state.currentVersion}.`] : []),
    ...(state.tags.includes(tag) ? [`The tag ${tag} already exists: choose the next version.`] : []),
    ...(notes === "" ? ["CHANGELOG.md: there is nothing under Unreleased."] : []),
  ];
  return {
    version,
    tag,
    commitMessage: `chore: release ${version}`,
    files: { ...newVersions(version, state), ...(text !== state.changelog && { "CHANGELOG.md": text }) },
    notes,
    distTag: version.includes("-") ? "next" : "latest",
    dryRunProblems,
    problems: [
      ...dryRunProblems,
      ...(state.branch === "main" ? [] : [`Releases are made on main, not on ${state.branch}.`]),
      ...state.changedFiles.slice(0, 5).map((file) => `${file} is not committed.`),
      ...(state.hasAuthor
        ? []
        : ["Git does not know who you are: set user.name and user.email with `git config --global`."]),
      ...(state.hasPlaceholderRepository ? [placeholder] : []),
      ...readmeProblems(state),
    ],
  };
}

/** README says how to install what is not published yet, which a release makes wrong. */
export function readmeProblems({ readme }: RepositoryState): readonly string[] {
  return readme.includes("Not on npm yet")
    ? ['README.md still says "Not on npm yet". Remove the paragraph that begins with it.']
    : [];
}

function newVersions(version: string, { manifests, currentVersion }: RepositoryState): Record<string, string> {
  const own = `"version": "${currentVersion}"`;
  const changed = Object.entries(manifests).map(([path, text]): [string, string] => {
    const isPackage = /^packages\/[^/]+\/package\.json$/.test(path);
    const numbered = isPackage ? text.replace(own, `"version": "${version}"`) : text;
    return [path, numbered.replaceAll(dependencyOnOurs, `$1${version}`)];
  });
  return Object.fromEntries(changed.filter(([path, text]) => text !== manifests[path]));
}

/** What was `Unreleased` gets the version and the day; a new, empty `Unreleased` comes above it. */
export function releasedChangelog(changelog: string, version: string, today: string): { text: string; notes: string } {
  const heading = "## Unreleased\n";
  const start = changelog.indexOf(heading) + heading.length;
  const next = changelog.indexOf("\n## ", start);
  const end = next === -1 ? changelog.length : next;
  const notes = changelog.includes(heading) ? changelog.slice(start, end).trim() : "";
  if (notes === "") return { text: changelog, notes };
  return { text: `${changelog.slice(0, start)}\n## ${version} – ${today}\n\n${notes}\n${changelog.slice(end)}`, notes };
}

/** Negative if `a` is older. A prerelease is older than its release. */
function compare(a: string, b: string): number {
  const [left, right] = [versionShape.exec(a) ?? [], versionShape.exec(b) ?? []];
  for (const part of [1, 2, 3]) {
    const difference = Number(left[part] ?? 0) - Number(right[part] ?? 0);
    if (difference !== 0) return difference;
  }
  if (left[4] === right[4]) return 0;
  if (left[4] === undefined || right[4] === undefined) return left[4] === undefined ? 1 : -1;
  return left[4].localeCompare(right[4], "en", { numeric: true });
}
