import { defineWorkflow } from "@atomic/workflows/plugin";

export default defineWorkflow({ id: "my-workflow", root: new URL("..", import.meta.url) });
