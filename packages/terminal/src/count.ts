/**
 * @example
 * count(2, "entity", "entities"); // "2 entities"
 */
export function count(amount: number, one: string, many: string = `${one}s`): string {
  return `${amount} ${amount === 1 ? one : many}`;
}
