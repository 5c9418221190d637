// The files that a transaction puts beside each target. Their names follow from the target and a random id, so a record cannot
// name any other file, and a record that somebody planted names files that are not there.
import { randomBytes } from "node:crypto";
import { dirname, join } from "node:path";

export function newId(): string {
  return randomBytes(6).toString("hex");
}

export function isId(text: unknown): text is string {
  return typeof text === "string" && /^[0-9a-f]{12}$/.test(text);
}

/** Neither name ends like anything an agent tool would load. */
export function stagedBeside(target: string, id: string, position: number): { temp: string; backup: string } {
  const name = join(dirname(target), `.durable-${id}-${position}`);
  return { temp: `${name}.new`, backup: `${name}.old` };
}

export function isStagedName(name: string): boolean {
  return /^\.durable-[0-9a-f]{12}-\d+\.(?:new|old)$/i.test(name);
}
