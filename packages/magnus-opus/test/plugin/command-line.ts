// The command line from its sources, as its bundle in `bin` is made of them.
import { start } from "../../src/cli/main.ts";

await start();
