import { createServer, type Server } from "node:http";
import type { FleetCounts } from "@atomic/engine-postgres/dispatch";

export interface WorkerCounts {
  readonly running: number;
  readonly places: number;
  readonly taken: number;
  readonly left: number;
  readonly crashed: number;
  readonly notReady: number;
}

/** In Prometheus' text format. */
export function metricsText(worker: WorkerCounts, fleet: FleetCounts): string {
  const rows: readonly (readonly [string, "gauge" | "counter", string, number])[] = [
    ["atomic_worker_runs", "gauge", "Runs that this worker works on.", worker.running],
    ["atomic_worker_slots", "gauge", "Runs that it can work on at a time.", worker.places],
    ["atomic_worker_taken_total", "counter", "Runs taken.", worker.taken],
    ["atomic_worker_left_total", "counter", "Runs left: ended, waiting or released.", worker.left],
    ["atomic_worker_crashed_total", "counter", "Processes of runs that crashed.", worker.crashed],
    ["atomic_worker_not_ready_total", "counter", "Runs that could not be executed here.", worker.notReady],
    ["atomic_fleet_working", "gauge", "Runs that a living process works on.", fleet.working],
    ["atomic_fleet_ready", "gauge", "Runs that no process works on, though something could be done.", fleet.ready],
    ["atomic_fleet_waiting", "gauge", "Runs that wait for an answer, a date or a budget.", fleet.waiting],
  ];
  return rows
    .map(([name, type, help, value]) => `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${name} ${value}\n`)
    .join("");
}

export async function serveMetrics(
  { host, port }: { readonly host: string; readonly port: number },
  text: () => Promise<string>,
): Promise<Server> {
  const server = createServer((_request, response) => {
    text().then(
      (body) => response.setHeader("content-type", "text/plain; version=0.0.4").end(body),
      (error) => response.writeHead(503).end(`${error}\n`),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  return server;
}

export function portOf(server: Server): number {
  return (server.address() as { readonly port: number }).port;
}
