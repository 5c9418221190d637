/** The code (`ENOENT`, …) of an error that the system reported. Any other error is our own bug and is rethrown. */
export function systemCode(error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (typeof code !== "string") throw error;
  return code;
}

/** The result of a file system call, or `otherwise` if the system refuses it. */
export function lookOr<Found>(otherwise: Found, look: () => Found): Found {
  try {
    return look();
  } catch (error) {
    systemCode(error);
    return otherwise;
  }
}
