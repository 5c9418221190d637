/**
 * Remembers used keys in eight bytes each, since a run may make millions of calls. Two keys count as the same if all 63 bits
 * of their hashes agree; with a million keys, that happens once in ten million runs.
 */
export class KeySet {
  #slots: Uint32Array = new Uint32Array(2 * 1024);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** False if the key was used before. */
  add(key: string): boolean {
    if (this.#size * 4 > this.#slots.length) {
      const larger = new Uint32Array(this.#slots.length * 2);
      for (let at = 0; at < this.#slots.length; at += 2) {
        if (this.#slots[at + 1] !== 0) insert(larger, this.#slots[at]!, this.#slots[at + 1]!);
      }
      this.#slots = larger;
    }
    let one = 0x811c9dc5;
    let two = 0x9747b28c;
    for (let at = 0; at < key.length; at++) {
      const code = key.charCodeAt(at);
      one = Math.imul(one ^ code, 0x01000193);
      two = Math.imul(two ^ code, 0x85ebca6b);
    }
    const added = insert(this.#slots, spread(one), (spread(two) | 1) >>> 0);
    if (added) this.#size += 1;
    return added;
  }
}

/** Adds a pair of hashes. The second is never 0, which marks a free slot. */
function insert(slots: Uint32Array, one: number, two: number): boolean {
  const mask = slots.length / 2 - 1;
  for (let slot = one & mask; ; slot = (slot + 1) & mask) {
    const at = slot * 2;
    if (slots[at + 1] === 0) {
      slots[at] = one;
      slots[at + 1] = two;
      return true;
    }
    if (slots[at] === one && slots[at + 1] === two) return false;
  }
}

/** Spreads the last characters, which differ most often, over all bits. */
function spread(sum: number): number {
  let bits = Math.imul(sum ^ (sum >>> 16), 0x21f0aaad);
  bits = Math.imul(bits ^ (bits >>> 15), 0x735a2d97);
  return (bits ^ (bits >>> 15)) >>> 0;
}
