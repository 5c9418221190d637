import { typedText } from "./conversation.ts";
import type { RecordedRequest } from "./recording.ts";
import { type DraftTurn, type ReplyTurn, resolveTurn } from "./turn.ts";

/** Text matches when it contains the string or fits the pattern. */
export type TextPattern = string | RegExp;

/** Which request starts a conversation. All given fields must match. */
export interface ExpectationMatch {
  /** The last text the user typed. */
  readonly user?: TextPattern;
  readonly system?: TextPattern;
  readonly model?: TextPattern;
  /** The result of one of the tools called last. Without this field, only a fresh prompt matches, never a tool result. */
  readonly toolResult?: TextPattern;
  /** The name of a client's own side request, for example `"title"`; without it, side requests never match. */
  readonly side?: string;
  readonly where?: (request: RecordedRequest) => boolean;
}

/** A scripted conversation and how often it may take place. */
export interface Expectation {
  readonly match: ExpectationMatch;
  readonly turns: DraftTurn[];
  limit: number;
  readonly threads: Thread[];
}

/** One session that is having a scripted conversation. */
export class Thread {
  readonly expectation: Expectation;
  readonly #anchor: string;
  readonly #session: string | undefined;
  readonly #callIds = new Set<string>();
  #next = 0;
  #spoken = 0;

  constructor(expectation: Expectation, first: RecordedRequest) {
    this.expectation = expectation;
    this.#anchor = first.user;
    this.#session = first.session;
  }

  get turnsTaken(): number {
    return this.#next;
  }

  get live(): boolean {
    return this.#next < this.expectation.turns.length;
  }

  /** Takes the next turn for `request`. */
  take(request: RecordedRequest): { turn: ReplyTurn; thread: Thread } {
    const draft = this.expectation.turns[this.#next];
    if (!draft) throw new Error("A finished conversation has no next turn.");
    const turn = resolveTurn(draft, request);
    this.#next += 1;
    if (turn.ending.kind === "finish") this.#spoken += 1;
    for (const part of turn.parts) if (part.kind === "tool") this.#callIds.add(part.id);
    return { turn, thread: this };
  }

  /** The client closed the stream in the middle of `turn`, so its history may lack that reply. */
  interrupted(turn: ReplyTurn): void {
    if (turn.ending.kind === "finish") this.#spoken -= 1;
  }

  /**
   * Is this the same conversation, later? Its history must hold the message that started it, followed by as many replies
   * as were given: replies that failed may be there or not, since some clients keep the torn half.
   */
  continuedBy(request: RecordedRequest): boolean {
    if (!this.live) return false;
    if (this.#session !== request.session) return false;
    const { messages } = request;
    // Sessions with the same prompt have the same history, except for the ids of the calls made in them.
    const mentionsCalls = messages.some(
      (message) =>
        (message.role === "tool" && this.#callIds.has(message.callId)) ||
        (message.role === "assistant" && message.toolCalls.some((call) => this.#callIds.has(call.id))),
    );
    if (this.#spoken > 0 && this.#callIds.size > 0 && !mentionsCalls) return false;
    return messages.some((message, index) => {
      if (message.role !== "user" || typedText(message.text) !== this.#anchor) return false;
      const replies = messages.slice(index + 1).filter(({ role }) => role === "assistant").length;
      return replies >= this.#spoken && replies <= this.#next;
    });
  }
}

/** The turn that answers `request`: the next one of an open conversation, else the first of a matching expectation. */
export function answer(
  expectations: readonly Expectation[],
  request: RecordedRequest,
): { turn: ReplyTurn; thread: Thread } | undefined {
  const underWay = request.side === undefined ? expectations.flatMap((expectation) => expectation.threads) : [];
  const continued = underWay.find((thread) => thread.continuedBy(request));
  if (continued) return continued.take(request);
  const fresh = expectations.find((each) => isWaiting(each) && firstMisfit(each.match, request) === undefined);
  if (!fresh) return undefined;
  const thread = new Thread(fresh, request);
  fresh.threads.push(thread);
  return thread.take(request);
}

/** It has turns, and another conversation may begin. */
export function isWaiting({ turns, threads, limit }: Expectation): boolean {
  return turns.length > 0 && threads.length < limit;
}

/** Whether an expectation that is not used up names this text; one that matches any prompt does not count. */
export function isScripted(expectations: readonly Expectation[], text: string): boolean {
  return expectations.some(
    (expectation) =>
      expectation.match.user !== undefined &&
      fits(expectation.match.user, text) &&
      (isWaiting(expectation) || expectation.threads.some((thread) => thread.live)),
  );
}

/** The first field that keeps `request` from starting the conversation. */
export function firstMisfit(match: ExpectationMatch, request: RecordedRequest): keyof ExpectationMatch | undefined {
  if (match.side !== request.side) return "side";
  const { toolResults } = request;
  const wanted = match.toolResult;
  const fitsResults =
    wanted === undefined ? toolResults.length === 0 : toolResults.some((result) => fits(wanted, result));
  if (!fitsResults) return "toolResult";
  const text = (["user", "system", "model"] as const).find((field) => !fits(match[field], request[field]));
  if (text !== undefined) return text;
  return (match.where?.(request) ?? true) ? undefined : "where";
}

function fits(pattern: TextPattern | undefined, text: string): boolean {
  if (pattern === undefined) return true;
  return typeof pattern === "string" ? text.includes(pattern) : new RegExp(pattern).test(text);
}
