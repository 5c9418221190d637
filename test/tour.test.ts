// `npm start` asks the user at a terminal; without one, it answers itself.
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { terminal } from "@atomic/testing/terminal";

const approval = join(import.meta.dirname, "../scripts/tour/approval.ts");
const program = `const { isApproved } = await import(${JSON.stringify(approval)});
console.log("approved:", await isApproved("Approve this plan?"));`;

describe("at a terminal, the user decides", () => {
  test.each([
    ["y", true],
    ["yes", true],
    ["", false],
    ["why?", false],
  ])("%j", async (answer, isApproved) => {
    await using screen = await terminal([process.execPath, "-e", program], { cols: 100, rows: 20 });
    await screen.waitFor(/Approve this plan\? \[y\/N\]/, { deadline: 20_000 });
    screen.type(`${answer}\r`);
    await screen.exit;
    expect(screen.history().join("\n")).toContain(`approved: ${isApproved}`);
  });

  test("--yes skips the question", async () => {
    await using screen = await terminal([process.execPath, "-e", program, "--", "--yes"], { cols: 100, rows: 20 });
    await screen.exit;
    expect(screen.history().join("\n")).toContain("The tour answers yes for you: --yes was given.)");
    expect(screen.history().join("\n")).toContain("approved: true");
  });
});

test("without a terminal, the tour answers yes and says so", () => {
  const { stdout } = Bun.spawnSync([process.execPath, "-e", program], { stdin: "ignore" });
  expect(stdout.toString()).toContain("The tour answers yes for you: this is not an interactive terminal.)");
  expect(stdout.toString()).toContain("approved: true");
});
