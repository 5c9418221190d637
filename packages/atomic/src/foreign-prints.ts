// What code of others prints in this process, a workflow's `console.log` for one.
import { Writable } from "node:stream";
import { StringDecoder } from "node:string_decoder";

type Write = NodeJS.WriteStream["write"];

/** From now on it goes there. What is written to stderr past the console stays where it is: questions are asked there. */
export function redirectPrints(stdout: Pick<NodeJS.WriteStream, "write">, to: (text: string) => void): void {
  const write = writer(to);
  stdout.write = write;
  // On Bun the console does not write to `process.stdout`.
  const stream = new Writable({ write: (chunk: Buffer, _encoding, done) => write(chunk, done) });
  const redirected = new console.Console(stream, stream);
  const methods = redirected as unknown as Record<string, unknown>;
  for (const [name, method] of Object.entries(console)) {
    if (typeof method === "function" && typeof methods[name] === "function" && name !== "Console") {
      (console as unknown as Record<string, unknown>)[name] = methods[name].bind(redirected);
    }
  }
}

/** Takes what a stream takes. */
function writer(to: (text: string) => void): Write {
  const decoder = new StringDecoder("utf8");
  return (chunk: Uint8Array | string, ...more: readonly unknown[]): boolean => {
    to(typeof chunk === "string" ? chunk : decoder.write(Buffer.from(chunk)));
    const done = more.find((each) => typeof each === "function") as (() => void) | undefined;
    if (done !== undefined) queueMicrotask(done);
    return true;
  };
}
