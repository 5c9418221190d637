// Whether rules allow more than other rules do. Pure.
import { expandHome, type PatternActions, type PermissionRule, permissionsIn, settingFor, width } from "./rules.ts";
import { comparable, matchesWildcard } from "./wildcard.ts";

/** The permissions of which `after` allows more than `before`; `*` is for all that neither names. */
export function widerPermissions(before: readonly PermissionRule[], after: readonly PermissionRule[]): string[] {
  const effort = { left: mostSteps };
  const isWiderFor = (name: string): boolean => isWider(settingFor(name, before), settingFor(name, after), effort);
  const names = [...new Set([...permissionsIn([...before, ...after]), "*"])];
  const wider = new Set(names.filter(isWiderFor));
  // Where two wildcards overlap, there are permissions that no name stands for.
  const wildcards = [...new Set([...before, ...after].map(({ permission }) => permission))];
  const isTold = (text: string): boolean => [...wider].some((name) => name !== "*" && matchesWildcard(name, text));
  const alone = wildcards.map((wildcard) => [wildcard]);
  for (const found of overlaps(alone, { left: mostSteps })) {
    if (found === "too many") return [...new Set([...wider, "*"])].sort();
    const isCommon = found.matched.filter((rule) => wildcards[rule] !== "*").length > 1;
    if (isCommon && !isTold(found.text) && isWiderFor(found.text)) wider.add(found.text);
  }
  return [...wider].sort();
}

interface Effort {
  left: number;
}

/** More than the rules of anyone take who writes them by hand. Asking is better than making the user wait. */
const mostSteps = 1_000_000;

/**
 * Whether anything is allowed by `after` that was not by `before`, or is no longer asked about. Exact, save that it says yes
 * where the rules are too many to tell.
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
  /** One that these wildcards match, and no others; as short as can be. */
  readonly text: string;
  /** In order. */
  readonly matched: readonly number[];
}

/**
 * Every set of wildcards that some text is matched by. It reads all texts at once, one character after the other, and keeps in
 * mind how far each wildcard has come. In a layer, what a later wildcard matches for sure is not looked at in earlier ones.
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
  const told = new Set<string>();
  let texts: { readonly text: string; readonly at: readonly number[] }[] = [{ text: "", at: start }];
  while (texts.length > 0) {
    const longer: typeof texts = [];
    for (const { text, at } of texts) {
      const matched = [...new Set(at.flatMap((i) => (places[i]?.token === "" ? [places[i].rule] : [])))].sort(
        (a, b) => a - b,
      );
      if (!told.has(matched.join())) yield { text, matched };
      told.add(matched.join());
      // The letters that make a difference, and one that is none of them.
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

/** A place in a wildcard, before one of its characters; the last one, with an empty token, is behind all of them. */
interface Place {
  readonly token: string;
  readonly rule: number;
  readonly layer: number;
  /** Of a wildcard, or of what it is without its final ` *`. */
  readonly form: number;
  readonly isStart: boolean;
}

/** With what a star may stand for nothing before, and without what cannot make a difference any more. */
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
    // Whatever comes, a later star of the same wildcard can take it up.
    if (place.token === "*") behindStar.add(place.form);
    if (place.token === "*" && places[i + 1]?.token === "") decided.add(place.layer);
  }
  return kept.reverse();
}
