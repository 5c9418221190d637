// How much the connected models can read and answer, and their variants, as their providers say.
import type { PluginContext } from "@atomic/workflows/internal/plugin/opencode-config";
import type { ModelLimit } from "../../turn/shorten-output.ts";

interface Client {
  readonly config: {
    providers(): Promise<{
      readonly error?: unknown;
      readonly data?: {
        readonly providers: readonly {
          readonly id: string;
          readonly models: Readonly<
            Record<string, { readonly limit?: Partial<ModelLimit>; readonly variants?: object }>
          >;
        }[];
      };
    }>;
  };
}

interface ModelFacts extends ModelLimit {
  readonly variants: readonly string[];
}

type KnownModels = ReadonlyMap<string, ModelFacts>;

/** By `provider/model`. Asked once, and again only after a failure. */
export function modelFacts({ client }: Pick<PluginContext, "client">): () => Promise<KnownModels> {
  let known: Promise<KnownModels> | undefined;
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

async function ask(client: Client): Promise<KnownModels> {
  const { data, error } = await client.config.providers();
  if (data === undefined) throw new Error(`OpenCode failed to return the models: ${JSON.stringify(error)}`);
  return new Map(
    data.providers.flatMap(({ id, models }) =>
      Object.entries(models).map(([name, { limit, variants }]): [string, ModelFacts] => [
        `${id}/${name}`,
        // A context of 0 is unknown.
        { context: limit?.context ?? 0, output: limit?.output ?? 0, variants: Object.keys(variants ?? {}) },
      ]),
    ),
  );
}
