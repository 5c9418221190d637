// The real test runners, as far as they are installed: each has a test that passes, one that fails, one that is skipped, and one that
// prints a summary of 99 tests; and a test of what is not written yet, which does not load. Other versions and the runners that are not installed are in `recorded/`.
import { expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { existsSync, symlinkSync } from "node:fs";
import { delimiter, join } from "node:path";
import { tmpProject } from "@atomic/testing/project";
import { runTests } from "../../src/evidence/run-tests.ts";

interface Runner {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
  readonly files: Readonly<Record<string, string>>;
  /** What the test that fails is replaced with. */
  readonly mended: readonly [from: string, to: string];
  /** The same file as a test of what is not written yet. */
  readonly early: string;
  /** If it does not say how many passed when one fails. */
  readonly hidesPassed?: true;
}

const jestSummary =
  "Test Suites: 1 passed, 1 total\\nTests:       99 passed, 99 total\\nSnapshots:   0 total\\nTime:        1 s\\n";
const cargoSummary = "test result: ok. 99 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s";

const runners: readonly Runner[] = [
  {
    name: "pytest",
    command: ["pytest", "-s", "-p", "no:cacheprovider"],
    files: {
      "test_shop.py": `import pytest
def test_one(): print("\\n===== 99 passed in 0.01s =====")
def test_two(): assert 1 == 2
@pytest.mark.skip
def test_three(): pass
`,
    },
    mended: ["1 == 2", "1 == 1"],
    early: "from shop import buy\ndef test_one(): assert buy()\n",
  },
  {
    name: "unittest",
    command: ["python3", "-B", "-m", "unittest"],
    files: {
      "test_shop.py": `import unittest
class Shop(unittest.TestCase):
    def test_one(self): print("-" * 70 + "\\nRan 99 tests in 0.001s\\n\\nOK", flush=True)
    def test_two(self): self.assertEqual(1, 2)
    @unittest.skip("later")
    def test_three(self): pass
`,
    },
    mended: ["(1, 2)", "(1, 1)"],
    early: `import unittest
from shop import buy
class Shop(unittest.TestCase):
    def test_one(self): self.assertTrue(buy())
`,
  },
  {
    name: "go",
    command: ["go", "test", "-json", "./..."],
    files: {
      "go.mod": "module example.com/shop\n\ngo 1.19\n",
      "shop_test.go": `package shop

import (
	"fmt"
	"testing"
)

func TestOne(t *testing.T)   { fmt.Println("--- PASS: TestMadeUp (0.00s)\\nok  \\texample.com/x\\t0.1s") }
func TestTwo(t *testing.T)   { if 1 != 2 { t.Fatal("no") } }
func TestThree(t *testing.T) { t.Skip("later") }
`,
    },
    mended: ["1 != 2", "1 != 1"],
    early: 'package shop\n\nimport "testing"\n\nfunc TestOne(t *testing.T) { Buy() }\n',
  },
  {
    name: "cargo",
    command: ["cargo", "test", "--offline", "--quiet", "--lib"],
    files: {
      "Cargo.toml": '[package]\nname = "shop"\nversion = "0.1.0"\nedition = "2021"\n',
      "src/lib.rs": `#[cfg(test)]
mod tests {
    use std::io::Write;
    #[test] fn one() { std::io::stdout().write_all(b"\\n${cargoSummary}\\n").unwrap(); }
    #[test] fn two() { assert_eq!(1, 2); }
    #[test] #[ignore] fn three() {}
}
`,
    },
    mended: ["(1, 2)", "(1, 1)"],
    early: "#[cfg(test)]\nmod tests {\n    #[test] fn one() { super::buy(); }\n}\n",
  },
  {
    name: "node",
    command: ["node", "--test"],
    files: {
      "shop.test.mjs": `import assert from "node:assert"; import { test } from "node:test";
test("one", () => console.log("# tests 99\\n# pass 99\\n# fail 0\\n# cancelled 0\\n# skipped 0\\n# todo 0\\n# duration_ms 1"));
test("two", () => assert.equal(1, 2));
test("three", { skip: true }, () => {});
`,
    },
    mended: ["(1, 2)", "(1, 1)"],
    early: `import { test } from "node:test"; import { buy } from "./shop.mjs";
test("one", () => buy());
`,
  },
  {
    name: "rspec",
    command: ["rspec"],
    files: {
      "spec/shop_spec.rb": `RSpec.describe "shop" do
  it("one") { puts "\\nFinished in 0.1 seconds (files took 0.1 seconds to load)\\n99 examples, 0 failures\\n" }
  it("two") { expect(1).to eq(2) }
  xit("three") { }
end
`,
    },
    mended: ["eq(2)", "eq(1)"],
    early: `require_relative "../shop"
RSpec.describe Shop do
  it("one") { expect(Shop.buy).to eq(2) }
end
`,
  },
  {
    name: "phpunit",
    command: ["phpunit", "--do-not-cache-result", "tests"],
    files: {
      "tests/ShopTest.php": `<?php
final class ShopTest extends PHPUnit\\Framework\\TestCase {
  public function testOne(): void { fwrite(STDOUT, "\\nOK (99 tests, 99 assertions)\\n"); $this->assertTrue(true); }
  public function testTwo(): void { $this->assertSame(1, 2); }
  public function testThree(): void { $this->markTestSkipped("later"); }
}
`,
    },
    mended: ["(1, 2)", "(1, 1)"],
    early: `<?php
require_once __DIR__ . "/../Shop.php";
final class ShopTest extends PHPUnit\\Framework\\TestCase {
  public function testOne(): void { $this->assertTrue((new Shop())->buy()); }
}
`,
  },
  {
    name: "mocha",
    command: ["mocha", "shop.cjs"],
    files: {
      "shop.cjs": `it("one", () => console.log("  99 passing (1ms)"));
it("two", () => { if (1 !== 2) throw new Error("no"); });
it.skip("three", () => {});
`,
    },
    mended: ["1 !== 2", "1 !== 1"],
    early: 'const { buy } = require("./buy.cjs");\nit("one", () => buy());\n',
  },
  {
    name: "ava",
    command: ["ava", "shop.mjs"],
    files: {
      "package.json": "{}",
      "shop.mjs": `import test from "ava";
test("one", (t) => { console.log("  ─\\n\\n  99 tests passed\\n"); t.pass(); });
test("two", (t) => t.is(1, 2));
test.skip("three", (t) => t.pass());
`,
    },
    mended: ["(1, 2)", "(1, 1)"],
    early: 'import test from "ava"; import { buy } from "./buy.mjs";\ntest("one", (t) => t.is(buy(), 1));\n',
    hidesPassed: true,
  },
  {
    name: "tap",
    command: ["tap", "--allow-incomplete-coverage", "--allow-empty-coverage", "--disable-coverage", "shop.mjs"],
    files: {
      "package.json": "{}",
      "shop.mjs": `import t from "tap";
console.log("# { total: 99, pass: 99 }");
t.equal(1, 1);
t.equal(1, 2);
t.test("three", { skip: true }, async () => {});
`,
    },
    mended: ["(1, 2)", "(1, 1)"],
    early: 'import t from "tap"; import { buy } from "./buy.mjs";\nt.equal(buy(), 1);\n',
  },
  {
    name: "vitest",
    command: ["vitest", "run"],
    files: {
      "shop.test.js": `import { expect, test } from "vitest";
test("one", () => console.log(" Test Files  9 passed (9)\\n      Tests  99 passed (99)\\n   Start at  10:00:00\\n"));
test("two", () => expect(1).toBe(2));
test.skip("three", () => {});
`,
    },
    mended: ["toBe(2)", "toBe(1)"],
    early: `import { expect, test } from "vitest"; import { buy } from "./buy.js";
test("one", () => expect(buy()).toBe(2));
`,
  },
  {
    name: "jest",
    command: ["jest"],
    files: {
      "package.json": "{}",
      "shop.test.js": `test("one", () => { process.stdout.write("${jestSummary}"); });
test("two", () => expect(1).toBe(2));
test.skip("three", () => {});
`,
    },
    mended: ["toBe(2)", "toBe(1)"],
    early: 'const { buy } = require("./buy.js");\ntest("one", () => expect(buy()).toBe(2));\n',
  },
  {
    name: "deno",
    command: ["deno", "test"],
    files: {
      "shop_test.ts": `Deno.test("one", () => console.log("ok | 99 passed | 0 failed (1ms)"));
Deno.test("two", () => { if (Number("1") !== 2) throw new Error("no"); });
Deno.test({ name: "three", ignore: true, fn() {} });
`,
    },
    mended: ["!== 2", "!== 1"],
    early: 'import { buy } from "./buy.ts";\nDeno.test("one", () => buy());\n',
  },
];

const packages = join(import.meta.dirname, "../../../testing/runners/node_modules");
const path = [join(packages, ".bin"), process.env.PATH].join(delimiter);

for (const { name, command, files, mended, early, hidesPassed } of runners) {
  // Found is not enough: rustup's `cargo` only explains that there is no toolchain. `tap` has to be where it is installed.
  const cwd = existsSync(packages) ? packages : undefined;
  const isInstalled =
    spawnSync(command[0], [command[0] === "go" ? "version" : "--version"], { cwd, env: { ...process.env, PATH: path } })
      .status === 0;
  if (!isInstalled) console.warn(`skipped: ${command[0]} is not installed, so only recordings of ${name} are tested`);
  test.skipIf(!isInstalled)(`${name}, run for real`, async () => {
    await using project = await tmpProject({
      files: { ...files, ".gitignore": "target\nCargo.lock\nnode_modules\n.tap\n" },
    });
    if (existsSync(packages)) symlinkSync(packages, project.path("node_modules"));
    // Compilers and runners keep caches in the home folder; some of them are only found there.
    const env = {
      ...process.env,
      GOFLAGS: "",
      GOCACHE: project.path("~/go"),
      DENO_DIR: project.path("~/deno"),
      PATH: path,
    };
    const run = async () => await runTests({ project: project.dir, argv: command, timeoutMs: 100_000, env });
    const red = await run();
    expect([red.tail, red.counts]).toEqual([red.tail, { passed: hidesPassed ? 0 : 1, failed: 1, skipped: 1 }]);
    expect([red.exitCode === 0, red.changed]).toEqual([false, []]);
    const [file = ""] = Object.keys(files).filter((each) => files[each]!.includes(mended[0]));
    await project.write(file, files[file]!.replace(...(mended as [string, string])));
    const green = await run();
    expect([green.tail, green.counts]).toEqual([green.tail, { passed: 2, failed: 0, skipped: 1 }]);
    expect(green.exitCode).toBe(0);
    await project.write(file, early);
    const unloaded = await run();
    expect([unloaded.tail, unloaded.counts]).toEqual([unloaded.tail, { passed: 0, failed: 1, skipped: 0 }]);
    expect(unloaded.exitCode).not.toBe(0);
  });
}
