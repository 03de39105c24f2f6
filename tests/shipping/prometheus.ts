import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const DASHBOARD = join(ROOT, 'containers/grafana/dashboards/touchstone-load.json')

interface Panel {
  readonly title: string
  readonly targets: readonly { readonly expr: string }[]
}

interface Series {
  readonly values: readonly (readonly [unixSeconds: number, value: string])[]
}

/** Returns all queries of the Grafana dashboard, each with the title of its panel. */
export async function readDashboardQueries(): Promise<(readonly [title: string, query: string])[]> {
  // The cast is not checked: the test fails if the committed file is not a Grafana dashboard.
  const { panels } = JSON.parse(await readFile(DASHBOARD, 'utf8')) as { readonly panels: readonly Panel[] }
  return panels.flatMap(({ title, targets }) => targets.map(({ expr }) => [title, expr] as const))
}

/** Returns the values of a dashboard query during the last minute. */
export async function queryValues(url: string, query: string): Promise<readonly number[]> {
  const now = Date.now() / 1000
  const range = { start: String(now - 60), end: String(now), step: '1' }
  // Grafana replaces the variable with at least four times the scrape interval.
  const requested = new URLSearchParams({ query: query.replaceAll('$__rate_interval', '5s'), ...range })
  const response = await fetch(`${url}/api/v1/query_range?${requested.toString()}`)
  // The cast is safe: Prometheus documents this format. An error response has no `data`, so that the test fails here.
  const { data } = (await response.json()) as { readonly data: { readonly result: readonly Series[] } }
  const figures = data.result.flatMap(({ values }) => values.map(([, value]) => Number(value)))
  return figures.filter(Number.isFinite)
}
