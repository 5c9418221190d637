/** The order of contestants in a round: shuffled, so that nobody always follows the same neighbour, and replayable. */
export function shuffledOrder(count: number, seed: number, round: number): number[] {
  const rank = Array.from({ length: count }, (_, index) => Bun.hash.xxHash32(`${seed}/${round}/${index}`));
  return [...rank.keys()].sort((a, b) => rank[a]! - rank[b]!);
}
