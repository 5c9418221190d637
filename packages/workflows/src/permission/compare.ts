// Whether rules allow more than other rules do.
import { expandHome } from "./decide.ts";
import { type PatternActions, type PermissionRule, permissionsIn, settingFor, width } from "./rules.ts";
import { comparable, isWildcard, matchesWildcard } from "./wildcard.ts";

/** The permissions that `after` widens compared to `before`; `*` stands for all that neither names. */
export function widerPermissions(before: readonly PermissionRule[], after: readonly PermissionRule[]): string[] {
  const effort = { left: mostSteps };
  const isWiderFor = (name: string): boolean => isWider(settingFor(name, before), settingFor(name, after), effort);
  const names = [...new Set([...permissionsIn([...before, ...after]), "*"])];
  const wider = new Set(names.filter(isWiderFor));
  // Where two wildcards overlap, some permissions have no name here.
  const named = [...new Set([...before, ...after].map(({ permission }) => permission))];
  const wild = named.filter((name) => name !== "*" && isWildcard(name));
  const wildcards = named.filter((name) => isWildcard(name) || wild.some((each) => matchesWildcard(each, name)));
  const alone = wildcards.map((wildcard) => [wildcard]);
  for (const found of overlaps(alone, { left: mostSteps })) {
    if (found === "too many") return [...new Set([...wider, "*"])].sort();
    const isCommon = found.matched.filter((rule) => wildcards[rule] !== "*").length > 1;
    const isReported = [...wider].some((name) => name !== "*" && matchesWildcard(name, found.text));
    if (isCommon && !isReported && isWiderFor(found.text)) wider.add(found.text);
  }
  return [...wider].sort();
}

interface Effort {
  left: number;
}

/** More than rules written by hand ever take. Asking is better than making the user wait. */
const mostSteps = 1_000_000;

/**
 * Whether `after` allows anything that `before` did not allow, or no longer asks about it. Exact, except that it says yes
 * when there are too many rules to tell.
 */
export function isWider(before: PatternActions, after: PatternActions, effort: Effort = { left: mostSteps }): boolean {
  if (JSON.stringify([...before]) === JSON.stringify([...after])) return false;
  const layers = [before, after].map((setting) => [...setting.keys()].map(expandHome));
  const [was, is] = [[...before.values()], [...after.values()]];
  for (const found of overlaps(layers, effort)) {
    if (found === "too many") return true;
    const { matched } = found;
    const last = matched.at(-1) ?? -1;
    const own = matched.findLast((rule) => rule < was.length) ?? -1;
    if (width[is[last - was.length] ?? "allow"] > width[was[own] ?? "allow"]) return true;
  }
  return false;
}

interface Overlap {
  /** The shortest text that these wildcards match, and no others. */
  readonly text: string;
  /** In order. */
  readonly matched: readonly number[];
}

/**
 * Every set of wildcards that match a common text. Reads all texts at once, character by character, and tracks how far each
 * wildcard has matched. Within a layer, what a later wildcard matches for certain is not checked in earlier ones.
 */
function* overlaps(layers: readonly (readonly string[])[], effort: Effort): Generator<Overlap | "too many"> {
  const places: Place[] = [];
  let [rule, form] = [0, 0];
  for (const [layer, wildcards] of layers.entries()) {
    for (const wildcard of wildcards.map(comparable)) {
      for (const text of wildcard.endsWith(" *") ? [wildcard, wildcard.slice(0, -2)] : [wildcard]) {
        const tokens = [...text.split(""), ""];
        for (const [i, token] of tokens.entries()) places.push({ token, rule, layer, form, isStart: i === 0 });
        form += 1;
      }
      rule += 1;
    }
  }
  const start = settled(
    places,
    places.flatMap(({ isStart }, i) => (isStart ? [i] : [])),
  );
  const seen = new Set([start.join()]);
  const reported = new Set<string>();
  let texts: { readonly text: string; readonly at: readonly number[] }[] = [{ text: "", at: start }];
  while (texts.length > 0) {
    const longer: typeof texts = [];
    for (const { text, at } of texts) {
      const matched = [...new Set(at.flatMap((i) => (places[i]?.token === "" ? [places[i].rule] : [])))].sort(
        (a, b) => a - b,
      );
      if (!reported.has(matched.join())) yield { text, matched };
      reported.add(matched.join());
      // The letters that make a difference, and one other letter.
      const letters = new Set(at.map((i) => places[i]?.token ?? "").filter((token) => !["", "*", "?"].includes(token)));
      let code = 0xe000;
      while (letters.has(String.fromCharCode(code))) code += 1;
      const usual = [..."xyzabcdefghijklmnopqrstuvw0123456789"].find((letter) => !letters.has(letter));
      for (const letter of [...letters, usual ?? String.fromCharCode(code)]) {
        effort.left -= at.length + 1;
        if (effort.left < 0) return yield "too many";
        const next = settled(
          places,
          at.flatMap((i) => {
            const token = places[i]?.token;
            if (token === "*") return [i];
            return token === "?" || token === letter ? [i + 1] : [];
          }),
        );
        const key = next.join();
        if (seen.has(key)) continue;
        seen.add(key);
        longer.push({ text: text + letter, at: next });
      }
    }
    texts = longer;
  }
}

/** A position in a wildcard, before one of its characters. The last one, with an empty token, is after all of them. */
interface Place {
  readonly token: string;
  readonly rule: number;
  readonly layer: number;
  /** A wildcard, or the same wildcard without its final ` *`. */
  readonly form: number;
  readonly isStart: boolean;
}

/** Adds the positions after stars that match nothing, and removes those that can no longer make a difference. */
function settled(places: readonly Place[], at: readonly number[]): number[] {
  const all = new Set(at);
  for (const i of all) if (places[i]?.token === "*") all.add(i + 1);
  const kept: number[] = [];
  const behindStar = new Set<number>();
  const decided = new Set<number>();
  for (const i of [...all].sort((a, b) => b - a)) {
    const place = places[i];
    if (place === undefined || behindStar.has(place.form) || decided.has(place.layer)) continue;
    kept.push(i);
    // A later star of the same wildcard can match whatever follows.
    if (place.token === "*") behindStar.add(place.form);
    if (place.token === "*" && places[i + 1]?.token === "") decided.add(place.layer);
  }
  return kept.reverse();
}
