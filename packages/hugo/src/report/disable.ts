import type { Report } from "@atomic/terminal/command";
import { toggleReport } from "../manage/toggle-report.ts";
import type { Toggles } from "../operations/enable.ts";

export const disableReport: Report<Toggles> = toggleReport("Nothing is installed, so there is nothing to disable.");
