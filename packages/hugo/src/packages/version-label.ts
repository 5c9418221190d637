/** How a version is written for people: `v1.2.0`, and of a commit as much as one recognises it by. */
export function versionLabel(version: string): string {
  if (/^[0-9a-f]{40}$/.test(version)) return version.slice(0, 10);
  return /^\d/.test(version) ? `v${version}` : version;
}
