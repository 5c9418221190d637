/** OpenCode ignores case on Windows, and only there. */
const foldsCase = process.platform === "win32";

/**
 * Whether one of OpenCode's wildcards matches a text. `*` matches anything, `?` one character, and a final ` *` is optional:
 * `git push *` also matches `git push`. Backslashes count as slashes in both.
 *
 * Linear in practice: it only goes back to the last `*`, so no pattern from a package can stall it.
 */
export function matchesWildcard(wildcard: string, text: string): boolean {
  if (wildcard === text || wildcard === "*") return true;
  const [pattern, subject] = [comparable(wildcard), comparable(text)];
  return walk(pattern, subject) || (pattern.endsWith(" *") && walk(pattern.slice(0, -2), subject));
}

/**
 * Whether a wildcard matches everything that another one matches. `?z` matches the text `*z`, but not everything it stands
 * for, because the star may also match nothing, or more than one character.
 */
export function coversWildcard(wildcard: string, other: string): boolean {
  if (!wildcard.includes("?") || !other.includes("*")) return matchesWildcard(wildcard, other);
  const fillings = ["", "\uE000".repeat(wildcard.length + 1)];
  return wildcard === other || fillings.every((each) => matchesWildcard(wildcard, other.replaceAll("*", each)));
}

export function isWildcard(text: string): boolean {
  return /[*?]/.test(text);
}

/** The form in which both are compared. */
export function comparable(text: string): string {
  const slashed = text.includes("\\") ? text.replaceAll("\\", "/") : text;
  return foldsCase ? slashed.toLowerCase() : slashed;
}

function walk(pattern: string, text: string): boolean {
  let at = 0;
  let star = -1;
  let resume = 0;
  for (let i = 0; i < text.length; ) {
    if (pattern[at] === "*") {
      star = at;
      at += 1;
      resume = i;
    } else if (pattern[at] === "?" || pattern[at] === text[i]) {
      at += 1;
      i += 1;
    } else if (star !== -1) {
      at = star + 1;
      resume += 1;
      i = resume;
    } else {
      return false;
    }
  }
  return /^\**$/.test(pattern.slice(at));
}
