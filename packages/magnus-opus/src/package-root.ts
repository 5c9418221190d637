import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

let folder = dirname(fileURLToPath(import.meta.url));
while (!existsSync(join(folder, "package.json"))) folder = dirname(folder);

/** The folder with `agents`, `commands`, `skills` and `words`, seen from a source file as well as from the bundle. */
export const packageRoot: string = folder;
