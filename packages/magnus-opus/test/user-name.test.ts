import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { tmpProject } from "@atomic/testing/project";
import { userName } from "../src/user-name.ts";

test("a decision is recorded under the name that the system knows, whatever $USER says", async () => {
  await using project = await tmpProject({ git: false });
  const passwd = project.path("passwd");
  writeFileSync(passwd, `root2:x:99999:0::/:/bin/sh\nanna:x:${process.getuid!()}:0:Anna,,,:/home/anna:/bin/sh\n`);
  const before = process.env.USER;
  process.env.USER = "somebody-else";
  try {
    expect(userName(passwd)).toBe("anna");
  } finally {
    if (before === undefined) delete process.env.USER;
    else process.env.USER = before;
  }
});

test("where that list does not have the user, the runtime is asked", async () => {
  await using project = await tmpProject({ git: false });
  expect(userName(project.path("none"))).toBe(userInfo().username);
});
