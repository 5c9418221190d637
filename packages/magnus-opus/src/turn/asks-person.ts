// Whether what an agent said last waits for an answer. Reads the end of it; a question that it answers itself is none.

/** In any script: "?", "？", "؟", ";" (Greek). Behind it, only marks and pictures. */
const question = /[?？؟\u037e](?:[\s*_"'”)\]:\u200d]|\p{Extended_Pictographic}\ufe0f?)*$/u;
const option = /^\s*(?:[-*•]|\(?[\da-z][.)])\s/i;
const choice = /[([] *(?:y|yes|j|ja|o|oui|s|si|sí) *[/|] *(?:n|no|nein|non) *[)\]][\s:]*$/i;

/** What models say instead of a question, or around it. */
const requests: readonly RegExp[] = [
  /\?\s*(?:\(?(?:1|a)[.)]|[-•]) ?\S/i,
  /\b(?:shall|should|may|can|could) (?:i|we)\b[^.?!\n]*\?/i,
  /\b(?:do|would|could|can|will) you\b[^.?!\n]*\?/i,
  /\blet me know\b(?! if (?:there|any|some|you (?:have|need|run|see|hit|find)))/i,
  /(?:^|[.!?]\s+|\b(?:so|then|but|and),? )please (?:confirm|advise|choose|decide|reply|respond|answer|pick|clarify|specify|approve|tell me)\b/i,
  /\b(?:wait|waiting|await|awaiting)(?: for)? your\b/i,
  /\bneed your (?:answer|approval|confirmation|decision|input|permission|go-ahead|choice)\b/i,
  /\byour (?:call|choice|decision)\b[.!]?$/i,
  /\btell me (?:which|what|whether|if|how)\b/i,
  /(?:^|[.!?]\s+)(?:reply|answer|respond|say|type)(?: with)? ["'`*“]/i,
];

export function asksPerson(said: string): boolean {
  const prose = said.replace(/```[\s\S]*?(```|$)/g, "").replace(/`[^`\n]*`/g, "x");
  const paragraphs = prose.split(/\n\s*\n/).filter((paragraph) => paragraph.trim() !== "");
  // A question may have its options behind it, and a last word behind those.
  if (paragraphs.some((each, at) => question.test(each) && option.test(paragraphs[at + 1] ?? ""))) return true;
  const last = (paragraphs.at(-1) ?? "").trim();
  const beforeOptions = last.split(/\n(?=\s*(?:[-*•]|\(?[\da-z][.)])\s)/i)[0]!;
  return [last.replace(choice, ""), beforeOptions].some(
    (text) => question.test(text) || requests.some((request) => request.test(text)),
  );
}
