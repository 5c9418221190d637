import { toggleReport } from "../manage/toggle-report.ts";
import type { Report } from "../operation.ts";
import type { Toggles } from "../operations/enable.ts";

export const switchReport: Report<Toggles> = toggleReport("Nothing is installed, so there is nothing to switch.");
