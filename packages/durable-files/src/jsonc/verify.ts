// Proof that a text edit did to the data what it was meant to do and nothing else, and lost no comment on the way.
import type { Change, Steps } from "./change.ts";
import type { Splice } from "./splice.ts";
import { type JsonDocument, type JsonNode, type MemberNode, members, memberValue } from "./tree.ts";
import { sameValue, toValue } from "./value.ts";

type Check = (old: JsonNode, now: JsonNode) => boolean;

export function isFaithful(
  before: JsonDocument,
  change: Change,
  splices: readonly Splice[],
  after: JsonDocument,
): boolean {
  return hasData(before, change, after) && hasComments(before, splices, after);
}

function hasData(before: JsonDocument, change: Change, after: JsonDocument): boolean {
  if (change.kind === "none") return before.text === after.text;
  if (change.kind === "remove-root") return after.root === undefined;
  if (!after.root) return false;
  if (change.kind === "create-root") return sameValue(toValue(after.root), change.value);
  return before.root !== undefined && sameAround(before.root, after.root, change.steps, checkOf(change));
}

function checkOf(change: Extract<Change, { steps: Steps }>): Check {
  switch (change.kind) {
    case "replace":
      return (_, now) => sameValue(toValue(now), change.value);
    case "remove":
      return (old, now) => old.kind === now.kind && sameMembers(members(old).toSpliced(change.index, 1), members(now));
    case "insert":
      return (old, now) => {
        const added = members(now)[change.index];
        if (!added || !sameValue(toValue(memberValue(added)), change.value) || keyOf(added) !== change.key)
          return false;
        return old.kind === now.kind && sameMembers(members(old), members(now).toSpliced(change.index, 1));
      };
  }
}

/** The trees agree everywhere but in the node that `steps` lead to; there `check` decides. */
function sameAround(a: JsonNode, b: JsonNode, steps: Steps, check: Check): boolean {
  const [step, ...rest] = steps;
  if (step === undefined) return check(a, b);
  const [from, to] = [members(a)[step], members(b)[step]];
  if (a.kind !== b.kind || !from || !to || keyOf(from) !== keyOf(to)) return false;
  if (!sameMembers(members(a).toSpliced(step, 1), members(b).toSpliced(step, 1))) return false;
  return sameAround(memberValue(from), memberValue(to), rest, check);
}

/** Unlike `sameValue` this sees the order of keys and every duplicate. */
function sameMembers(a: readonly MemberNode[], b: readonly MemberNode[]): boolean {
  return a.length === b.length && a.every((member, i) => keyOf(member) === keyOf(b[i]!) && sameNode(member, b[i]!));
}

function sameNode(a: MemberNode, b: MemberNode): boolean {
  const [x, y] = [memberValue(a), memberValue(b)];
  if (x.kind !== y.kind) return false;
  return "value" in x ? x.value === (y as typeof x).value : sameMembers(members(x), members(y));
}

function keyOf(member: MemberNode): string | undefined {
  return member.kind === "property" ? member.key.value : undefined;
}

function hasComments(before: JsonDocument, splices: readonly Splice[], after: JsonDocument): boolean {
  const kept = before.comments.filter(({ start, end }) => !splices.some((cut) => cut.start <= start && end <= cut.end));
  return (
    kept.length === after.comments.length &&
    kept.every(({ start, end }, i) => {
      const now = after.comments[i]!;
      return before.text.slice(start, end) === after.text.slice(now.start, now.end);
    })
  );
}
