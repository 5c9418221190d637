/**
 * @example
 * count(2, "entity", "entities"); // "2 entities"
 */
export function count(amount: number, one: string, many: string = `${one}s`): string {
  return `${amount} ${amount === 1 ? one : many}`;
}

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/**
 * How long something took, the same in every program. Journals are files, so an amount may mean nothing: that is unknown.
 *
 * @example
 * formatDuration(192_000); // "3m 12s"
 */
export function formatDuration(ms: number): string {
  if (!(Math.abs(ms) < 1e15)) return "unknown";
  if (ms < second) return `${Math.max(0, Math.floor(ms))}ms`;
  if (ms < 10 * second) return `${(Math.floor(ms / 100) / 10).toFixed(1)}s`;
  if (ms < minute) return `${Math.floor(ms / second)}s`;
  if (ms < hour) return `${Math.floor(ms / minute)}m ${Math.floor((ms % minute) / second)}s`;
  if (ms < day) return `${Math.floor(ms / hour)}h ${Math.floor((ms % hour) / minute)}m`;
  return `${Math.floor(ms / day)}d ${Math.floor((ms % day) / hour)}h`;
}
