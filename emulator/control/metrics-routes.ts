import type { FastifyInstance } from 'fastify'
import type { EmulatorInstance } from '../core/pipeline.ts'

/** GET /__emulator/metrics. */
export function registerMetricsRoute(server: FastifyInstance, { records, load, accounts }: EmulatorInstance): void {
  server.get('/metrics', async (_request, reply) => {
    const { renderMetrics, METRICS_CONTENT_TYPE } = await import('../observability/metrics/render-metrics.ts') // rarely asked for
    const text = renderMetrics(records.tallies, {
      inFlight: load.inFlight,
      accounts: accounts.all().length,
      journalEntries: records.journal.kept,
    })
    return reply.type(METRICS_CONTENT_TYPE).send(text)
  })
}
