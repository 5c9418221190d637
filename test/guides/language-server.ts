// What an editor asks the real language server of TypeScript.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import type { Project } from "@atomic/testing/project";

interface Position {
  readonly line: number;
  readonly character: number;
}

export interface LanguageServer extends AsyncDisposable {
  /** Returns the document's address. */
  open(path: string): Promise<string>;
  change(uri: string, text: string): Promise<void>;
  diagnostics(uri: string): Promise<readonly object[]>;
  /** Labels, in the order of the list. */
  completions(uri: string, position: Position): Promise<readonly string[]>;
}

/** Starts a language server in a project, as an editor does. */
export async function languageServer(project: Project, argv: readonly string[]): Promise<LanguageServer> {
  const child = Bun.spawn([...argv], {
    cwd: project.dir,
    env: project.env,
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
  });
  const waiting = new Map<number, (message: { readonly result?: unknown; readonly error?: unknown }) => void>();
  const send = (message: object): void => {
    const body = JSON.stringify({ jsonrpc: "2.0", ...message });
    child.stdin.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
    child.stdin.flush();
  };
  const listening = (async () => {
    let rest = Buffer.alloc(0);
    for await (const chunk of child.stdout) {
      rest = Buffer.concat([rest, chunk]);
      for (;;) {
        const [header, length] = /^Content-Length: (\d+)\r\n\r\n/.exec(rest.toString("latin1", 0, 60)) ?? [];
        const start = header?.length ?? 0;
        if (header === undefined || rest.length < start + Number(length)) break;
        const message = JSON.parse(rest.toString("utf8", start, start + Number(length)));
        rest = rest.subarray(start + Number(length));
        // What the server asks of an editor has no answer here.
        if (message.method !== undefined && message.id !== undefined) send({ id: message.id, result: null });
        else waiting.get(message.id)?.(message);
      }
    }
    for (const settle of waiting.values()) settle({ error: "The language server has ended." });
  })();
  let last = 0;
  let versions = 1;
  const ask = async (method: string, params: object): Promise<unknown> => {
    const id = ++last;
    const answer = new Promise<{ readonly result?: unknown; readonly error?: unknown }>((resolve) =>
      waiting.set(id, resolve),
    );
    send({ id, method, params });
    const { result, error } = await answer;
    if (error !== undefined) throw new Error(`${method}: ${JSON.stringify(error)}`);
    return result;
  };
  const rootUri = pathToFileURL(project.dir).href;
  const capabilities = { textDocument: { diagnostic: {}, completion: {} } };
  await ask("initialize", { processId: process.pid, rootUri, capabilities });
  send({ method: "initialized", params: {} });
  return {
    open: async (path) => {
      const uri = pathToFileURL(path).href;
      const document = { uri, languageId: "typescript", version: versions, text: readFileSync(path, "utf8") };
      send({ method: "textDocument/didOpen", params: { textDocument: document } });
      return uri;
    },
    change: async (uri, text) => {
      versions += 1;
      const changed = { textDocument: { uri, version: versions }, contentChanges: [{ text }] };
      send({ method: "textDocument/didChange", params: changed });
    },
    diagnostics: async (uri) => {
      const report = await ask("textDocument/diagnostic", { textDocument: { uri } });
      return (report as { readonly items: readonly object[] }).items;
    },
    completions: async (uri, position) => {
      const list = await ask("textDocument/completion", { textDocument: { uri }, position });
      const items = Array.isArray(list) ? list : ((list as { readonly items?: unknown[] } | null)?.items ?? []);
      return items.map((item) => (item as { readonly label: string }).label);
    },
    [Symbol.asyncDispose]: async () => {
      child.kill();
      await child.exited;
      await listening;
    },
  };
}
