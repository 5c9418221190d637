import { start } from "../../src/main.ts";
import { sampleOperations } from "./sample-operations.ts";

await start(sampleOperations);
