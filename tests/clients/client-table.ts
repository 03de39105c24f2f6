import type { ClientProgram } from './clients.ts'
import { readPinnedVersion } from './installation.ts'
import { SCENARIOS } from './scenarios.ts'

export function renderClientTable(clients: readonly ClientProgram[]): string {
  return [
    `| client | version | ${SCENARIOS.map(({ title }) => title).join(' | ')} |`,
    `|---|---|${'---|'.repeat(SCENARIOS.length)}`,
    ...clients.map((client) => {
      const cells = SCENARIOS.map(({ id }) => (client.omitted.includes(id) ? '–' : '✓'))
      return `| ${client.title} | ${readPinnedVersion(client)} | ${cells.join(' | ')} |`
    }),
  ].join('\n')
}
