import { join } from "node:path";
import { bench } from "./harness/bench.ts";

const opencode = join(import.meta.dirname, "../node_modules/.bin/opencode");
const asBun = { BUN_BE_BUN: "1" };
const embedded = Bun.spawnSync([opencode, "--version"], { env: { ...process.env, ...asBun } });

export default bench({
  title: "How long a runtime takes to start and do nothing",
  about:
    "A yardstick for every other figure: a command can never be faster than its runtime. " +
    "OpenCode's binary embeds its own Bun, which runs plugins.",
  rounds: 15,
  versions: { "Bun in OpenCode": embedded.stdout.toString().trim() },
  groups: [
    {
      title: "Run the script 0",
      baseline: "node",
      contestants: [
        { name: "node", command: ["node", "-e", "0"] },
        { name: "bun", command: [process.execPath, "-e", "0"], expectRatio: { of: "node", atMost: 1 } },
        { name: "Bun in OpenCode", command: [opencode, "-e", "0"], env: asBun },
      ],
    },
  ],
});
