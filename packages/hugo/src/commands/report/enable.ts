import type { Report } from "@atomic/terminal/command";
import type { Toggles } from "../enable.ts";
import { toggleReport } from "../shared/toggle-report.ts";

export const enableReport: Report<Toggles> = toggleReport("Nothing is installed, so there is nothing to enable.");
