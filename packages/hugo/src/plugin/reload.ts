import type { HugoPluginContext, InstanceEvent } from "./opencode.ts";

/** Makes OpenCode reload everything once all sessions are idle. */
export class Reload {
  readonly #context: HugoPluginContext;
  #isWanted = false;

  constructor(context: HugoPluginContext) {
    this.#context = context;
  }

  request(): void {
    this.#isWanted = true;
  }

  /** Call it with every event. */
  async notice({ type, properties }: InstanceEvent): Promise<void> {
    if (!this.#isWanted || type !== "session.idle") return;
    const { client, directory } = this.#context;
    const { sessionID } = (properties ?? {}) as { readonly sessionID?: string };
    // Only busy sessions are listed. The last of them brings us here again.
    const { data = {} } = await client.session.status({ query: { directory } });
    if (!this.#isWanted || Object.keys(data).some((id) => id !== sessionID)) return;
    this.#isWanted = false;
    const { reloadInstance } = await import("@atomic/workflows/internal/plugin/reload-instance");
    const { safeLine } = await import("@atomic/terminal/safe-text");
    const reloaded = await reloadInstance(this.#context);
    if (reloaded.kind === "loaded") return;
    const problem =
      reloaded.kind === "incomplete"
        ? `OpenCode reloaded, but without ${reloaded.missing.map(safeLine).join(", ")}`
        : `OpenCode could not be reloaded: ${safeLine(reloaded.why)}`;
    const message = `${problem}. Restart OpenCode.`;
    await client.app.log({ body: { service: "hugo", level: "error", message } });
    await client.tui.showToast({ body: { title: "Hugo", message, variant: "error" } });
  }
}
