/** How often a person was really asked, by call. OpenCode itself says nothing when a rule lets a request pass. */
export class AskedCalls {
  readonly #times = new Map<string, number>();

  /** To be told of every event. */
  notice({ type, properties }: { readonly type: string; readonly properties?: unknown }): void {
    if (type !== "permission.asked") return;
    const { tool } = (properties ?? {}) as { readonly tool?: { readonly callID?: unknown } };
    if (typeof tool?.callID === "string") this.#times.set(tool.callID, this.times(tool.callID) + 1);
  }

  times(callID = ""): number {
    return this.#times.get(callID) ?? 0;
  }

  forget(callID = ""): void {
    this.#times.delete(callID);
  }
}
