export function writeEntries(folder: string, count: number): void;
