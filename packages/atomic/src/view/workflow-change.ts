// What has changed in a workflow since a run began, in a few lines. Pure.
import { safe } from "@atomic/terminal/safe-text";
import { type GraphChanges, isUnchanged } from "@atomic/workflows/internal/graph/compare-graphs";

export interface WorkflowChange {
  /** The files that differ. Empty: the graph depends on something else. */
  readonly files: readonly string[];
  readonly graph: GraphChanges;
}

/** Safe for a terminal. */
export function changeLines({ files, graph }: WorkflowChange): readonly string[] {
  const { added, removed, moved, changed, declared } = graph;
  const hasCode = files.length === 0 || files.some((file) => /\.[cm]?[jt]sx?$/.test(file));
  const place = (after: string | undefined): string => (after === undefined ? "first" : safe`after ${after}`);
  return [
    ...(files.length === 0 ? [] : [safe`changed: ${files.join(", ")}`]),
    ...added.map(({ at, kind, after }) => `+ ${safe`${at} (${kind})`}, ${place(after)}`),
    ...removed.map(({ at, kind }) => safe`- ${at} (${kind})`),
    ...moved.map(({ at, after }) => `~ ${safe`${at}`} now comes ${place(after)}`),
    ...changed.map(({ at, options }) => safe`~ ${at}: ${options.join(", ")}`),
    ...(declared.length === 0 ? [] : [safe`~ what the graph declares: ${declared.join(", ")}`]),
    ...(isUnchanged(graph)
      ? [`only ${hasCode ? "code inside functions" : "what it reads"}: the nodes and their options are the same`]
      : []),
  ];
}
