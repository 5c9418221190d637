import { expect, test } from "bun:test";
import { join } from "node:path";
import * as z from "zod/mini";
import { configSchema } from "../../src/config/schema.ts";

const file = join(import.meta.dir, "../../schema/magnus-opus.schema.json");

// UPDATE=1 writes it anew.
test("the published JSON Schema is the one that configs are checked against", async () => {
  const schema = { title: "Settings of Magnus Opus", ...z.toJSONSchema(configSchema, { io: "input" }) };
  if (process.env.UPDATE === "1") await Bun.write(file, `${JSON.stringify(schema, null, 2)}\n`);
  expect(await Bun.file(file).json()).toEqual(JSON.parse(JSON.stringify(schema)));
});
