/** A name that nobody else has chosen. */
export function randomName(): string {
  return crypto.randomUUID().replaceAll("-", "").slice(0, 16);
}
