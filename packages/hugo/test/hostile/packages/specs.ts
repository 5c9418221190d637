// What stands behind `hugo install`, and what a registry or a lock would like to stand there.
import type { Hostile } from "../hostile-package.ts";
import { folder, harmless } from "../making.ts";

const refused = (spec: string, says: string | RegExp = "package spec"): Hostile => ({
  what: `the spec ${JSON.stringify(spec)}`,
  make: ({ trap }) => ({ argv: ["install", "--yes", "--", spec.replace("TRAP", trap("spec"))] }),
  expected: { code: "spec-invalid", says },
});

export const specs: readonly Hostile[] = [
  {
    what: "an option of another program instead of a spec",
    make: ({ trap }) => ({ argv: ["install", "--yes", `--upload-pack=${trap("option")}`] }),
    expected: { code: "usage", says: "upload-pack" },
  },
  refused("--upload-pack=TRAP", "starts with a dash"),
  refused("-oProxyCommand=TRAP", "starts with a dash"),
  refused("ext::sh -c TRAP% >&2"),
  refused("git+ssh://-oProxyCommand=TRAP/x/y"),
  refused("git+ssh://git@-oProxyCommand=TRAP/x/y"),
  refused("git+file:///--upload-pack=TRAP/x"),
  refused("git+https://example.invalid/x/-y"),
  refused("github:-x/y"),
  refused("github:x/y#--upload-pack=TRAP"),
  refused("github:x/y#../../../refs"),
  refused("git+https://user:password@example.invalid/x/y", "password"),
  refused("git+https://example.invalid/a%2f..%2f..%2fb/y"),
  refused("git+ext://sh"),
  refused("fd::17/foo"),
  refused("npm:left-pad@1.0.0"),
  refused("alias@npm:left-pad@1.0.0"),
  refused("review@$(TRAP)"),
  refused("review;TRAP"),
  refused("../a\u0000b", "control character"),
  refused("revi\u200bew", "invisible"),
  refused("\u001b[2Jreview"),
  refused("file:\\\\server\\share"),
  {
    what: "a folder whose name is a substitution of OpenCode",
    make: (world) => folder(world, "{file:~/.ssh/id_canary}", harmless),
    expected: {
      installed: ({ files }) => {
        if (files.has("opencode.json")) throw new Error("A config was written.");
      },
    },
  },
];
