// What all contestants share, compiled: only the drawing differs.
import { entriesOf } from "./entries.mjs";

export async function shared(count) {
  const line = new URL(`${process.env.ATOMIC_LINE}/`);
  const [{ reduce }, { emptyState }, { catalogOf }] = await Promise.all(
    ["reducer.js", "state.js", "suggestions.js"].map((file) => import(new URL(file, line).href)),
  );
  return { reduce, emptyState, world: { catalog: catalogOf(entriesOf(count)), history: [] } };
}
