import { defineWorkflow } from "@atomic/workflows/plugin";

export default defineWorkflow({ id: "code-review", root: new URL("..", import.meta.url) });
