import { HugoError, type HugoErrorCode } from "../../errors.ts";
import { redact } from "../redact.ts";

const LAST_LINES = 3;

/** Words of both package managers, the telling ones first. */
const REASONS: readonly { readonly words: RegExp; readonly code: HugoErrorCode; readonly hint: string }[] = [
  {
    words: /Fetching packages of type|"git clone"|(?:file|link|workspace|git\+\w+):/i,
    code: "package-unsafe",
    hint: "Nothing was installed. Only packages of a registry may be depended on: its author must publish them.",
  },
  {
    words: /minimum-release-age|ENOVERSIONS|with a date before/i,
    code: "release-too-new",
    hint: "One of its dependencies was published more recently than HUGO_MINIMUM_RELEASE_AGE allows. Wait, or add --allow-new.",
  },
  {
    words: /integrity check failed|IntegrityCheckFailed|EINTEGRITY/i,
    code: "integrity-mismatch",
    hint: "Nothing was installed. Try again; if it stays, somebody changes it on its way.",
  },
  {
    words: /\b40[13]\b|E40[13]|Unauthorized|Forbidden/,
    code: "access-denied",
    hint: "Log in with `npm login`, or put a token for this registry into ~/.npmrc.",
  },
  {
    words: /\b404\b|E404/,
    code: "package-not-found",
    hint: "What it depends on is not in the registry: only the author of the package can correct it.",
  },
  {
    words: /No version matching|failed to resolve|ETARGET|No matching version/i,
    code: "version-not-found",
    hint: "What it depends on is not in the registry: only the author of the package can correct it.",
  },
  {
    words:
      /ConnectionRefused|ConnectionClosed|DNSResolve|ECONN|ENOTFOUND|ETIMEDOUT|EAI_AGAIN|socket hang up|\b5\d\d\b/i,
    code: "network-failed",
    hint: "Look at your connection, your proxy and the registry in .npmrc, then try again.",
  },
];

/** Why a package manager failed, in words that lead somewhere. */
export function managerFailure(manager: string, what: string, output: string): HugoError {
  const { code, hint } = REASONS.find(({ words }) => words.test(output)) ?? {
    code: "program-failed" as const,
    hint: `Nothing was installed. Try \`${manager} install\` in a folder of its own: it shows more details.`,
  };
  const message = `${manager} could not install what ${what} depends on: ${lastWords(output)}`;
  return new HugoError(code, { message, hint });
}

function lastWords(output: string): string {
  const lines = redact(output)
    .split(/\r?\n/)
    .map((line) => line.replace(/^(?:npm (?:error|ERR!)|error:)\s*/, "").trim())
    .filter((line) => line !== "" && !/^(?:Resolv|Saved|code |npm warn|A complete log|bun install v)/.test(line));
  return [...new Set(lines)].slice(0, LAST_LINES).join(" / ") || "it gave no reason";
}
