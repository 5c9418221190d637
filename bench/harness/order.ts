/** The order of contestants in a round: shuffled, so none always follows the same one, and replayable. */
export function shuffledOrder(count: number, seed: number, round: number): number[] {
  const rank = Array.from({ length: count }, (_, index) => Bun.hash.xxHash32(`${seed}/${round}/${index}`));
  return [...rank.keys()].sort((a, b) => rank[a]! - rank[b]!);
}
