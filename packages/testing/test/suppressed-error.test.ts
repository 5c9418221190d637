import { expect, test } from "bun:test";
import { modelServer } from "@atomic/testing/model-server";

test("a failure in a test is shown together with what its resources complain about", async () => {
  const failing = async () => {
    await using model = await modelServer();
    model.expect("hello").reply("hi");
    throw new TypeError("the assertion that failed");
  };
  const error = (await failing().catch((caught: unknown) => caught)) as Error;
  expect(error).toBeInstanceOf(SuppressedError);
  expect(error.message).toMatch(
    /^the assertion that failed\n\s+at .*suppressed-error\.test\.ts[\s\S]*\n\nThen, while cleaning up:\nThe model's script/,
  );
  expect(error.message).toContain('- user "hello": reply "hi" (used 0 of 1)');
});
