/** The code (`ENOENT`, …) of a failure that the system reported. Any other failure is a bug of ours and is thrown on. */
export function systemCode(error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (typeof code !== "string") throw error;
  return code;
}

/** What a look at the disk finds; something else if the system refuses the look. */
export function lookOr<Found>(otherwise: Found, look: () => Found): Found {
  try {
    return look();
  } catch (error) {
    systemCode(error);
    return otherwise;
  }
}
