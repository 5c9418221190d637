import { DurableError } from "../errors.ts";

const reserved = /^(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])$/i;

/** The name of a package, agent, skill or command that becomes a file name and an object key: returns it or throws `unsafe-path`. */
export function checkName(name: string): string {
  let problem: string;
  if (!/^[a-z0-9][a-z0-9._-]{0,63}$/.test(name))
    problem = "has an invalid length or contains characters that are not allowed";
  else if (name.endsWith(".")) problem = "ends with a dot";
  else if (name in Object.prototype) problem = "is a property of every JavaScript object";
  else if (isReservedOnWindows(name)) problem = "is reserved on Windows";
  else return name;
  throw new DurableError("unsafe-path", {
    message: `The name ${shown(name)} ${problem}`,
    hint: "Use up to 64 characters (a-z, 0-9, dot, dash, underscore), starting with a letter or digit.",
  });
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
  // The spellings of files and folders in one place; of a folder, the first path below it.
  const places = new Map<string, { files: Set<string>; folders: Map<string, string> }>();
  for (const path of new Set(paths)) {
    const parts = path.split("/");
    for (let length = 1; length <= parts.length; length++) {
      const spelled = parts.slice(0, length).join("/");
      const key = foldName(spelled);
      const place = places.get(key) ?? { files: new Set<string>(), folders: new Map<string, string>() };
      places.set(key, place);
      if (length === parts.length) place.files.add(spelled);
      else if (!place.folders.has(spelled)) place.folders.set(spelled, path);
    }
  }
  return [...places.values()].flatMap(({ files, folders }) => {
    const collides = files.size > 1 || folders.size > 1 || (files.size === 1 && folders.size === 1);
    if (!collides) return [];
    const spellings = new Set([...files, ...folders.keys()]);
    return [spellings.size > 1 ? [...spellings] : [...spellings, ...folders.values()]];
  });
}

/**
 * Foreign text for an error message: in quotes, not too long, and as people write it. Only what a terminal would act on, what
 * cannot be seen and what looks like something else is escaped.
 * @example
 * shown("für\u202e"); // "\"für\\u202e\""
 */
export function shown(text: string): string {
  const quoted = JSON.stringify(text.slice(0, 120));
  const isCut = text.length > 120;
  const safe = /^[ -~]*$/.test(quoted) ? quoted : escapeMisleading(quoted);
  return isCut ? `${safe.slice(0, -1)}…"` : safe;
}

function escapeMisleading(text: string): string {
  const escaped = (char: string): string => {
    const hex = (char.codePointAt(0) ?? 0).toString(16).padStart(4, "0");
    return hex.length > 4 ? `\\u{${hex}}` : `\\u${hex}`;
  };
  return text
    .replace(/\p{L}+/gu, (word) => {
      if (/\p{sc=Latin}/u.test(word))
        return word.replace(/[^\p{sc=Latin}\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}]/gu, escaped);
      return LIKE_LATIN.test(word) ? word.replace(/./gu, escaped) : word;
    })
    .replace(/[^ -~]/gu, (char) =>
      HIDDEN.test(char) || ALIKE.test(char) || isAsciiInDisguise(char) ? escaped(char) : char,
    );
}

/** Words in Cyrillic or Greek letters that all look like Latin ones. */
const LIKE_LATIN = /^[аеорсухіјѕԁһӏԛԝАВЕКМНОРСТХУІЈЅαοινρυΑΒΕΖΗΙΚΜΝΟΡΤΥΧ]+$/;
/** Accents apart from their letter are hidden, too: the letter with its accent looks the same. */
const HIDDEN = /[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]|(?=\p{M})\p{sc=Zinh}/u;
/** Letters and signs that look like i, a vertical line, a slash, a backslash or a colon. */
const ALIKE = /[ı\u01c0\u01c3\u0250-\u02af\u2044\u2215\u2216\u2236\u29f5\u29f8\ua789]/;

/** Wide, bold or small forms of ASCII characters. */
function isAsciiInDisguise(char: string): boolean {
  return /^[ -~]+$/.test(char.normalize("NFKC"));
}

/** What nearly all paths look like. Hundreds of them are checked before a command does anything. */
const SIMPLE = /^[\w-]+(?:\.[\w-]+)*(?:\/[\w-]+(?:\.[\w-]+)*)*$/;
const RESERVED_IN_SIMPLE = /(?:^|\/)(?:con|prn|aux|nul|com\d|lpt\d)(?:[./]|$)/i;

/**
 * Whether a relative path is plain: with `/`, without detours, and valid on every system. It says nothing about links;
 * `joinInside` does, right before the path is used.
 */
export function isPlainPath(path: string): boolean {
  if (path.length <= 1024 && SIMPLE.test(path)) return !RESERVED_IN_SIMPLE.test(path);
  return isPlainByParts(path);
}

/** The same, for any characters. */
export function isPlainByParts(path: string): boolean {
  if (/[\p{Cc}\\:]/u.test(path) || path.length > 1024) return false;
  return path.split("/").every((part) => part !== "" && !/^ |^\.{1,2}$|[. ]$/.test(part) && !isReservedOnWindows(part));
}
