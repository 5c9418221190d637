import { expect, setDefaultTimeout, test } from "bun:test";
import { connect } from "node:net";
import { postgresAvailability, startPostgres } from "@atomic/testing/postgres";

setDefaultTimeout(120_000);

const postgres = postgresAvailability();
if (!postgres.available) console.warn(`skipped: ${postgres.reason}`);

test.skipIf(!postgres.available)("Postgres answers, and answers again after a crash", async () => {
  await using server = await startPostgres();
  const address = new URL(server.url);
  expect(await answerTo(address)).toBe("N");
  if (server.crash === undefined) return; // not ours
  await server.crash();
  await expect(answerTo(address)).rejects.toThrow();
  await server.restart?.();
  expect(await answerTo(address)).toBe("N");
});

test("where the package is missing, the reason says what to do", () => {
  expect(postgresAvailability({ PGURL: "postgres://elsewhere" })).toEqual({ available: true });
  if (!postgres.available) expect(postgres.reason).toMatch(/PGURL|root/);
});

/** The server's answer to the question whether it speaks TLS: one letter. */
async function answerTo({ hostname, port }: URL): Promise<string> {
  return await new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(Buffer.from([0, 0, 0, 8, 4, 210, 22, 47])));
    socket.once("data", (answer) => {
      resolve(answer.toString());
      socket.destroy();
    });
    socket.once("error", reject);
  });
}
