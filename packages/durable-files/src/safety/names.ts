import { DurableError } from "../errors.ts";

const allowed = /^[a-z0-9][a-z0-9._-]{0,63}$/;
const reserved = /^(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])$/i;

/** The name of a package, agent, skill or command that becomes a file name and an object key: gives it back or throws `unsafe-path`. */
export function checkName(name: string): string {
  const problem = problemWith(name);
  if (problem === undefined) return name;
  throw new DurableError("unsafe-path", {
    message: `The name ${shown(name)} ${problem}`,
    hint: "Use a to z, 0 to 9, dot, dash and underscore, at most 64, starting with a letter or digit.",
  });
}

function problemWith(name: string): string | undefined {
  if (!allowed.test(name)) return "has characters or a length that are not allowed";
  if (name.endsWith(".")) return "ends with a dot";
  if (name in Object.prototype) return "is a property of every JavaScript object";
  if (isReservedOnWindows(name)) return "is reserved on Windows";
  return undefined;
}

/** Windows opens a device for `con`, and for `con.md` as well. */
export function isReservedOnWindows(name: string): boolean {
  const stem = name.split(".", 1)[0] ?? "";
  return reserved.test(stem.trimEnd());
}

/** The same text for names that some disks cannot tell apart (upper and lower case, composed and decomposed accents). */
export function foldName(name: string): string {
  // Upper first: it unites letters that only share their capital, such as ß and ss, or the two forms of small sigma.
  return name.normalize("NFC").toUpperCase().toLowerCase().normalize("NFC");
}

/**
 * Groups of relative paths that would meet in one place on a disk that ignores case or Unicode form:
 * differently spelled files or folders, and a file where another path needs a folder (then that path is named).
 * @example
 * findNameCollisions(["agents/Review.md", "agents/review.md"]); // [["agents/Review.md", "agents/review.md"]]
 */
export function findNameCollisions(paths: readonly string[]): string[][] {
  const places = new Map<string, Place>();
  for (const path of new Set(paths)) {
    const parts = path.split("/");
    for (let length = 1; length <= parts.length; length++) {
      const spelled = parts.slice(0, length).join("/");
      const place = placeOf(places, foldName(spelled));
      if (length === parts.length) place.files.add(spelled);
      else if (!place.folders.has(spelled)) place.folders.set(spelled, path);
    }
  }
  return [...places.values()].filter(collides).map(namesOf);
}

/** The spellings of files and folders in one place; of a folder, the first path below it. */
type Place = { files: Set<string>; folders: Map<string, string> };

function namesOf({ files, folders }: Place): string[] {
  const spellings = new Set([...files, ...folders.keys()]);
  return spellings.size > 1 ? [...spellings] : [...spellings, ...folders.values()];
}

function placeOf(places: Map<string, Place>, key: string): Place {
  const place = places.get(key) ?? { files: new Set<string>(), folders: new Map<string, string>() };
  places.set(key, place);
  return place;
}

function collides({ files, folders }: Place): boolean {
  return files.size > 1 || folders.size > 1 || (files.size === 1 && folders.size === 1);
}

/** Foreign text for an error message: in quotes, with nothing a terminal would act on, and not too long. */
export function shown(text: string): string {
  const short = text.length > 120 ? `${text.slice(0, 120)}…` : text;
  const hex = (char: string): string => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return JSON.stringify(short).replace(/[^ -~]/g, hex);
}
