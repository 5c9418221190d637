/** The data of each server-sent event, however the bytes are cut into chunks. */
export async function* serverSentEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  let data: string[] = [];
  try {
    while (true) {
      const { done, value } = await reader.read();
      if (done) return;
      const lines = (rest + decoder.decode(value, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      for (const ended of lines) {
        const line = ended.endsWith("\r") ? ended.slice(0, -1) : ended;
        if (line.startsWith("data:")) data.push(line.slice(line[5] === " " ? 6 : 5));
        if (line !== "" || data.length === 0) continue;
        yield data.join("\n");
        data = [];
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined); // a stream that has failed cannot be cancelled any more
  }
}
