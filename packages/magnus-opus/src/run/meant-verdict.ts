// Models put a verdict in words of their own. A yes has to be exact, because it lets work through; a no counts in any words.
import { type Verdict, verdicts } from "./review.ts";

/** These say no, even beside a yes: "approved, but blocked by …". */
const refusing =
  /^(REJECT|REFUS|REVIS|CONCERN|OBJECT|BLOCK|DISAPPROV|DECLIN|DEN(Y|IE)|FAIL|VETO|UNACCEPT|UNSAFE|UNSOUND|UNFIT|UNREADY|UNMERG|INADEQUATE|INSUFFICIENT|INCORRECT|INCOMPLETE|MUST$|BREAK|BROKEN|BAD$|DOWN$|WRONG|WORSE|NACK$|NAK$|NOPE$|NAY$|NEGATIVE|REWORK|REDO$|REWRITE|HOLD$|STOP$|ABORT|DANGER|UNAPPROV|UNSATISF|POOR)/;
/** These say no unless something beside them says that all is well: "issues resolved". */
const doubting =
  /^(ISSUE|PROBLEM|BUG|FIX|CHANGE|WORK$|IMPROVE|NEED|REQUIRE|REQUEST|MISSING|LACK|DEFECT|ERROR|FLAW|RISK)/;
const praising =
  /^(APPROV|ACCEPT|LGTM$|FINE$|GOOD$|GREAT$|OK$|OKAY$|PASS|SHIP|MERGE|RESOLVED|FIXED|CLEAN|FREE$|YES$|READY$|WELL$|WORKS$|CORRECT$|SOLID$|COMPLETE$)/;
const negating = /^(NOT|NEVER|CANNOT|(DO|DOES|DID|CA|WO|IS|ARE|SHOULD|MUST|COULD|WOULD)NT)$/;
const noneOf = /^(NO|WITHOUT|NOTHING|ZERO|NONE)$/;
/** What a reviewer may have none of: "no comments" is not a no. */
const remark =
  /^(COMMENT|REMARK|NOTE|FINDING|NIT|SUGGESTION|QUESTION|OBSERVATION|COMPLAINT|RESERVATION|ACTION|FURTHER|MORE$|OTHER|OPINION|VERDICT|REVIEW|ANSWER|IDEA|DOUBT)/;

/** The verdict that a reviewer means; undefined if it is neither an exact yes nor a no in any words. */
export function meantVerdict(said: unknown): Verdict | undefined {
  if (said === false) return "NEEDS_REVISION";
  if (typeof said !== "string") return undefined;
  const text = said.normalize("NFKC").toUpperCase().replace(/['’]/g, "");
  const exact = verdicts.find((verdict) => verdict === wordsOf(text).join("_"));
  if (exact !== undefined) return exact;
  if (/[👎❌✗✘⛔🚫🛑✖]/u.test(text) || /^\s*-[12]\s*$/.test(text)) return "NEEDS_REVISION";
  const clauses = text.split(/[,.;:!?()\n]| [-–—] |\bBUT\b/).map(wordsOf);
  const isPraised = clauses.some((words) => words.some((word) => praising.test(word)));
  return clauses.some((words) => saysNo(words, isPraised)) ? "NEEDS_REVISION" : undefined;
}

function wordsOf(text: string): readonly string[] {
  return text.split(/[^A-Z]+/).filter((word) => word !== "");
}

function saysNo(words: readonly string[], isPraised: boolean): boolean {
  return words.some((word, at) => {
    // "No concerns", "without any issues", "not a blocker".
    const isDenied = words.slice(Math.max(0, at - 3), at).some((each) => negating.test(each) || noneOf.test(each));
    if (refusing.test(word)) return !isDenied;
    if (negating.test(word) || word === "NO") {
      const next = words.slice(at + 1, at + 4);
      const denied = next.find((each) => [praising, refusing, doubting, remark].some((kind) => kind.test(each)));
      return denied === undefined || praising.test(denied);
    }
    return doubting.test(word) && !isDenied && !isPraised;
  });
}
