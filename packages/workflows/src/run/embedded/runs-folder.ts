// Where a project's runs are, and what a new one is called.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { systemCode } from "../../entities/system-error.ts";

export function runsFolder(project: string): string {
  return join(project, ".atomic", "runs");
}

/** Creates the folder. Runs should not be committed: they contain prompts, answers and whatever agents have read. */
export function makeRunsFolder(folder: string): void {
  mkdirSync(folder, { recursive: true });
  try {
    writeFileSync(join(folder, ".gitignore"), "*\n", { flag: "wx" });
  } catch (error) {
    if (systemCode(error) !== "EEXIST") throw error;
  }
}

// Ids of runs: two short words that you can say, type and remember.
const first =
  "able airy apt bold brave brief bright brisk calm clear clever cosy crisp deep dry eager early easy even fair fast fine firm fond free fresh full gentle glad good grand green happy hardy high honest humble jolly just keen kind large late light lively long loud loyal lucky mellow merry mild modest neat new nice noble odd open patient plain polite proud pure quick quiet rapid rare ready rich ripe round safe sharp shiny short silent silver simple sleek slow smart smooth snug soft solid stable steady still strong sunny sure swift tall tame tidy tiny true vast vivid warm wide wild wise witty young zesty".split(
    " ",
  );
const second =
  "acorn alder ant apple arch aspen badger bear beech berry birch bison boat breeze bridge brook canoe cedar cherry cliff cloud clover comet coral crane creek crow daisy dawn deer delta dove dune eagle elm falcon fern field finch fir fjord flame forest fox frog gale garden gecko glade goose grove gull harbor hare hawk hazel heron hill ibis iris island ivy jay kite lake lark leaf lemon lily lion lotus lynx maple marsh meadow mole moon moss moth newt oak oasis olive orbit otter owl palm panda peak pearl pebble pine plum pond poppy puffin quail raven reed reef ridge river robin rose sage seal shore sky sparrow spruce star stone stork stream swan tern thistle tiger toad trout tulip valley violet vole walnut wave whale willow wolf wren yak zebra".split(
    " ",
  );

/**
 * Reserves a new run's folder, and with it the id: no other process can get it, not even at the same time.
 *
 * @example
 * reserveRunId("/my/project/.atomic/runs", Math.random); // "calm-otter"
 */
export function reserveRunId(folder: string, random: () => number): string {
  const pick = (words: readonly string[]): string => words[Math.floor(random() * words.length)] ?? "";
  for (let tries = 0; ; tries++) {
    const words = `${pick(first)}-${pick(second)}`;
    // When the words are nearly used up, a number is added.
    const id = tries < 50 ? words : `${words}-${tries - 48}`;
    try {
      mkdirSync(join(folder, id));
      return id;
    } catch (error) {
      if (systemCode(error) !== "EEXIST") throw error;
    }
  }
}
