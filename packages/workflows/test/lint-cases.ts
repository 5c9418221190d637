// For each rule, files on which it fires, where exactly, and the nearest ones on which it stays quiet.
import { bodyCases } from "./lint-cases/bodies.ts";
import { fileCases } from "./lint-cases/files.ts";
import { keyCases } from "./lint-cases/keys.ts";
import type { LintCase } from "./lint-cases/lint-case.ts";

export const cases: Readonly<Record<string, LintCase>> = { ...fileCases, ...keyCases, ...bodyCases };
