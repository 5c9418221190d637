import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { type BrowserContext, type BrowserContextOptions, type Page, chromium as playwright } from "playwright-core";
import { markedProcesses } from "./marked-processes.ts";

export type InstalledChromium =
  | { readonly available: true; readonly program: string }
  | { readonly available: false; readonly reason: string };

const names = ["chromium", "chromium-browser", "google-chrome"];

/**
 * The system's own Chromium, or why there is none:
 *
 * ```ts
 * const chromium = installedChromium();
 * if (!chromium.available) console.warn(`skipped: ${chromium.reason}`);
 * ```
 */
export function installedChromium(path: string = process.env.PATH ?? ""): InstalledChromium {
  for (const folder of path.split(delimiter)) {
    for (const name of names) {
      const program = join(folder, name);
      if (isProgram(program)) return { available: true, program };
    }
  }
  return { available: false, reason: `none of ${names.join(", ")} is on the PATH: \`apt-get install chromium\`` };
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== undefined) return false;
    throw error;
  }
}

export interface OpenedPage {
  readonly page: Page;
  readonly context: BrowserContext;
  /** What the browser complained about, and every address it asked for. */
  readonly complaints: readonly string[];
  readonly requests: readonly string[];
}

export interface LaunchedChromium extends AsyncDisposable {
  /** Opens an address for a person with a browser of their own: it shares no cookies with the others. */
  open(address: string, options?: BrowserContextOptions): Promise<OpenedPage>;
}

/** A browser that reaches this machine only. Every name that ends in `.test` is this machine, too. */
export async function launchChromium(): Promise<LaunchedChromium> {
  const found = installedChromium();
  if (!found.available) throw new Error(`There is no browser: ${found.reason}`);
  const marked = await markedProcesses();
  const browser = await playwright.launch({
    executablePath: found.program,
    env: { ...process.env, ...marked.env } as Record<string, string>,
    // Nothing answers there, so all other requests fail at once.
    proxy: { server: "http://127.0.0.1:9", bypass: "127.0.0.1,*.test" },
    args: ["--no-sandbox", "--disable-gpu", "--host-resolver-rules=MAP *.test 127.0.0.1"],
  });
  return {
    open: async (address, options = {}) => {
      const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
      // On a busy machine, a run on the real OpenCode takes its time.
      context.setDefaultTimeout(60_000);
      const page = await context.newPage();
      const complaints: string[] = [];
      const requests: string[] = [];
      page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
      page.on("pageerror", (error) => complaints.push(error.message));
      page.on("request", (request) => requests.push(request.url()));
      await page.goto(address);
      return { page, context, complaints, requests };
    },
    [Symbol.asyncDispose]: async () => {
      await browser.close();
      await marked[Symbol.asyncDispose]();
    },
  };
}
