import { describe, expect, test } from "bun:test";
import { sourceForm } from "@atomic/workflows/internal/hugo-lock/source-form";
import fc from "fast-check";
import { HugoError } from "../../src/errors.ts";
import { parsePackageSpec, printPackageSpec } from "../../src/sources/spec.ts";

const pieces = fc.constantFrom(
  ...["git+ssh://", "git+https://", "git+file://", "git://", "github:", "file:", "https://", "ext::", "npm:"],
  ...["./", "../", "/", "//", "@", "#", ":", "-", "--upload-pack=", "%2e%2e", "%2f", "%0a", "%", "?", "~", " ", "\\"],
  ...[
    "org",
    "repo",
    "review",
    "host.example",
    "1.2.3",
    "^1",
    "||",
    "v1",
    ".git",
    ".tgz",
    "https://github.com/",
    "/tree/",
    "..",
    ".",
    "é",
    "\u202e",
  ],
);
const spec = fc.oneof(
  fc.array(pieces, { maxLength: 9 }).map((parts) => parts.join("")),
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.string({ maxLength: 40 }),
);

describe("any text as a package spec", () => {
  test("is refused with an error that is safe to print, or understood and written back to the same", () => {
    fc.assert(
      fc.property(spec, (text) => {
        let printed: string;
        try {
          printed = printPackageSpec(parsePackageSpec(text));
        } catch (error) {
          if (!(error instanceof HugoError)) throw error;
          expect(error.message).not.toMatch(/[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?! )\p{Zs}/u);
          return;
        }
        expect(printPackageSpec(parsePackageSpec(printed))).toBe(printed);
        expect(parsePackageSpec(printed)).toEqual(parsePackageSpec(text));
      }),
      { numRuns: 5000 },
    );
  });

  test("is a source in hugo.json as it is printed, and nothing is one there that cannot be installed", () => {
    fc.assert(
      fc.property(spec, (text) => {
        const form = sourceForm(text);
        let printed: string | undefined;
        try {
          printed = printPackageSpec(parsePackageSpec(text));
        } catch (error) {
          if (!(error instanceof HugoError)) throw error;
        }
        if (printed === undefined) expect([text, form]).toEqual([text, undefined]);
        else expect([printed, sourceForm(printed)?.kind]).toEqual([printed, expect.any(String)]);
      }),
      { numRuns: 20_000 },
    );
  });

  test("never becomes something that a program could read as an option or a helper", () => {
    fc.assert(
      fc.property(spec, (text) => {
        try {
          const source = parsePackageSpec(text);
          const words = [printPackageSpec(source), ...(source.kind === "git" ? [source.ref ?? "HEAD"] : [])];
          for (const word of words) expect(word).not.toMatch(/^-|^[a-z0-9+.-]+::|\p{Cc}/u);
          if (source.kind !== "git") return;
          expect(`${source.url}/${source.folder ?? ""}`).not.toMatch(/\/-|[\s;|&`$]/);
          expect(source.folder ?? "").not.toMatch(/(?:^|\/)(?:\.{1,2}|\.git)?(?:\/|$).|^\//i);
        } catch (error) {
          if (!(error instanceof HugoError)) throw error;
        }
      }),
      { numRuns: 5000 },
    );
  });
});

describe("a secret in a package spec", () => {
  const secret = "S3cr3t";
  const around = fc.constantFrom("", "/", ":", "@", "#", "%", "x", "//");
  const scheme = fc.constantFrom(
    "git+https://",
    "git+ssh://",
    "git://",
    "https://",
    "http://",
    "ssh://",
    "gitlab:",
    "",
  );

  test("is accepted nowhere and shown nowhere", () => {
    fc.assert(
      fc.property(
        scheme,
        around,
        around,
        fc.constantFrom("host/x", "host/x.git", "host/x.tgz", "github.com/o/r"),
        (...all) => {
          const [start, before, after, place] = all;
          const text = `${start}user:${before}${secret}${after}@${place}`;
          try {
            expect(printPackageSpec(parsePackageSpec(text))).not.toContain(secret);
          } catch (error) {
            if (!(error instanceof HugoError)) throw error;
            expect(`${error.message} ${error.hint}`).not.toContain(secret);
          }
        },
      ),
      { numRuns: 2000 },
    );
  });

  test.each([
    `https://host/x.tgz?token=${secret}`,
    `git+https://host/x?token=${secret}`,
    `git+https:user:${secret}@host/x`,
    `user:${secret}@host:x`,
    `user:${secret}@host//x@y`,
    `https://${secret}@host/x`,
    `git+https://${secret}@host/x`,
  ])("is hidden in the error about %s", (text) => {
    try {
      parsePackageSpec(text);
      throw new Error("accepted");
    } catch (error) {
      if (!(error instanceof HugoError)) throw error;
      expect(`${error.message} ${error.hint}`).not.toContain(secret);
    }
  });
});
