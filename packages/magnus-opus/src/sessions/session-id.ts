/** `impl-20260118-143052-a1b2c3-user-profile`: command, local time, six random hex digits, and a short description. */
export const sessionIdPattern: RegExp = /^[a-z]+-\d{8}-\d{6}-[0-9a-f]{6}(?:-[a-z0-9][a-z0-9-]*)?$/;

const longestDescriptor = 30;

export interface SessionIdParts {
  /** `impl`, `api`, `ui`, `review`. */
  readonly command: string;
  readonly at: Date;
  /** Six hexadecimal digits. */
  readonly random: string;
  /** The person's own description. */
  readonly descriptor?: string;
}

export function sessionId({ command, at, random, descriptor = "" }: SessionIdParts): string {
  const numbers = [at.getMonth() + 1, at.getDate(), at.getHours(), at.getMinutes(), at.getSeconds()];
  const [month, day, ...time] = numbers.map((number) => String(number).padStart(2, "0"));
  // Accents are removed; anything else that is not a letter or digit becomes a dash. What is left may be empty.
  const plain = descriptor.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  const dashed = plain.replace(/[^a-z0-9]+/g, "-").replace(/^-/, "");
  const name = dashed.slice(0, longestDescriptor).replace(/-$/, "");
  const start = `${at.getFullYear()}${month}${day}-${time.join("")}`;
  return [command, start, random, name].filter((part) => part !== "").join("-");
}
