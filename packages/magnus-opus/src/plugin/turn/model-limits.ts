// How much the connected models can read and answer, as their providers say.
import type { PluginContext } from "@atomic/workflows/internal/plugin/opencode-config";
import type { ModelLimit } from "../../turn/shorten-output.ts";

interface Client {
  readonly config: {
    providers(): Promise<{
      readonly error?: unknown;
      readonly data?: {
        readonly providers: readonly {
          readonly id: string;
          readonly models: Readonly<Record<string, { readonly limit?: Partial<ModelLimit> }>>;
        }[];
      };
    }>;
  };
}

export type ModelLimits = ReadonlyMap<string, ModelLimit>;

/** By `provider/model`. Asked once, and again only after a failure. */
export function modelLimits({ client }: Pick<PluginContext, "client">): () => Promise<ModelLimits> {
  let known: Promise<ModelLimits> | undefined;
  return async () => {
    known ??= ask(client as unknown as Client);
    try {
      return await known;
    } catch (error) {
      known = undefined;
      throw error;
    }
  };
}

async function ask(client: Client): Promise<ModelLimits> {
  const { data, error } = await client.config.providers();
  if (data === undefined) throw new Error(`OpenCode failed to return the models: ${JSON.stringify(error)}`);
  return new Map(
    data.providers.flatMap(({ id, models }) =>
      Object.entries(models).flatMap(([name, { limit }]) =>
        limit?.context === undefined
          ? []
          : [[`${id}/${name}`, { context: limit.context, output: limit.output ?? 0 }] as const],
      ),
    ),
  );
}
