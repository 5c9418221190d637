/** Where every choice of a simulation comes from. Equal seeds make equal choices. */
export interface Random {
  /** One of 0, 1, … below the limit. */
  integer(limit: number): number;
  /** True with this probability. */
  chance(probability: number): boolean;
  pick<T>(items: readonly [T, ...T[]] | readonly T[]): T;
}

const range = 2 ** 32;

export function seededRandom(seed: number): Random {
  let state = seed | 0;
  // SplitMix with 32 bits: neighbouring seeds give unrelated sequences, so seeds may simply be counted.
  return randomFrom(() => {
    state = (state + 0x9e3779b9) | 0;
    let bits = state;
    bits = Math.imul(bits ^ (bits >>> 16), 0x21f0aaad);
    bits = Math.imul(bits ^ (bits >>> 15), 0x735a2d97);
    return (bits ^ (bits >>> 15)) >>> 0;
  });
}

/**
 * Choices from a list, then always the first possibility and never a chance. A property test that generates such lists
 * (`fc.array(fc.nat())`) shrinks a failing schedule to the few choices that matter.
 */
export function listedRandom(choices: readonly number[]): Random {
  let next = 0;
  return randomFrom(() => (choices[next++] ?? 0) % range);
}

function randomFrom(bits: () => number): Random {
  const integer = (limit: number): number => bits() % limit;
  return {
    integer,
    chance: (probability) => bits() >= range * (1 - probability),
    pick: (items) => {
      if (items.length === 0) throw new RangeError("There is nothing to pick from.");
      return items[integer(items.length)]!;
    },
  };
}
