import { describe, expect, test } from "bun:test";
import type { PackageSource } from "../../src/sources/package-source.ts";
import { parsePackageSpec, printPackageSpec } from "../../src/sources/spec.ts";
import { refusal } from "../refusal.ts";

const npm = (name: string, kind: "version" | "range" | "tag" = "tag", text = "latest"): PackageSource => ({
  kind: "registry",
  name,
  wanted: { kind, text },
});
const git = (url: string, ref?: string): PackageSource => ({ kind: "git", url, ...(ref !== undefined && { ref }) });
const folder = (path: string): PackageSource => ({ kind: "file", form: "folder", path });
const tarball = (path: string): PackageSource => ({ kind: "file", form: "tarball", path });

const accepted: readonly (readonly [spec: string, source: PackageSource, canonical?: string])[] = [
  ["review", npm("review")],
  ["@org/review", npm("@org/review")],
  ["@some-org/code-review-workflow", npm("@some-org/code-review-workflow")],
  ["review@latest", npm("review"), "review"],
  ["review@next", npm("review", "tag", "next")],
  ["@org/review@beta.1", npm("@org/review", "tag", "beta.1")],
  ["review@1.2.3", npm("review", "version", "1.2.3")],
  ["review@1.2.3-rc.1+build.5", npm("review", "version", "1.2.3-rc.1+build.5")],
  ["@org/review@^2.0.0", npm("@org/review", "range", "^2.0.0")],
  ["review@~1.2", npm("review", "range", "~1.2")],
  ["review@1", npm("review", "range", "1")],
  ["review@1.x", npm("review", "range", "1.x")],
  ["review@*", npm("review", "range", "*")],
  ["review@v1", npm("review", "range", "v1")],
  ["review@>=1.0.0 <2.0.0", npm("review", "range", ">=1.0.0 <2.0.0")],
  ["review@>=1.0.0   <2.0.0", npm("review", "range", ">=1.0.0 <2.0.0"), "review@>=1.0.0 <2.0.0"],
  ["review@1.0.0 - 2.0.0", npm("review", "range", "1.0.0 - 2.0.0")],
  ["review@^1.0.0 || ^2.0.0", npm("review", "range", "^1.0.0 || ^2.0.0")],
  ["review@1||2", npm("review", "range", "1||2")],
  ["a.b_c-d", npm("a.b_c-d")],
  ["7zip", npm("7zip")],

  ["github:org/review", git("github:org/review")],
  ["GitHub:org/review", git("github:org/review"), "github:org/review"],
  ["github:org/review.git", git("github:org/review"), "github:org/review"],
  ["github:org/review#v1.0.0", git("github:org/review", "v1.0.0")],
  ["org/review", git("github:org/review"), "github:org/review"],
  ["org/review#main", git("github:org/review", "main"), "github:org/review#main"],
  ["org/review#feature/x_y", git("github:org/review", "feature/x_y"), "github:org/review#feature/x_y"],
  ["Org-1/Re.view_2", git("github:Org-1/Re.view_2"), "github:Org-1/Re.view_2"],
  ["org/.github", git("github:org/.github"), "github:org/.github"],
  [`org/r#${"a".repeat(40)}`, git("github:org/r", "a".repeat(40)), `github:org/r#${"a".repeat(40)}`],
  ["org/r#release+1", git("github:org/r", "release+1"), "github:org/r#release+1"],
  ["org/r#review@1.0.0", git("github:org/r", "review@1.0.0"), "github:org/r#review@1.0.0"],
  ["git+ssh://git@github.com/org/repo.git", git("git+ssh://git@github.com/org/repo.git")],
  [
    "git+ssh://git@github.com:org/repo.git",
    git("git+ssh://git@github.com/org/repo.git"),
    "git+ssh://git@github.com/org/repo.git",
  ],
  ["git+ssh://git@host:2222/org/repo.git#v1", git("git+ssh://git@host:2222/org/repo.git", "v1")],
  ["git+ssh://host/~user/repo", git("git+ssh://host/~user/repo")],
  ["git+https://host.example/a/b.git", git("git+https://host.example/a/b.git")],
  ["git+https://HOST.example:8443/a/b", git("git+https://host.example:8443/a/b"), "git+https://host.example:8443/a/b"],
  ["git+https://[::1]:3000/a/b", git("git+https://[::1]:3000/a/b")],
  ["git+https://host/a/b/", git("git+https://host/a/b"), "git+https://host/a/b"],
  ["GIT+HTTPS://host/a", git("git+https://host/a"), "git+https://host/a"],
  ["git://127.0.0.1:9418/repo.git", git("git://127.0.0.1:9418/repo.git")],
  ["git+file:///srv/repo.git", git("git+file:///srv/repo.git")],
  ["git+file:///srv/repo.git#v1", git("git+file:///srv/repo.git", "v1")],
  ["git+file://localhost/srv/repo", git("git+file:///srv/repo"), "git+file:///srv/repo"],
  ["git+file:///srv/my%20repo", git("git+file:///srv/my%20repo")],
  ["git+file:///srv/Ärger", git("git+file:///srv/Ärger")],
  ["git+file:///srv/%C3%84rger", git("git+file:///srv/%C3%84rger")],

  ["./review", folder("./review")],
  ["../review", folder("../review")],
  [".", folder(".")],
  ["..", folder("..")],
  ["./", folder("."), "."],
  ["./a/../../b/", folder("../b"), "../b"],
  ["/srv/review", folder("/srv/review")],
  ["/", folder("/")],
  ["./my folder/übung", folder("./my folder/übung")],
  ["./-x", folder("./-x")],
  ["./a#b@c?d", folder("./a#b@c?d")],
  ["file:review", folder("./review"), "./review"],
  ["file:./review", folder("./review"), "./review"],
  ["file:../review", folder("../review"), "../review"],
  ["file:-x", folder("./-x"), "./-x"],
  ["file:/srv/review", folder("/srv/review"), "/srv/review"],
  ["file:///srv/my%20review", folder("/srv/my review"), "/srv/my review"],
  ["file://localhost/srv/x", folder("/srv/x"), "/srv/x"],
  ["file:100%", folder("./100%"), "./100%"],
  ["./review-1.0.0.tgz", tarball("./review-1.0.0.tgz")],
  ["file:review.tar.gz", tarball("./review.tar.gz"), "./review.tar.gz"],
  ["/srv/review.TAR", tarball("/srv/review.TAR")],
];

describe("a package spec", () => {
  test.each(accepted)("%s is understood", (spec, source, canonical = spec) => {
    expect(parsePackageSpec(spec)).toEqual(source);
    expect(printPackageSpec(source)).toBe(canonical);
    expect(parsePackageSpec(canonical)).toEqual(source);
  });
});

const refused: readonly (readonly [spec: string, problem: string])[] = [
  ["", "is empty"],
  ["   ", "is empty"],
  ["-g", "dash"],
  ["--registry=http://evil", "dash"],
  ["--upload-pack=touch /tmp/x", "dash"],
  [" review", "space"],
  ["review\n", "space"],
  ["rev\niew", "control character"],
  ["rev\u0000iew", "control character"],
  ["\u001b[2Jreview", "control character"],
  ["rev\u202eiew", "invisible character at position 4"],
  ["./rev\u200biew", "invisible character"],
  ["x".repeat(3000), "longer than 2048"],
  ["ext::sh -c touch% /tmp/x", "git remote helper"],
  ["fd::17", "git remote helper"],
  ["git+ssh://-oProxyCommand=x/y", "host name"],
  ["git+ssh://git@-oProxyCommand=x/y", "host name"],
  ["git+ssh://-x@host/y", "user name"],
  ["git+ssh://host/--upload-pack=x", "starts with a dash"],
  ["git+ssh://host/%2d-upload-pack=x", "starts with a dash"],
  ["git+ssh://host:-x/y", "starts with a dash"],
  ["git+https://host/a/../b", 'a part ".."'],
  ["git+https://host/a/%2e%2e/b", 'a part ".."'],
  ["git+https://host/a%2fb", "escaped slash"],
  ["git+https://host/a%00b", "invisible character"],
  ["git+https://host/a%E2%80%AEb", "invisible character"],
  ["git+https://host/a%zz", "does not start an escape"],
  ["git+https://host/a;b", "a shell metacharacter"],
  ["git+https://host/a b", "a space"],
  ["git+https://host//a", "empty part"],
  ["git+https://host", "only a host"],
  ["git+https://host/", "only a host"],
  ["git+https:///a/b", "host name"],
  ["git+https://host/a?ref=b", '"?"'],
  ["git+https://host:99999/a", "port"],
  ["git+https://host:x/a", "port"],
  ["git+ssh://host:0/a", "port"],
  ["git+https://user:pass@host/a", "password"],
  ["git+https://token@host/a", "token"],
  ["git://user@host/a", "token"],
  ["git+https://user:p/w@host/a", "after the host name"],
  ["git+file://host/a", "on this machine"],
  ["git+http://host/a", "does not support"],
  ["github:org", "not a GitHub repository"],
  ["github:/r", "not a GitHub repository"],
  ["github:org/..", "not a GitHub repository"],
  ["github:org/-r", "not a GitHub repository"],
  ["github:-o/r", "not a GitHub repository"],
  ["github:org/.git", "not a GitHub repository"],
  ["a/b/c", "not a GitHub repository"],
  ["org/r#", 'nothing after "#"'],
  ["org/r#--upload-pack=x", "invalid name"],
  ["org/r#a..b", "invalid name"],
  ["org/r#a@{1}", "invalid name"],
  ["org/r#a/", "invalid name"],
  ["org/r#.a", "invalid name"],
  ["org/r#a.lock", "invalid name"],
  ["org/r#a b", "invalid name"],
  ["org/r#a:b", "invalid name"],
  ["org/r#$(x)", "invalid name"],
  ["org/r#semver:^1", "range of tags"],
  ["org/x.tgz", "looks like a file"],
  ["file:", "is not a path"],
  ["file://server/share", "is not a path"],
  ["//server/share", "is not a path"],
  ["file:///a%zz", "not part of a valid escape sequence"],
  ["file:///a%0Ab", "control character"],
  ["file:///a%20", "ends with a space"],
  ["./a /", "ends with a space"],
  ["~/review", "only a shell"],
  [".\\review", "backslash"],
  ["..\\review", "backslash"],
  ["review.tgz", "does not support"],
  ["Review", "not a package name"],
  [".review", "not a package name"],
  ["_review", "not a package name"],
  ["node_modules", "not a package name"],
  ["@org", "not a package name"],
  ["@org/", "not a package name"],
  ["@/x", "not a package name"],
  ["@org/../x", "not a package name"],
  ["@-o/x", "not a package name"],
  ["re view", "not a package name"],
  ["review;x", "not a package name"],
  ["review$(x)", "not a package name"],
  ["a".repeat(215), "not a package name"],
  ["org/r@v1", "not a package name"],
  ["review@", "invalid version"],
  ["review@01.2.3", "invalid version"],
  ["review@1.2.3.4", "invalid version"],
  ["review@-1", "invalid version"],
  ["review@>=1 &&", "invalid version"],
  ["review@../x", "invalid version"],
  ["review@http://x", "invalid version"],
  ["review@npm:other@1", "an npm alias"],
  ["https://host/x.tgz", "does not support"],
  ["workspace:*", "does not support"],
  ["C:/x", "does not support"],
];

describe("a package spec that is refused", () => {
  test.each(refused)("%j: %s", (spec, problem) => {
    const error = refusal(() => parsePackageSpec(spec));
    expect(error.code).toBe("spec-invalid");
    expect(error.exitCode).toBe(2);
    expect(error.message).toContain(problem);
    expect(error.hint).not.toBe("");
  });

  test("because it cannot become a workflow is not even fetched", () => {
    for (const spec of ["constructor", "@org/constructor", "con@1.0.0", "a~b"]) {
      expect(refusal(() => parsePackageSpec(spec)).code).toBe("name-invalid");
    }
  });

  test.each([
    ["https://github.com/org/review", "github:org/review"],
    ["https://www.github.com/org/review.git", "github:org/review"],
    ["https://www.npmjs.com/package/@org/review", "@org/review"],
    ["https://host/a/b.git", "git+https://host/a/b.git"],
    ["https://host/review.tgz", "./name.tgz"],
    ["git@github.com:org/review.git", "git+ssh://git@github.com/org/review.git"],
    ["ssh://git@host/x", "git+ssh://"],
    ["git+http://host/x", "git+https://"],
    ["gitlab:org/review", "git+https://gitlab.com/org/review"],
    ["bitbucket:org/review", "git+https://bitbucket.org/org/review"],
    ["githb:org/review", "github:"],
    ["git+htps://host/x", "git+https:"],
    ["Review@1", "review"],
    ["review.tgz", "./review.tgz"],
    ["a/b/c", "./a/b/c"],
    ["org/r@v1", "org/r#"],
  ])("%s is refused with the correct form: %s", (spec, suggestion) => {
    expect(refusal(() => parsePackageSpec(spec)).hint).toContain(suggestion);
  });
});
