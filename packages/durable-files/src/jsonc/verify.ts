// Proves that a text edit changed the data as planned, changed nothing else, and lost no comment.
import type { PlannedEdit } from "./plan-edit.ts";
import type { Splice } from "./splice.ts";
import { type JsonDocument, type JsonNode, type MemberNode, members, memberValue } from "./tree.ts";
import { sameValue, toValue } from "./value.ts";

export function isFaithful(
  before: JsonDocument,
  edit: PlannedEdit,
  splices: readonly Splice[],
  after: JsonDocument,
): boolean {
  const kept = before.comments.filter(({ start, end }) => !splices.some((cut) => cut.start <= start && end <= cut.end));
  const texts = kept.map(({ start, end }) => before.text.slice(start, end));
  if (texts.length !== after.comments.length) return false;
  if (after.comments.some(({ start, end }, i) => after.text.slice(start, end) !== texts[i])) return false;
  if (edit.kind === "none") return before.text === after.text;
  if (edit.kind === "remove-root") return after.root === undefined;
  if (!after.root) return false;
  if (edit.kind === "create-root") return sameValue(toValue(after.root), edit.value);
  if (!before.root) return false;
  // The trees must agree everywhere except in the node that the steps lead to.
  let [old, now]: [JsonNode, JsonNode] = [before.root, after.root];
  for (const step of edit.steps) {
    const [from, to] = [members(old)[step], members(now)[step]];
    if (old.kind !== now.kind || !from || !to || keyOf(from) !== keyOf(to)) return false;
    if (!sameMembers(members(old).toSpliced(step, 1), members(now).toSpliced(step, 1))) return false;
    [old, now] = [memberValue(from), memberValue(to)];
  }
  if (edit.kind === "replace") return sameValue(toValue(now), edit.value);
  if (old.kind !== now.kind) return false;
  if (edit.kind === "remove") return sameMembers(members(old).toSpliced(edit.index, 1), members(now));
  const added = members(now)[edit.index];
  if (!added || !sameValue(toValue(memberValue(added)), edit.value) || keyOf(added) !== edit.key) return false;
  return sameMembers(members(old), members(now).toSpliced(edit.index, 1));
}

/** Unlike `sameValue` this sees the order of keys and every duplicate. */
function sameMembers(a: readonly MemberNode[], b: readonly MemberNode[]): boolean {
  return (
    a.length === b.length &&
    a.every((member, i) => {
      const [x, y] = [memberValue(member), memberValue(b[i]!)];
      if (keyOf(member) !== keyOf(b[i]!) || x.kind !== y.kind) return false;
      return "value" in x ? x.value === (y as typeof x).value : sameMembers(members(x), members(y));
    })
  );
}

function keyOf(member: MemberNode): string | undefined {
  return member.kind === "property" ? member.key.value : undefined;
}
