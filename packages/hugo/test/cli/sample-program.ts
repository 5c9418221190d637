import { start } from "../../src/main.ts";
import { sampleOperations } from "./sample-commands.ts";

await start(sampleOperations);
