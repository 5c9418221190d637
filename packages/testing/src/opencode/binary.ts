import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const require = createRequire(import.meta.url);

/** The real program, as installed from npm. */
export const opencodeBinary: string = join(dirname(require.resolve("opencode-ai/package.json")), "bin/opencode.exe");

/** Where npm links the programs of the installed packages. */
export const toolsDir: string = join(dirname(require.resolve("opencode-ai/package.json")), "../.bin");
