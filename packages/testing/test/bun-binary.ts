/** The Bun that runs these tests. */
export const bun: string = process.execPath;
