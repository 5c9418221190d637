// Ids of runs: two short words that you can say, type and remember.
import type { Engine, StartRequest } from "./engine.ts";

const first =
  "able airy apt bold brave brief bright brisk calm clear clever cosy crisp deep dry eager early easy even fair fast fine firm fond free fresh full gentle glad good grand green happy hardy high honest humble jolly just keen kind large late light lively long loud loyal lucky mellow merry mild modest neat new nice noble odd open patient plain polite proud pure quick quiet rapid rare ready rich ripe round safe sharp shiny short silent silver simple sleek slow smart smooth snug soft solid stable steady still strong sunny sure swift tall tame tidy tiny true vast vivid warm wide wild wise witty young zesty".split(
    " ",
  );
const second =
  "acorn alder ant apple arch aspen badger bear beech berry birch bison boat breeze bridge brook canoe cedar cherry cliff cloud clover comet coral crane creek crow daisy dawn deer delta dove dune eagle elm falcon fern field finch fir fjord flame forest fox frog gale garden gecko glade goose grove gull harbor hare hawk hazel heron hill ibis iris island ivy jay kite lake lark leaf lemon lily lion lotus lynx maple marsh meadow mole moon moss moth newt oak oasis olive orbit otter owl palm panda peak pearl pebble pine plum pond poppy puffin quail raven reed reef ridge river robin rose sage seal shore sky sparrow spruce star stone stork stream swan tern thistle tiger toad trout tulip valley violet vole walnut wave whale willow wolf wren yak zebra".split(
    " ",
  );

/**
 * Starts a run under an id that no other run has. Returns the id.
 *
 * @example
 * await startNew(engine, { graph, input }, Math.random); // "calm-otter"
 */
export async function startNew(
  engine: Pick<Engine, "start">,
  request: Omit<StartRequest, "runId">,
  random: () => number,
): Promise<string> {
  const pick = (words: readonly string[]): string => words[Math.floor(random() * words.length)] ?? "";
  for (let tries = 0; ; tries++) {
    const words = `${pick(first)}-${pick(second)}`;
    // When the words are nearly used up, a number is added.
    const runId = tries < 50 ? words : `${words}-${tries - 48}`;
    if ((await engine.start({ ...request, runId })) === "started") return runId;
  }
}
