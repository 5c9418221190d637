const ZEROS = Buffer.alloc(64 * 1024);

/** Reads a stream of chunks in the lengths that the caller asks for. */
export class ByteReader {
  readonly #chunks: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(chunks: AsyncIterable<Buffer>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** Exactly this many bytes, or fewer if the stream ends. */
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

  /** The next bytes, which stay where they are. */
  async peek(length: number): Promise<Buffer> {
    const bytes = await this.take(length);
    this.#rest = Buffer.concat([bytes, this.#rest]);
    return bytes;
  }

  /** What follows, chunk by chunk. */
  async *remaining(): AsyncGenerator<Buffer> {
    const rest = this.#rest;
    this.#rest = Buffer.alloc(0);
    if (rest.length > 0) yield rest;
    for (;;) {
      const { done, value } = await this.#chunks.next();
      if (done === true) return;
      yield value;
    }
  }

  /** Reads to the end in any case, so everything is counted and hashed. */
  async isZeroToTheEnd(): Promise<boolean> {
    let isZero = true;
    for await (const chunk of this.remaining()) {
      for (let at = 0; isZero && at < chunk.length; at += ZEROS.length) {
        const piece = chunk.subarray(at, at + ZEROS.length);
        isZero = piece.equals(ZEROS.subarray(0, piece.length));
      }
    }
    return isZero;
  }
}
