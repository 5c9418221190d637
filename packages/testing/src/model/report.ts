import { type Expectation, type ExpectationMatch, firstMisfit, isWaiting } from "./expectation.ts";
import type { RecordedRequest } from "./recording.ts";

/** The script and the actual requests do not match. */
export class ModelScriptError extends Error {
  override readonly name = "ModelScriptError";
}

/**
 * `+` came and was not expected, `-` was expected and did not come, the rest is context.
 * Nothing to report gives `undefined`.
 */
export function describeMismatch(
  unexpected: readonly RecordedRequest[],
  expectations: readonly Expectation[],
  options: { allowUnused: boolean },
): string | undefined {
  const open = expectations.filter(isOpen);
  if (unexpected.length === 0 && (open.length === 0 || options.allowUnused)) return undefined;
  const counts = [
    ...(unexpected.length > 0
      ? [`${unexpected.length} request${unexpected.length === 1 ? "" : "s"} that no expectation matches`]
      : []),
    ...(open.length > 0 ? [`${open.length} expectation${open.length === 1 ? "" : "s"} not used up`] : []),
  ];
  return [
    `The model's script does not fit what happened: ${counts.join(", ")}.`,
    ...unexpected.flatMap((request) => [
      "",
      ...describeRequest(request),
      // Why each expectation that could have taken the request did not.
      ...(request.problem !== undefined ? [] : expectations).flatMap((expectation) => {
        const reason = describeMisfit(request, expectation);
        return reason === undefined ? [] : [`+   not ${describeMatch(expectation.match)}: ${reason}`];
      }),
    ]),
    "",
    ...(expectations.length === 0
      ? ["  Nothing was expected."]
      : expectations.map((expectation) => {
          const { match, turns, threads, limit } = expectation;
          const said = turns.map(({ parts, ending }) => {
            if (ending.kind === "status") return `status ${ending.status}`;
            const words = parts.flatMap((part) => {
              if (part.kind === "tool") return [`tool ${part.name}`];
              if (part.kind !== "text") return [];
              return [typeof part.text === "string" ? `reply ${shortened(part.text, 40)}` : "reply …"];
            });
            return [...words, ...(ending.kind === "finish" ? [] : [ending.kind])].join(" + ") || "an empty reply";
          });
          const script = said.join(" → ") || 'nothing scripted, add .reply("…")';
          const unfinished = threads.find((thread) => thread.live);
          let use = Number.isFinite(limit)
            ? `used ${threads.length} of ${limit}`
            : `used ${threads.length}, always welcome`;
          if (unfinished) use = `turn ${unfinished.turnsTaken + 1} was never asked for`;
          return `${isOpen(expectation) ? "-" : " "} ${describeMatch(match)}: ${script} (${use})`;
        })),
  ].join("\n");
}

export function describeRequest(request: RecordedRequest): string[] {
  if (request.problem !== undefined) {
    return [`+ request #${request.number}  ${request.method} ${request.path}`, `+   ${request.problem}`];
  }
  return [
    `+ request #${request.number}  ${request.wire}, model ${request.model || "(none)"}`,
    `+   user    ${shortened(request.user)}`,
    ...request.toolResults.map((result) => `+   result  ${shortened(result)}`),
    `+   tools   ${request.tools.map((tool) => tool.name).join(", ") || "(none)"}`,
  ];
}

function describeMisfit(request: RecordedRequest, expectation: Expectation): string | undefined {
  if (!isWaiting(expectation)) {
    const unfinished = expectation.threads.find((thread) => thread.live);
    return unfinished && `its conversation is under way elsewhere, at turn ${unfinished.turnsTaken + 1}`;
  }
  const field = firstMisfit(expectation.match, request);
  switch (field) {
    case undefined:
      return undefined; // it was scripted only after the request had come
    case "side":
      return "it is not that side request";
    case "toolResult": {
      const results = request.toolResults.map((result) => shortened(result)).join(", ");
      return results === "" ? "it brings no tool result" : `it brings the tool result ${results}`;
    }
    case "where":
      return "where … says no";
    default:
      return `${field} is ${shortened(request[field])}`;
  }
}

function isOpen({ turns, threads, limit }: Expectation): boolean {
  if (turns.length === 0 || threads.some((thread) => thread.live)) return true;
  return Number.isFinite(limit) && threads.length < limit;
}

export function describeMatch(match: ExpectationMatch): string {
  const entries = Object.entries(match).filter(([, pattern]) => pattern !== undefined);
  if (entries.length === 0) return "any prompt";
  return entries
    .map(([field, pattern]) => {
      if (typeof pattern === "function") return "where …";
      return `${field} ${typeof pattern === "string" ? shortened(pattern) : pattern}`;
    })
    .join(", ");
}

/** In quotes, and cut when it is long. */
export function shortened(text: string, length = 200): string {
  return JSON.stringify(text.length > length ? `${text.slice(0, length)}…` : text);
}
