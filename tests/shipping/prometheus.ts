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

/** The queries of the dashboard, each with the title of its panel. */
export async function dashboardQueries(): Promise<(readonly [title: string, query: string])[]> {
  // Committed, and made for Grafana: what is not a dashboard fails in the tests.
  const { panels } = JSON.parse(await readFile(DASHBOARD, 'utf8')) as { readonly panels: readonly Panel[] }
  return panels.flatMap(({ title, targets }) => targets.map(({ expr }) => [title, expr] as const))
}

/** The numbers that Prometheus has for a query of the dashboard in the last minute. */
export async function figuresOf(url: string, query: string): Promise<readonly number[]> {
  const now = Date.now() / 1000
  const range = { start: String(now - 60), end: String(now), step: '1' }
  // Grafana puts at least four times the interval of the data there.
  const asked = new URLSearchParams({ query: query.replaceAll('$__rate_interval', '5s'), ...range })
  const response = await fetch(`${url}/api/v1/query_range?${asked.toString()}`)
  // As Prometheus documents it; an error has no data, and fails here.
  const { data } = (await response.json()) as { readonly data: { readonly result: readonly Series[] } }
  const figures = data.result.flatMap(({ values }) => values.map(([, value]) => Number(value)))
  return figures.filter(Number.isFinite)
}
