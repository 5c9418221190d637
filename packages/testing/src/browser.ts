import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { createReadStream, createWriteStream, existsSync, readFileSync } from "node:fs";
import { chmod, mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { createBrotliDecompress } from "node:zlib";
import { markedProcesses } from "./marked-processes.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/**
 * Whether a browser is installed here, and if not, why:
 *
 * ```ts
 * const chromium = browser();
 * if (!chromium.available) console.warn(`skipped: ${chromium.reason}`);
 * test.skipIf(!chromium.available)("…", async () => { … });
 * ```
 */
export function browser(surroundings: ChromiumSurroundings = {}): Chromium {
  const { folder = heavyFolder, env = process.env } = surroundings;
  const { platform = `${process.platform}-${process.arch}` } = surroundings;
  if (env.SKIP_HEAVY_HOSTS === "1") return { available: false, reason: "SKIP_HEAVY_HOSTS=1" };
  if (platform !== "linux-x64") return { available: false, reason: `${packageName} has no program for ${platform}` };
  const home = join(folder, "node_modules", packageName);
  if (!existsSync(join(home, "package.json"))) {
    const remedy = "run `npm test` without SKIP_HEAVY_HOSTS, or `npm install` in packages/testing/heavy";
    return { available: false, reason: `${packageName} is not installed: ${remedy}` };
  }
  const { version } = JSON.parse(readFileSync(join(home, "package.json"), "utf8")) as { version: string };
  const target = join(folder, "node_modules", ".chromium", version);
  return { available: true, version, unpack: () => unpack(join(home, "bin"), target) };
}

export interface PageView {
  readonly width: number;
  readonly height: number;
  /** A phone: the page's own `viewport` counts. */
  readonly mobile?: boolean;
  readonly dark?: boolean;
}

/** One page in one browser, which is ended with it. Nothing but `file:` and `data:` addresses can be opened. */
export interface BrowserPage extends AsyncDisposable {
  /** Opens an address and resolves when the page has loaded completely. */
  open(url: string): Promise<void>;
  show(view: PageView): Promise<void>;
  /** The value of an expression in the page; of a promise, what it resolves to. */
  evaluate<Value>(expression: string): Promise<Value>;
  /** A PNG of the whole page. */
  screenshot(): Promise<Uint8Array>;
  /** Every address that the page has requested since it was opened, and the errors it reported. */
  readonly requests: readonly string[];
  readonly complaints: readonly string[];
}

const flags = [
  ...["--headless=shell", "--no-sandbox", "--no-zygote", "--disable-gpu", "--no-first-run", "--mute-audio"],
  ...["--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-quic"],
  // Nothing answers there, so all of a page's network requests fail immediately.
  ...["--proxy-server=127.0.0.1:9", "--proxy-bypass-list=<-loopback>", "--remote-debugging-pipe"],
];

export async function openBrowser(surroundings: ChromiumSurroundings = {}): Promise<BrowserPage> {
  const found = browser(surroundings);
  if (!found.available) throw new Error(`There is no browser: ${found.reason}`);
  const { program, env } = await found.unpack();
  const marked = await markedProcesses();
  const folder = await temporaryFolder("browser-");
  const child = spawn(program, [...flags, `--user-data-dir=${join(folder.path, "profile")}`, "about:blank"], {
    env: { ...env, ...marked.env, HOME: folder.path, PATH: process.env.PATH ?? "" },
    stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"],
  });
  const end = async (): Promise<void> => {
    await marked[Symbol.asyncDispose]();
    await folder[Symbol.asyncDispose]();
  };
  try {
    const wire = new Wire(child);
    const { targetId } = await wire.call<{ targetId: string }>("Target.createTarget", { url: "about:blank" });
    const attached = await wire.call<{ sessionId: string }>("Target.attachToTarget", { targetId, flatten: true });
    const page = new Page(wire, attached.sessionId, end);
    for (const part of ["Page", "Network", "Log", "Runtime"]) await wire.call(`${part}.enable`, {}, attached.sessionId);
    return page;
  } catch (error) {
    await end();
    throw error;
  }
}

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

type Waiting = { readonly resolve: (value: unknown) => void; readonly reject: (error: Error) => void };

/** The DevTools protocol over two pipes: it needs no port and ends with this process. */
class Wire {
  readonly #input: Writable;
  readonly #waiting = new Map<number, Waiting>();
  readonly listeners: ((message: Message) => void)[] = [];
  #rest = "";
  #last = 0;
  #failure: Error | undefined;

  constructor(child: ChildProcess) {
    this.#input = child.stdio[3] as Writable;
    (child.stdio[4] as Readable).setEncoding("utf8").on("data", (text: string) => {
      const messages = (this.#rest + text).split("\0");
      this.#rest = messages.pop() ?? "";
      for (const each of messages) {
        const message = JSON.parse(each) as Message;
        const waiting = message.id === undefined ? undefined : this.#waiting.get(message.id);
        if (message.id !== undefined) this.#waiting.delete(message.id);
        if (message.error !== undefined) waiting?.reject(new Error(message.error.message));
        else waiting?.resolve(message.result);
        if (message.method !== undefined) for (const listener of this.listeners) listener(message);
      }
    });
    this.#input.on("error", () => undefined); // its exit says what happened
    child.once("error", (error) => this.#fail(error));
    child.once("exit", (code, signal) => this.#fail(new Error(`The browser has ended (${code ?? signal}).`)));
  }

  async call<Result>(method: string, params: object = {}, sessionId?: string): Promise<Result> {
    if (this.#failure !== undefined) throw this.#failure;
    this.#last += 1;
    const id = this.#last;
    const answer = new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
    this.#input.write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    return (await answer) as Result;
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}

class Page implements BrowserPage {
  readonly requests: string[] = [];
  readonly complaints: string[] = [];
  readonly #wire: Wire;
  readonly #session: string;
  readonly #end: () => Promise<void>;
  #loaded: () => void = () => undefined;

  constructor(wire: Wire, session: string, end: () => Promise<void>) {
    this.#wire = wire;
    this.#session = session;
    this.#end = end;
    wire.listeners.push(({ method, params = {} }) => {
      if (method === "Page.loadEventFired") this.#loaded();
      if (method === "Network.requestWillBeSent") this.requests.push((params.request as { url: string }).url);
      if (method === "Log.entryAdded") this.complaints.push((params.entry as { text: string }).text);
      if (method === "Runtime.exceptionThrown") this.complaints.push(JSON.stringify(params.exceptionDetails));
    });
  }

  async open(url: string): Promise<void> {
    if (!/^(file|data|about):/.test(url)) throw new Error(`Only files and data are opened here, not ${url}`);
    this.requests.length = 0;
    this.complaints.length = 0;
    const loaded = new Promise<void>((resolve) => {
      this.#loaded = resolve;
    });
    const { errorText } = await this.#call<{ errorText?: string }>("Page.navigate", { url });
    if (errorText !== undefined) throw new Error(`${url}: ${errorText}`);
    await loaded;
  }

  async show({ width, height, mobile = false, dark = false }: PageView): Promise<void> {
    await this.#call("Emulation.setDeviceMetricsOverride", {
      width,
      height,
      mobile,
      deviceScaleFactor: mobile ? 2 : 1,
    });
    const features = [{ name: "prefers-color-scheme", value: dark ? "dark" : "light" }];
    await this.#call("Emulation.setEmulatedMedia", { features });
  }

  async evaluate<Value>(expression: string): Promise<Value> {
    const { result, exceptionDetails } = await this.#call<{
      result: { value: Value };
      exceptionDetails?: { text: string; exception?: { description?: string } };
    }>("Runtime.evaluate", { expression, returnByValue: true, awaitPromise: true });
    if (exceptionDetails === undefined) return result.value;
    throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
  }

  async screenshot(): Promise<Uint8Array> {
    const { cssContentSize } = await this.#call<{ cssContentSize: { width: number; height: number } }>(
      "Page.getLayoutMetrics",
    );
    const clip = { x: 0, y: 0, ...cssContentSize, scale: 1 };
    const options = { format: "png", captureBeyondViewport: true, clip };
    const { data } = await this.#call<{ data: string }>("Page.captureScreenshot", options);
    return Buffer.from(data, "base64");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#end();
  }

  async #call<Result>(method: string, params: object = {}): Promise<Result> {
    return await this.#wire.call<Result>(method, params, this.#session);
  }
}

// A complete Chromium, compressed inside an npm package. It is unpacked once, beside the package.
export type Chromium =
  | { readonly available: true; readonly version: string; readonly unpack: () => Promise<ChromiumFiles> }
  | { readonly available: false; readonly reason: string };

export interface ChromiumFiles {
  readonly program: string;
  /** Its libraries and fonts: a bare machine has none. */
  readonly env: Readonly<Record<string, string>>;
}

export interface ChromiumSurroundings {
  readonly folder?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly platform?: string;
}

const packageName = "@sparticuz/chromium";
const heavyFolder = fileURLToPath(new URL("../heavy", import.meta.url));

async function unpack(packed: string, target: string): Promise<ChromiumFiles> {
  if (!existsSync(target)) {
    // All or nothing: two test files may start at the same time.
    const parent = join(target, "..");
    await mkdir(parent, { recursive: true });
    const own = await mkdtemp(join(parent, "unpacking-"));
    try {
      for (const name of ["chromium", "al2023.tar", "fonts.tar"]) {
        const file = join(own, name);
        await pipeline(createReadStream(join(packed, `${name}.br`)), createBrotliDecompress(), createWriteStream(file));
        if (!name.endsWith(".tar")) await chmod(file, 0o755);
        else {
          execFileSync("tar", ["-xf", file, "-C", own]);
          await rm(file);
        }
      }
      await mkdir(join(own, "fontconfig"));
      // Absolute paths: relative ones would start from the folder in which the tests were started.
      await writeFile(
        join(own, "fontconfig", "fonts.conf"),
        `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>${join(target, "fonts")}</dir><cachedir>${join(target, "cache")}</cachedir></fontconfig>
`,
      );
      await rename(own, target);
    } catch (error) {
      await rm(own, { recursive: true, force: true });
      const wasFirst = (error as NodeJS.ErrnoException).code !== "ENOTEMPTY";
      if (wasFirst) throw error;
    }
  }
  return {
    program: join(target, "chromium"),
    env: { LD_LIBRARY_PATH: join(target, "lib"), FONTCONFIG_PATH: join(target, "fontconfig") },
  };
}
