import type { FastifyInstance } from 'fastify'
import type { World } from '../core/pipeline.ts'

/** GET /__emulator/metrics. */
export function registerMetricsRoute(server: FastifyInstance, { records, traffic, accounts }: World): void {
  server.get('/metrics', async (_request, reply) => {
    const { renderMetrics, METRICS_CONTENT_TYPE } = await import('../observability/metrics/render-metrics.ts') // rarely asked for
    const text = renderMetrics(records.tallies, {
      inFlight: traffic.inFlight,
      accounts: accounts.all().length,
      journalEntries: records.journal.kept,
    })
    return reply.type(METRICS_CONTENT_TYPE).send(text)
  })
}
