import { HostError } from "../host.ts";
import type { CopilotClient, CopilotSdk } from "./sdk.ts";

const stopDeadline = 5_000;

/** The program behind all sessions of a host. It is started when it is needed, and anew if it has died. */
export class CopilotRuntime {
  readonly #sdk: CopilotSdk;
  readonly #options: Readonly<Record<string, unknown>>;
  #client: Promise<CopilotClient> | undefined;

  constructor(sdk: CopilotSdk, options: Readonly<Record<string, unknown>>) {
    this.#sdk = sdk;
    this.#options = options;
  }

  async client(): Promise<CopilotClient> {
    const current = this.#client;
    if (current !== undefined && (await isUp(await current))) return await current;
    // Whoever else has found it dead may have been faster.
    if (this.#client === current) this.#client = this.#start();
    return await (this.#client as Promise<CopilotClient>);
  }

  async stop(): Promise<void> {
    const client = await this.#client;
    this.#client = undefined;
    if (client === undefined) return;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<"late">((resolve) => {
      timer = setTimeout(resolve, stopDeadline, "late");
    });
    const outcome = await Promise.race([client.stop(), late]);
    clearTimeout(timer);
    if (outcome === "late") await client.forceStop();
  }

  async #start(): Promise<CopilotClient> {
    const client = new this.#sdk.CopilotClient(this.#options);
    try {
      await client.start();
      return client;
    } catch (cause) {
      this.#client = undefined;
      await client.forceStop();
      throw runtimeFailure("Copilot did not start", cause);
    }
  }
}

/** The SDK does not report that its runtime has died unless it is asked. */
export async function isUp(client: CopilotClient): Promise<boolean> {
  try {
    await client.ping();
    return true;
  } catch {
    // Whatever the reason: it does not answer.
    return false;
  }
}

export function runtimeFailure(what: string, cause?: unknown): HostError {
  return new HostError("host-failed", {
    host: "copilot",
    message: cause instanceof Error ? `${what}: ${cause.message}` : `${what}.`,
    hint: "Run `copilot` by hand in the same folder to see whether it starts and is logged in.",
    cause,
  });
}
