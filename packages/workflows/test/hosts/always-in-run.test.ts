import { expect, test } from "bun:test";
import { alwaysPattern, isCovered } from "../../src/hosts/always-in-run.ts";

const at = { folder: "/project", root: "/project" };

test.each([
  ["bash", "git push", "git push *"],
  ["bash", "git push origin main", "git push *"],
  ["bash", "npm run build -- --watch", "npm run build *"],
  ["bash", "npm run", undefined],
  ["bash", "npm exec rimraf /", undefined],
  ["bash", "go run ./evil", undefined],
  ["bash", "rm -rf build", undefined],
  ["bash", "python script.py", undefined],
  ["bash", "git push && rm -rf /", undefined],
  ["bash", "git log > /etc/passwd", undefined],
  ["bash", "git log $(rm x)", undefined],
  ["bash", "git -c core.pager=sh log", undefined],
  ["bash", "sudo git push", undefined],
  ["edit", "src/a.ts", "*"],
  ["edit", "/project/src/a.ts", "*"],
  ["edit", "../other/a.ts", undefined],
  ["write", "/etc/hosts", undefined],
  ["webfetch", "https://example.org", "*"],
  ["github/merge", "{}", "*"],
])("for %s %s, always is %j", (tool, detail, pattern) => {
  expect(alwaysPattern({ tool, detail, ...at })).toBe(pattern as string);
});

test.each([
  ["bash", "git push", "git push --tags", true],
  ["bash", "git push", "git pull", false],
  ["bash", "git push", "git push; rm -rf /", false],
  ["bash", "git push", "git push $(rm x)", false],
  ["bash", "git push", "git push > /etc/hosts", false],
  ["bash", "git push", "git pushy", false],
  ["bash", "rm -rf build/*", "rm -rf build/*", true],
  ["bash", "rm -rf build/*", "rm -rf build/x /home", false],
  ["edit", "a.ts", "src/deep/b.ts", true],
  ["edit", "a.ts", "../b.ts", false],
  ["edit", "/etc/hosts", "/etc/passwd", false],
  ["webfetch", "https://example.org", "https://example.com", true],
])("%s %j allowed always covers %j: %p", (tool, asked, later, covered) => {
  const request = { tool, detail: asked, ...at };
  const about = JSON.parse(JSON.stringify({ type: "permission", ...request, always: alwaysPattern(request) }));
  expect(isCovered(about, { tool, detail: later, ...at })).toBe(covered);
  expect(isCovered(about, { tool: "read", detail: later, ...at })).toBe(false);
});
