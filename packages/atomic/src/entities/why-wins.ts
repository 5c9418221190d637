import type { Entity } from "@atomic/workflows/entity";

/**
 * Why one of two namesakes comes first, as one sentence: the first of the rules of the registry in which they differ.
 *
 * @example
 * whyWins(projects, users); // "project beats user"
 */
export function whyWins({ source: winner }: Entity, { source: loser }: Entity): string {
  if (winner.location !== loser.location) return `${winner.location} beats ${loser.location}`;
  if (winner.provider !== loser.provider) return `${winner.provider} beats ${loser.provider}`;
  if (winner.workflow !== loser.workflow) return `${winner.workflow} comes before ${loser.workflow} by path`;
  if (winner.place !== loser.place) return `${winner.place} beats ${loser.place}`;
  if (winner.path !== loser.path) return `${winner.relative} comes before ${loser.relative} by path`;
  return `${winner.pointer} comes before ${loser.pointer} by name`;
}
