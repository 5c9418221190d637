import { expect, test } from "bun:test";
import { hasTests, isTestFile } from "../../src/run/test-files.ts";

const tests = `
  src/a.test.ts src/a.spec.jsx src/deep/__tests__/a.js e2e/home.ts a_test.ts test.js vitest.config.ts playwright.config.ts
  test_shop.py shop/shop_test.py shop/tests.py conftest.py tests/factories.py
  shop/cart_test.go shop/testdata/cart.json
  tests/all.rs src/cart_tests.rs src/cart/tests.rs
  spec/cart_spec.rb spec/support/x.rb test/cart_test.rb spec_helper.rb
  tests/CartTest.php src/CartTest.php
  src/test/java/shop/CartTest.java src/main/java/shop/CartIT.java app/src/androidTest/java/A.kt CartSpec.groovy
  Shop.Tests/Cart.cs Shop.UnitTests/Cart.cs src/CartTests.cs
  test/cart_test.exs Tests/ShopTests/Cart.swift cart_test.dart test_cart.c cart_unittest.cc cart_spec.lua all.bats
`;
const others = `
  src/latest.ts src/contest.js src/attest/a.py src/testing.go src/Testimonial.svelte src/protest/b.rb package.json
  shop/test.go cart.rs src/testament.py src/main/java/shop/Tester.java src/Contests.cs pages/test-results.svelte.md
  src/inspect/a.ts src/fastest/b.php
`;
const words = (text: string) => text.trim().split(/\s+/);

test.each(words(tests))("is a test: %s", (path) => expect(isTestFile(path)).toBe(true));
test.each(words(others))("is not a test: %s", (path) => expect(isTestFile(path)).toBe(false));

test("a stack can add more", () => {
  const globs = ["checks/**", "*.check.roc"];
  expect(["checks/deep/a.roc", "src/a.check.roc", "a.check.roc"].map((path) => isTestFile(path, globs))).toEqual([
    ...[true, true, true],
  ]);
  expect(["src/checks/a.roc", "a.roc", "acheck.roc"].map((path) => isTestFile(path, globs))).toEqual([
    false,
    false,
    false,
  ]);
});

test("only programs have tests: not the data beside them, and nothing in fixtures", () => {
  expect(["a.test.ts", "tests/a.py"].map((path) => hasTests(path))).toEqual([true, true]);
  expect(
    ["tests/data.json", "tests/fixtures/a.py", "testdata/x.go", "README.md"].map((path) => hasTests(path)),
  ).toEqual([...[false, false, false, false]]);
  expect(hasTests("checks/a.roc", ["checks/*.roc"])).toBe(true);
});
