// Which files of a folder npm would pack: the same package arrives from the folder and from the registry.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** npm packs these whatever `files` says. */
const ALWAYS = /^(?:package\.json|(?:readme|licen[cs]e|copying)(?:\.[^/]*)?)$/i;
/** And these never. */
const NEVER =
  /(?:^|\/)(?:\.git|\.svn|\.hg|CVS|\.npmrc|\.gitignore|\.npmignore|\.DS_Store|\._[^/]*|\.[^/]*\.swp|[^/]*\.orig|npm-debug\.log)(?:\/|$)|^(?:package-lock\.json|node_modules(?:\/.*)?)$/;
/** What this reader does not know the meaning of. */
const STRANGE = /[[\]{}()?\\]|(?:^|\/)\.\.?(?:\/|$)|^$/;

/**
 * Whether npm would pack a file, by the `files` in package.json. All of the folder counts where there are none, or where
 * they say something that only npm understands: too much is seen by whoever is asked to consent, too little is not.
 */
export function packedFiles(folder: string): (path: string) => boolean {
  const manifest = manifestIn(folder);
  const written = manifest?.files;
  if (manifest === undefined || !Array.isArray(written) || "bundleDependencies" in manifest) return () => true;
  const rules = written.map(ruleOf);
  if (rules.includes(undefined)) return () => true;
  const named = new Set([manifest.main, ...programsIn(manifest.bin)].flatMap(plainFile));
  return (path) => {
    if (NEVER.test(path)) return false;
    if (ALWAYS.test(path) || named.has(path)) return true;
    // As in a .gitignore, the last one that fits decides.
    return rules.findLast((rule) => rule?.pattern.test(`${path}/`))?.isPacked ?? false;
  };
}

type Manifest = Readonly<Partial<Record<string, unknown>>>;

/** A package.json that cannot be read is told by whoever needs its name. */
function manifestIn(folder: string): Manifest | undefined {
  const file = join(folder, "package.json");
  if (!existsSync(file)) return undefined;
  try {
    const manifest: unknown = JSON.parse(readFileSync(file, "utf8"));
    return manifest instanceof Object ? (manifest as Manifest) : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

interface Rule {
  readonly pattern: RegExp;
  readonly isPacked: boolean;
}

function ruleOf(written: unknown): Rule | undefined {
  if (typeof written !== "string") return undefined;
  const isPacked = !written.startsWith("!");
  const text = written.slice(isPacked ? 0 : 1);
  const path = text.replace(/^\.?\//, "").replace(/\/(?:\*{1,2})?$/, "");
  if (STRANGE.test(path) || path.startsWith("!")) return undefined;
  const parts = path.split("/").map((part) => (part === "**" ? "(?:[^/]+/)*" : `${literal(part)}/`));
  // What is left out without a slash is left out in every folder.
  const start = !isPacked && !text.includes("/") ? "(?:.*/)?" : "";
  return { pattern: new RegExp(`^${start}${parts.join("")}`), isPacked };
}

function literal(part: string): string {
  return part.replace(/[.+^$|]/g, "\\$&").replace(/\*+/g, "[^/]*");
}

function programsIn(bin: unknown): readonly unknown[] {
  return bin instanceof Object ? Object.values(bin) : [bin];
}

function plainFile(path: unknown): string[] {
  return typeof path === "string" ? [path.replace(/^\.?\//, "")] : [];
}
