/** What clients ask of a provider besides replies: answered without a script, recorded as an errand by name. */
export interface Service {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  answer(body: string, models: readonly string[]): object;
}

export const services: readonly Service[] = [
  { name: "models", method: "GET", path: "/v1/models", answer: (_, models) => modelList(models) },
  {
    name: "count-tokens",
    method: "POST",
    path: "/v1/messages/count_tokens",
    answer: (body) => ({ input_tokens: Math.ceil(body.length / 4) }),
  },
];

/** One list that both OpenAI and Anthropic clients can read. */
function modelList(models: readonly string[]): object {
  const data = models.map((id) => ({
    id,
    object: "model",
    type: "model",
    display_name: id,
    created: 0,
    created_at: "2026-01-01T00:00:00Z",
    owned_by: "scripted",
  }));
  return { object: "list", data, has_more: false, first_id: models[0] ?? null, last_id: models.at(-1) ?? null };
}
