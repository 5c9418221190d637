/** Hands out a stream of pieces in whatever lengths somebody asks for. */
export class ByteReader {
  readonly #chunks: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(chunks: AsyncIterable<Buffer>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** Exactly so many bytes, or fewer if the stream ends before. */
  async take(length: number): Promise<Buffer> {
    const pieces = [this.#rest];
    let have = this.#rest.length;
    while (have < length) {
      const { done, value } = await this.#chunks.next();
      if (done === true) break;
      pieces.push(value);
      have += value.length;
    }
    const whole = pieces.length === 1 ? this.#rest : Buffer.concat(pieces);
    this.#rest = whole.subarray(length);
    return whole.subarray(0, length);
  }

  /** Reads to the end, for those who count or hash what passes. */
  async drain(): Promise<void> {
    this.#rest = Buffer.alloc(0);
    for (;;) if ((await this.#chunks.next()).done === true) return;
  }
}
